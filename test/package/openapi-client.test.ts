/** The published OpenAPI document: openapi-typescript generates a client from it, which compiles, and talks to the sandbox. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { emptyFolder, outcome, pack, root, run, write } from './consumer.js';

const { folder, remove } = emptyFolder();
const bin = (name: string) => join(folder, 'node_modules/.bin', name);
const DOCUMENT = 'node_modules/data-import-sdk/dist/openapi.json';

beforeAll(() => {
  write(folder, { 'package.json': JSON.stringify({ name: 'generated', private: true, type: 'module' }) });
  // openapi-typescript 7 needs TypeScript 5.
  const packages = ['openapi-typescript@7', 'openapi-fetch@0', 'p-retry@7', 'typescript@5', '@types/node@20'];
  run(folder, 'npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', pack(folder), ...packages);
  run(folder, bin('openapi-typescript'), DOCUMENT, '-o', 'api.ts');
});

afterAll(remove);

const client = (body: string) => `import createClient from 'openapi-fetch';
import { createSandbox, SANDBOX_SUPPLIER, SANDBOX_TEAM } from 'data-import-sdk/sandbox';
import type { paths } from './api.js';
const sandbox = createSandbox();
const server = await sandbox.listen();
const headers = { Authorization: \`Token \${sandbox.token}\` };
const client = createClient<paths>({ baseUrl: server.url, headers });
${body}
await server.close();
`;

const RIGHT = client(`
const staged = await client.POST('/v1/data-import/account-import-process/create-or-update/', {
  body: { external_account_number: 'A-1', import_supplier: SANDBOX_SUPPLIER },
});
console.log(staged.response.status);
const processed = await client.POST('/v1/data-import/account-import-process/process/', {
  body: { external_account_number: 'A-1', import_supplier_code: SANDBOX_SUPPLIER, operations_team_name: SANDBOX_TEAM },
});
const number: string | null | undefined = processed.data?.service_account_number;
console.log(processed.response.status, typeof number);
const status = await client.GET('/v1/data-import/account-transfer-status/{import_supplier_code}/{external_account_number}/', {
  params: { path: { import_supplier_code: SANDBOX_SUPPLIER, external_account_number: 'A-1' } },
});
console.log(status.response.status, status.data?.status);
const refused = await client.POST('/v1/data-import/account-import-process/create-or-update/', {
  body: { external_account_number: 'A-1', import_supplier: SANDBOX_SUPPLIER },
});
console.log(refused.response.status, JSON.stringify(refused.error).includes('account_already_imported'));`);

const wrong = (field: string) =>
  client(`await client.POST('/v1/data-import/account-import-process/create-or-update/', {
  body: { import_supplier: SANDBOX_SUPPLIER, ${field} },
});`);

/** What the compiler says of all files: one program, because each takes ten seconds. */
let errors: string[];

beforeAll(() => {
  write(folder, {
    'right.mts': RIGHT,
    'misspelt.mts': wrong("external_account_nummer: 'A-1'"),
    'type.mts': wrong("external_account_number: 'A-1', customers: [{ given_name: 7 }]"),
  });
  const options = ['--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'nodenext', '--types', 'node'];
  const { output } = outcome(folder, bin('tsc'), ...options, 'right.mts', 'misspelt.mts', 'type.mts');
  errors = output.split('\n').filter((line) => line.includes('error TS'));
});

test('the generated client compiles; a field that is misspelt or of another type does not', () => {
  expect(errors).toEqual([
    expect.stringMatching(/^misspelt\.mts.*'external_account_nummer' does not exist in type/),
    expect.stringMatching(/^type\.mts.*Type 'number' is not assignable to type 'string/),
  ]);
});

test('it imports an account into the sandbox', () => {
  // 201 for a new account, PENDING for an account that was created, 400 for one that exists.
  expect(run(folder, 'node', 'right.mjs')).toBe('201\n201 string\n200 PENDING\n400 true\n');
});

test('a migration with it and p-retry passes certify', () => {
  const example = (name: string) => readFileSync(join(root, 'examples/certify', name), 'utf8');
  write(folder, { 'migrate.mjs': example('migrate.mjs'), 'accounts.jsonl': example('accounts.jsonl') });
  const words = ['certify', '--time', '30', '--input', 'accounts.jsonl', '--', 'node', 'migrate.mjs'];
  expect(run(folder, bin('data-import-sdk'), ...words)).toMatch(/ executions, 0 with a finding.*: passed\n$/);
});
