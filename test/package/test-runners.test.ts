/** The packed package in the test runners that suppliers use, each in a separate project. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { emptyFolder, pack, run, write } from './consumer.js';

const { folder, remove } = emptyFolder();

beforeAll(() => {
  write(folder, { 'package.json': JSON.stringify({ name: 'tested', private: true, type: 'commonjs' }) });
  run(folder, 'npm', 'install', '--no-audit', '--no-fund', pack(folder), 'jest@30', 'vitest@4', 'tsx@4');
});

afterAll(remove);

const BODY = `
  const sandbox = createSandbox();
  const { url, close } = await sandbox.listen();
  const client = new DataImportClient({ baseUrl: url, token: sandbox.token });
  const account = { external_account_number: 'A-1', import_supplier: SANDBOX_SUPPLIER };
  const { callOutcome: outcome } = await client.accounts.stage(account);
  const error = await client.accounts.stage({ ...account, customers: [{ landline: 'x' }] }).catch((thrown) => thrown);
  await client.close();
  await close();
  const found = [outcome, error.name, typeof runMigration, typeof accountSchema.safeParse].join();
  if (found !== 'created,InvalidPayloadError,function,function') throw new Error(found);
`;
const NAMES = [
  ['{ DataImportClient }', 'data-import-sdk'],
  ['{ createSandbox, SANDBOX_SUPPLIER }', 'data-import-sdk/sandbox'],
  ['{ runMigration }', 'data-import-sdk/migration'],
  ['{ accountSchema }', 'data-import-sdk/schemas'],
] as const;
const required = NAMES.map(([names, module]) => `const ${names} = require('${module}');`).join('\n');
const imported = NAMES.map(([names, module]) => `import ${names} from '${module}';`).join('\n');

const bin = (name: string) => join(folder, 'node_modules/.bin', name);

test.each<[string, string, string, string, string[]]>([
  [
    'Jest 30 by require',
    'a.jest.cjs',
    `${required}\ntest('stages', async () => {${BODY}});`,
    bin('jest'),
    [...['--testMatch', '**/*.jest.cjs']],
  ],
  [
    'Vitest 4 by import',
    'a.vitest.mjs',
    `import { test } from 'vitest';\n${imported}\ntest('stages', async () => {${BODY}});`,
    bin('vitest'),
    ['run', '--dir', '.', 'a.vitest.mjs'],
  ],
  [
    'node:test by import',
    'a.node.mjs',
    `import { test } from 'node:test';\n${imported}\ntest('stages', async () => {${BODY}});`,
    'node',
    ['--test', 'a.node.mjs'],
  ],
  [
    'node:test by require',
    'a.node.cjs',
    `const { test } = require('node:test');\n${required}\ntest('stages', async () => {${BODY}});`,
    'node',
    ['--test', 'a.node.cjs'],
  ],
  [
    'tsx, a TypeScript file of a CommonJS project',
    'a.ts',
    `${imported}\n(async () => {${BODY}})();`,
    bin('tsx'),
    ['a.ts'],
  ],
])('%s', (_, file, text, command, args) => {
  write(folder, { [file]: text, 'vitest.config.mjs': "export default { test: { include: ['*.vitest.mjs'] } };" });
  // Ends with another code where a test fails.
  run(folder, command, ...args);
});

test('a failing test of these runners ends with another code', () => {
  write(folder, { 'b.jest.cjs': "test('fails', () => { throw new Error('planted'); });" });
  expect(() => run(folder, bin('jest'), '--testMatch', '**/b.jest.cjs')).toThrow('planted');
});
