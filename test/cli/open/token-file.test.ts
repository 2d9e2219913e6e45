/** `--token-file`: another program may write a new token into the file while a command runs. */
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createSandbox } from '../../../src/sandbox/index.js';
import { account, ended, openFolder, run } from '../typed.js';

const { at, inputFile } = openFolder();
const accounts = (count: number) => Array.from({ length: count }, (_, index) => account(`A-${index + 1}`));

/** A service that accepts one token, and the tokens of the requests that it got. `onRequest`: called before each answer. */
async function open(onRequest: (count: number) => void = () => {}) {
  const sandbox = createSandbox();
  const state = { accepted: 'token-one', got: [] as string[] };
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { method = 'GET', url = '/', headers } = incoming;
    state.got.push(headers.authorization ?? '');
    onRequest(state.got.length);
    if (headers.authorization !== `Token ${state.accepted}`) {
      outgoing.writeHead(401, { 'content-type': 'application/json' }).end('{"detail":"Invalid token."}');
      return;
    }
    const body = method === 'POST' ? { body: Buffer.concat(chunks) } : {};
    const answer = await sandbox.fetch(`http://service.example.com${url}`, {
      ...{ method, ...body },
      headers: { authorization: `Token ${sandbox.token}`, 'content-type': 'application/json' },
    });
    outgoing.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  vi.stubEnv('DATA_IMPORT_BASE_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv('DATA_IMPORT_TEAM', 'SANDBOX_TEAM');
  onTestFinished(() => void vi.unstubAllEnvs());
  return { state, sandbox };
}

function tokenFile(name: string, token: string) {
  writeFileSync(at(name), token);
  return at(name);
}

test('a token that is rotated during a run is read after the first 401, and the run finishes', async () => {
  const file = tokenFile('rotated', 'token-one\n');
  const { state, sandbox } = await open((count) => {
    if (count !== 12) return;
    state.accepted = 'token-two';
    writeFileSync(file, 'token-two\n');
  });
  const path = inputFile('rotated.jsonl', ...accounts(20));
  expect(await run('run', path, '--run', at('rotated-run'), '--token-file', file, '--concurrency', '1')).toMatchObject(
    ended(0, '20 created'),
  );
  expect(state.got.lastIndexOf('Token token-one')).toBe(11);
  expect(sandbox.requests().filter(({ change }) => change === 'staged → imported')).toHaveLength(20);
});

test('a token that stays refused is sent twice, and the command ends with code 8', async () => {
  const { state } = await open();
  const file = tokenFile('refused', 'token-old');
  expect((await run('call', 'imports.all', 'SANDBOX_SUPPLIER', '--token-file', file)).code).toBe(8);
  expect(state.got).toEqual(['Token token-old', 'Token token-old']);
});

test.each<[what: string, lose: (file: string) => void, why: string]>([
  ['removed', (file) => rmSync(file, { force: true }), 'it cannot be read (ENOENT)'],
  ['empty', (file) => writeFileSync(file, ''), 'expected a token, found an empty string'],
])('a file that stays %s at that time is named, with the remedy: code 8', async (what, lose, why) => {
  const file = tokenFile(what, 'token-old');
  const { state } = await open(() => lose(file));
  expect(await run('call', 'imports.all', 'SANDBOX_SUPPLIER', '--token-file', file, '--timeout', '0.5')).toMatchObject({
    code: 8,
    err: `data-import-sdk: --token-file: ${file}: ${why}. Write a valid token into it, then repeat the command. [token-error]\n`,
  });
  expect(state.got).toEqual(['Token token-old']);
});

test('a file that is empty until the new token is written is awaited: no account is left over', async () => {
  const file = tokenFile('slow', 'token-one');
  const { state } = await open((count) => {
    if (count !== 12) return;
    state.accepted = 'token-two';
    writeFileSync(file, '');
    setTimeout(() => writeFileSync(file, 'token-two'), 250);
  });
  const path = inputFile('slow.jsonl', ...accounts(20));
  expect(await run('run', path, '--run', at('slow-run'), '--token-file', file, '--concurrency', '1')).toMatchObject(
    ended(0, '20 created'),
  );
});

test.each([
  ['', 'an empty string'],
  ['two words', 'a string with a space'],
])('a file with %j has no token: code 2, and nothing is sent', async (text, why) => {
  const { state } = await open();
  const file = tokenFile('none', text);
  const { code, err } = await run('call', 'imports.all', 'SANDBOX_SUPPLIER', '--token-file', file);
  expect([code, err]).toEqual([
    2,
    `data-import-sdk: --token-file: ${file}: expected a token of visible ASCII characters, found ${why}.\n`,
  ]);
  expect(state.got).toEqual([]);
});
