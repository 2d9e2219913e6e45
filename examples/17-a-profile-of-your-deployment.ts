/** Task: your deployment is stricter than the API specification. Check, client and sandbox apply one profile. */
import { readFileSync } from 'node:fs';
import { type Account, checkRecords, defineProfile, InvalidPayloadError, ValidationError } from 'data-import-sdk';
import { SANDBOX_SUPPLIER } from 'data-import-sdk/sandbox';
import { startSandbox } from './sandbox-client.js';

// A profile is data: the command line takes the same file with --profile. defineProfile throws for an unknown path.
const profile = defineProfile(JSON.parse(readFileSync(new URL('deployment-profile.json', import.meta.url), 'utf8')));

const account = {
  external_account_number: 'LEGACY-000000041',
  import_supplier: SANDBOX_SUPPLIER,
  sales_channel: 'DOORSTEP',
  energy_region: 'SOUTH',
  customers: [{ given_name: 'Alix', family_name: 'Arbois' }],
};

// 1. The whole input, before anything is sent, as `data-import-sdk check input.jsonl --profile deployment-profile.json` does.
for await (const { attr, code, severity } of checkRecords([{ account }], { profile, warnings: false })) {
  console.log(`input: ${severity} ${attr} ${code}`);
}

// 2. Every call of a client.
const strict = await startSandbox({ profile }, { settings: { profile } });
try {
  await strict.client.accounts.stage(account);
} catch (error) {
  if (!(error instanceof InvalidPayloadError)) throw error;
  console.log(`client: ${error.errors.length} errors, nothing sent`);
}
console.log('requests:', strict.sandbox.requests().length);

// 3. A sandbox that rejects what the deployment rejects, also from clients without a profile.
const refusal: unknown = await strict.client.accounts.stage(account, { validate: false }).catch((error) => error);
if (refusal instanceof ValidationError)
  console.log('sandbox:', refusal.status, refusal.at('billing_postcode')[0]?.code);

// The field that was agreed with the operator is accepted, and so is an account that satisfies the profile.
const fitting: Account & { energy_region: string } = {
  external_account_number: 'LEGACY-41',
  import_supplier: SANDBOX_SUPPLIER,
  billing_postcode: '69003',
  sales_channel: 'DIRECT',
  energy_region: 'SOUTH',
  customers: [{ given_name: 'Alix', family_name: 'Arbois', email: 'alix@example.com' }],
};
console.log('corrected:', (await strict.client.accounts.stage(fitting)).callOutcome);
await strict.stop();
