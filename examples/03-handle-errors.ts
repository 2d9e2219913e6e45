/** Deciding by stable code and attr path, never by the wording of an error. */
import {
  AlreadyImportedError,
  InvalidPayloadError,
  NotFoundError,
  OutcomeUnknownError,
  ValidationError,
} from 'data-import-sdk';
import { SANDBOX_SUPPLIER, SANDBOX_TEAM } from 'data-import-sdk/sandbox';
import { startSandbox } from './sandbox-client.js';

const { client, sandbox, stop } = await startSandbox();
const key = { external_account_number: 'A-1', import_supplier_code: SANDBOX_SUPPLIER };
const account = { external_account_number: 'A-1', import_supplier: SANDBOX_SUPPLIER };

async function attempt(what: string, call: () => PromiseLike<unknown>): Promise<void> {
  try {
    console.log(`${what}: done`, await call());
  } catch (error) {
    if (error instanceof InvalidPayloadError)
      console.log(`${what}: not sent;`, error.at('customers.0.landline')[0]?.code);
    else if (error instanceof AlreadyImportedError) console.log(`${what}: exists as`, error.serviceAccountNumber);
    else if (error instanceof ValidationError)
      console.log(
        `${what}: refused;`,
        error.code,
        error.errors.map(({ attr }) => attr),
      );
    else if (error instanceof NotFoundError) console.log(`${what}: not there`);
    else if (error instanceof OutcomeUnknownError) console.log(`${what}: outcome unknown; ${error.howToResolve}`);
    else throw error;
  }
}

await attempt('a bad landline', () => client.accounts.stage({ ...account, customers: [{ landline: 'ask' }] }));
await attempt('a bad landline, unchecked', () =>
  client.accounts.stage({ ...account, customers: [{ landline: 'ask' }] }, { validate: false }),
);
await attempt('processing what is not staged', () =>
  client.accounts.process({ ...key, operations_team_name: SANDBOX_TEAM }),
);
await attempt('a note before the import', () =>
  client.notes.create({ ...account, notes: [{ body: 'Prefers letters.' }] }),
);
await attempt('staging', () => client.accounts.stage(account));
await attempt('processing', () => client.accounts.process({ ...key, operations_team_name: SANDBOX_TEAM }));
await attempt('processing again', () => client.accounts.process({ ...key, operations_team_name: SANDBOX_TEAM }));
sandbox.setSupplierStatus(SANDBOX_SUPPLIER, 'Paused');
await attempt('staging while paused', () => client.accounts.stage({ ...account, external_account_number: 'A-2' }));
await stop();
