/**
 * The commands of the guides, exactly as printed, one page after the other in one folder, as a reader types them. The rehearsal has its own
 * service, and "the real one" is a second service on another port, which loses two answers.
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { DataImportClient } from '../../src/index.js';
import { createSandbox, recordCalls, SANDBOX_SUPPLIER } from '../../src/sandbox/index.js';
import { blocksOf, root, textOf } from '../documents/documents.js';
import { typeCommand } from '../support/type-command.js';
import { type Reader, typePage } from '../support/type-page.js';

const LONG_MS = 120_000;

/** What the pages call A-1, A-2 and B-1: an account with a statement, one with a mistake, and a business. */
const RECORDS = [
  { business: { import_supplier_code: SANDBOX_SUPPLIER, external_business_identifier: 'B-1' } },
  {
    account: { import_supplier: SANDBOX_SUPPLIER, external_account_number: 'A-1' },
    statements: [{ statement_id: 'S-1', gross_amount: 6000 }],
  },
  { account: { import_supplier: SANDBOX_SUPPLIER, external_account_number: 'A-2', billing_postcode: 69003 } },
];

const folder = mkdtempSync(join(tmpdir(), 'guides-'));
const before = process.cwd();
const real = createSandbox({
  teams: ['EAST'],
  logLimit: 20_000,
  settings: { switchSchedule: { inProgressAfterSeconds: 0, endAfterSeconds: 0, rejectedShare: 0 } },
});
real.faults.add({
  match: { operation: 'historicalStatements.create', account: 'A-1' },
  when: 'first',
  effect: 'drop',
  phase: 'afterCommit',
});
real.faults.add({ match: { operation: 'businesses.create' }, when: 'first', effect: 'drop', phase: 'afterCommit' });
let server: Awaited<ReturnType<typeof real.listen>>;

beforeAll(async () => {
  server = await real.listen();
  process.chdir(folder);
});

afterAll(async () => {
  process.chdir(before);
  vi.unstubAllEnvs();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Types the commands of a page. Returns each with its exit code. */
function type(document: string, reader: Reader = {}): Promise<[string, number][]> {
  const exports = { DATA_IMPORT_BASE_URL: server.url, DATA_IMPORT_TOKEN: real.token, ...reader.exports };
  return typePage(document, { ...reader, exports });
}

test('docs/rehearse.md', { timeout: LONG_MS }, async () => {
  expect(await type('docs/rehearse.md')).toEqual([
    ['npx data-import-sdk sample --accounts 200 > input.jsonl', 0],
    ['npx data-import-sdk check input.jsonl', 3],
    ['npx data-import-sdk profile input.jsonl', 0],
    ['npx data-import-sdk plan input.jsonl --rps 20', 3],
    ['npx data-import-sdk run input.jsonl --sandbox', 3],
    ['npx data-import-sdk verify --sandbox', 0],
  ]);
  expect(real.requests()).toEqual([]);
});

test('docs/run.md', { timeout: LONG_MS }, async () => {
  const sample = readFileSync('input.jsonl', 'utf8');
  writeFileSync('input.jsonl', RECORDS.map((record) => `${JSON.stringify(record)}\n`).join('') + sample);
  // The message says to wait until a request without an answer must have ended: as long as its time limit.
  for (const name of ['TIMEOUT', 'IN_FLIGHT_GRACE']) vi.stubEnv(`DATA_IMPORT_${name}`, '5');
  expect(await type('docs/run.md')).toEqual([
    ['npx data-import-sdk doctor input.jsonl', 0],
    ['npx data-import-sdk run input.jsonl --team EAST --canary 100', 4],
    ['npx data-import-sdk verify', 0],
    ['npx data-import-sdk retry corrected.jsonl --team EAST', 4],
    ['npx data-import-sdk resolve', 4],
    ['npx data-import-sdk resolve --account A-1 --step statements --as not-done', 4],
    ['npx data-import-sdk resolve --business B-1 --step create --as done --service-id 4711', 0],
    ['npx data-import-sdk forget --account A-2', 0],
  ]);
});

test('docs/verify.md', { timeout: LONG_MS }, async () => {
  expect(await type('docs/verify.md')).toEqual([
    ['npx data-import-sdk verify', 0],
    ['npx data-import-sdk verify --sandbox', 0],
    ['npx data-import-sdk verify --follow', 0],
    ['npx data-import-sdk verify --follow --rps 20 --follow-every 3600', 0],
  ]);
});

test('docs/control-totals.md', { timeout: LONG_MS }, async () => {
  await typeCommand('npx data-import-sdk verify --extract-sample > operator.csv');
  expect(await type('docs/control-totals.md')).toEqual([
    ['npx data-import-sdk verify --extract operator.csv', 0],
    ['npx data-import-sdk verify --sandbox --extract-sample > operator.csv', 0],
    ['npx data-import-sdk verify --sandbox --extract operator.csv', 0],
    ['npx data-import-sdk profile input.jsonl', 0],
  ]);
});

test('docs/learn.md', { timeout: LONG_MS }, async () => {
  const client = new DataImportClient({
    ...{ baseUrl: server.url, token: real.token },
    fetch: recordCalls((line) => appendFileSync('recording.jsonl', line)),
  });
  await client.imports.all(SANDBOX_SUPPLIER);
  await client.close();
  expect(await type('docs/learn.md')).toEqual([['npx data-import-sdk learn recording.jsonl', 0]]);
});

test('docs/certify.md', { timeout: LONG_MS }, async () => {
  writeFileSync('migrate.mjs', readFileSync(join(root, 'test/support/careless-script.mjs')));
  expect(await type('docs/certify.md')).toEqual([
    ['npx data-import-sdk certify --only status-500 -- node migrate.mjs', 5],
    [
      'npx data-import-sdk certify --only refused:accounts.stage:2 --report certify.xml --report certify.html -- node migrate.mjs',
      5,
    ],
  ]);
  expect(readFileSync('certify.xml', 'utf8')).toContain('tests="2" failures="1"');
  expect(readFileSync('certify.html', 'utf8')).toContain('<h1>Not passed: 1 finding in 2 executions</h1>');
});

test('docs/commands.md', { timeout: LONG_MS }, async () => {
  const [, export_ = ''] =
    /`customers.csv`:\n\n```csv\n([\s\S]*?)```/.exec(textOf('docs/from-csv-to-production.md')) ?? [];
  writeFileSync('customers.csv', export_, 'latin1');
  rmSync('data-import-rehearsal', { recursive: true });
  expect(await type('docs/commands.md')).toEqual([
    ['npx data-import-sdk init customers.csv --supplier ACME --region FR', 0],
    ['npx data-import-sdk check customers.csv --map map.mjs', 3],
    ['npx data-import-sdk run customers.csv --map map.mjs --sandbox', 3],
  ]);
});

test('docs/sandbox.md', { timeout: LONG_MS }, async () => {
  writeFileSync('faults.json', JSON.stringify([{ match: { operation: 'accounts.stage' }, effect: { status: 503 } }]));
  const serving = { prints: 'http://127.0.0.1:', more: ' --port 0' };
  const lines = [
    'npx data-import-sdk sandbox',
    'npx data-import-sdk sandbox --port 0 --json',
    'npx data-import-sdk sandbox --file sandbox.jsonl',
    'npx data-import-sdk sandbox --preset strict --set processConcurrency=8 --faults faults.json --clock machine',
  ];
  expect(await type('docs/sandbox.md', { serving: Object.fromEntries(lines.map((line) => [line, serving])) })).toEqual(
    lines.map((line) => [line, 0]),
  );
});

const missing = ['jq', 'curl'].filter((program) => spawnSync(program, ['--version']).error !== undefined);
const monitoring = `docs/monitoring.md, with its script${missing.length > 0 ? `: skipped, this machine has no ${missing.join(', ')}` : ''}`;
test.skipIf(missing.length > 0)(monitoring, { timeout: LONG_MS }, async () => {
  mkdirSync('monitored/input', { recursive: true });
  process.chdir('monitored');
  writeFileSync('input/accounts.jsonl', `${JSON.stringify(RECORDS[2])}\n`);
  const script = blocksOf('bash').find(({ document }) => document === 'docs/monitoring.md');
  writeFileSync('notify.sh', script?.code ?? '', { mode: 0o755 });
  const chat = await listenForPosts();
  vi.stubEnv('CHAT_URL', chat.url);
  expect(await type('docs/monitoring.md', { exports: { DATA_IMPORT_NOTIFY_SECRET: 'whsec_c2VjcmV0' } })).toEqual([
    ['npx data-import-sdk run input/ --team EAST --notify-command ./notify.sh', 3],
  ]);
  expect(chat.posts).toEqual([{ text: `run.ended on ${hostname()}: exit code 3, 1 rejected` }]);
});

/** A chat on this machine, and the bodies of what is posted to it. */
async function listenForPosts(): Promise<{ url: string; posts: unknown[] }> {
  const posts: unknown[] = [];
  const chat = createServer(async (request, answer) => {
    posts.push(await json(request));
    answer.end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void chat.close());
  await once(chat, 'listening');
  return { url: `http://127.0.0.1:${(chat.address() as AddressInfo).port}`, posts };
}
