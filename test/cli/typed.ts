/** Runs commands as a user types them, in a new folder, with input files. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, vi } from 'vitest';
import { runProgram } from '../../src/cli/program.js';
import type { CommandContext, EndingSignal } from '../../src/cli/shared/command-context.js';
import { createSandbox, type SandboxOptions, type SandboxSnapshot } from '../../src/sandbox/index.js';
import { newFolder } from '../helpers/folder.js';
import { PATIENCE } from '../helpers/patience.js';
import { countAsOriginal } from '../support/change-ledger.js';
import { type ImportServiceOptions, startImportService } from '../support/import-service.js';

export const run = (...args: string[]) => runIn({}, ...args);

/** Runs a command in this context, for example with a user at the terminal. */
export async function runIn(context: Partial<CommandContext>, ...args: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runProgram(args, {
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
    ask: undefined,
    ...context,
  });
  return { code, out: out.join(''), err: err.join('') };
}

/** The end of a command with this code, which has printed this text among others. */
export const ended = (code: number, part: string) => ({ code, out: expect.stringContaining(part) });

/** The end of a command that was refused with a message in which this text is. */
export const refused = (part: string) => ({ code: 2, err: expect.stringContaining(part) });

/** The end of a command that was refused: this message is all that it has printed. */
export const refusal = (message: string) => ({ code: 2, out: '', err: `data-import-sdk: ${message}\n` });

/** Repeats `resolve` as it says, until the request cannot be running any more. */
export async function resolveWhenQuiet(...words: string[]) {
  let resolved = await run('resolve', ...words);
  await vi.waitUntil(async () => {
    if (!resolved.err.includes('the request may still be running')) return true;
    resolved = await run('resolve', ...words);
    return false;
  }, PATIENCE);
  return resolved;
}

/** A context in which the process gets the signal as soon as the first session has started. */
export function signalInSession(signal: EndingSignal): Pick<CommandContext, 'report'> {
  return {
    report({ event }) {
      if (event === 'session.started') queueMicrotask(() => process.emit(signal, signal));
    },
  };
}

/** A folder for the tests of a file. */
export function openFolder() {
  const folder = newFolder('cli-', afterAll);
  const at = (name: string) => join(folder, name);
  return {
    at,
    inputFile(name: string, ...records: unknown[]) {
      writeFileSync(at(name), records.map(line).join(''));
      return at(name);
    },
  };
}

/** The values of JSON Lines, as a command prints or writes them. */
export const valuesOf = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((one) => JSON.parse(one));

/** The values in a file of JSON Lines, such as rejected.jsonl. */
export const valuesIn = (path: string) => valuesOf(readFileSync(path, 'utf8'));

/** The value in a file of JSON. */
export const valueIn = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

export const line = (record: unknown) => `${JSON.stringify(record)}\n`;

export const account = (number: string, more: Record<string, unknown> = {}) => ({
  account: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: number, ...more },
});

/** A service whose address and token the commands of this test find in their environment. */
export async function openService(options: SandboxOptions = {}) {
  const sandbox = createSandbox(options);
  const server = await sandbox.listen();
  onTestFinished(() => server.close());
  nameService(server.url, sandbox.token, 'SANDBOX_TEAM');
  return sandbox;
}

/**
 * For tests that begin with the same run: `make` runs it once, before all of them. The result gives a test a copy of the folder, and names
 * a service with what that run left there in its environment.
 */
export function copiesOf(make: (folder: string) => Promise<unknown>) {
  const original = join(newFolder('cli-', afterAll), 'run');
  const sandbox = createSandbox();
  let url: string;
  let state: SandboxSnapshot;
  let copies = 0;
  beforeAll(async () => {
    const server = await sandbox.listen();
    url = server.url;
    stubService(url, sandbox.token, 'SANDBOX_TEAM');
    await make(original);
    await countAsOriginal(original);
    state = sandbox.snapshot();
    vi.unstubAllEnvs();
    return () => server.close();
  });
  return (folder: string) => {
    cpSync(original, folder, { recursive: true });
    const own = sandbox.isolated(`copy-${++copies}`);
    own.restore(state);
    nameService(url, own.token, 'SANDBOX_TEAM');
    return own;
  };
}

/**
 * A service without code of the sandbox, which the commands of this test find in their environment. The settings are there too:
 * `{ TIMEOUT: '1' }` is DATA_IMPORT_TIMEOUT=1.
 */
export async function openImportService(
  options: ImportServiceOptions = {},
  settings: Readonly<Record<string, string>> = {},
) {
  const service = await startImportService(options);
  onTestFinished(() => service.close());
  nameService(service.url, 'token', 'NORTH');
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(`DATA_IMPORT_${name}`, value);
  return service;
}

/** Names a service in the environment of the commands of this test. */
export function nameService(url: string, token: string, team: string): void {
  stubService(url, token, team);
  onTestFinished(() => void vi.unstubAllEnvs());
}

function stubService(url: string, token: string, team: string): void {
  vi.stubEnv('DATA_IMPORT_BASE_URL', url);
  vi.stubEnv('DATA_IMPORT_TOKEN', token);
  vi.stubEnv('DATA_IMPORT_TEAM', team);
}
