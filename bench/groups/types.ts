/** Compares the `tsc` cost of a ten-line script with the packed declarations to the same script with plain interfaces. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Contestant } from '../frame/contest.js';
import { inFolder } from '../frame/figures.js';
import { installInto, ROOT } from '../frame/installed.js';
import type { Sheet } from '../frame/sheet.js';

const ROUNDS = 10;
const MOST_MS = 120_000;
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
/** The settings of `tsc --init`, for Node. */
const OPTIONS = [
  ...['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'],
  '--extendedDiagnostics',
];

const SCRIPT = (from: string) => `import { type Account, DataImportClient, ValidationError } from '${from}';
const client = new DataImportClient({ baseUrl: 'https://api.example.com', token: 'token' });
const ids = { import_supplier_code: 'ACME', external_account_number: 'A-1', operations_team_name: 'TEAM' };
const account: Account = { import_supplier: 'ACME', external_account_number: 'A-1', customers: [{ landline: '' }] };
try {
  const { callOutcome: outcome } = await client.accounts.stage(account);
  const { service_account_number } = await client.accounts.process(ids);
  console.log(outcome, service_account_number);
} catch (error) {
  if (error instanceof ValidationError) console.error(error.at('customers.0.landline'));
}
`;

const PLAIN = `export interface Account {
  import_supplier: string;
  external_account_number: string;
  customers?: { family_name?: string; landline?: string }[];
}
export interface Ids { import_supplier_code: string; external_account_number: string; operations_team_name: string }
export declare class ValidationError extends Error { at(attr: string): { code: string; detail: string }[] }
export declare class DataImportClient {
  constructor(options: { baseUrl: string; token: string });
  accounts: {
    stage(account: Account): Promise<{ callOutcome: 'created' | 'updated' }>;
    process(ids: Ids): Promise<{ service_account_number: string }>;
  };
}
`;

export async function measure(sheet: Sheet<'types'>): Promise<void> {
  await inFolder(async (folder) => {
    installInto(folder);
    writeFileSync(join(folder, 'ours.ts'), SCRIPT('data-import-sdk'));
    writeFileSync(join(folder, 'plain.ts'), SCRIPT('./interfaces.js'));
    writeFileSync(join(folder, 'interfaces.d.ts'), PLAIN);
    const checks = (file: string) => (): Contestant => ({ turn: () => check(folder, file) });
    const held = await sheet.contest('tsc', { ours: checks('ours.ts'), plain: checks('plain.ts') }, ROUNDS, 1);
    sheet.fill('time', () => held.ratio('seconds', 'ours', 'plain'));
    sheet.fill('instantiations', () => ({ value: held.difference('instantiations', 'ours', 'plain').value }));
  });
}

/** Returns the counts and times that tsc reports. Throws its errors. */
function check(folder: string, file: string): { seconds: number; instantiations: number; mib: number } {
  const output = execFileSync(process.execPath, [TSC, ...OPTIONS, file], {
    cwd: folder,
    encoding: 'utf8',
    timeout: MOST_MS,
  });
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+([\\d.]+)`, 'm').exec(output)?.[1]);
  return { seconds: of('Total time'), instantiations: of('Instantiations'), mib: of('Memory used') / 1024 };
}
