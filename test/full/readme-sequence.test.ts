/**
 * README's migration in six commands, exactly as printed: the commands and lines of their output are taken from README.md. The
 * rehearsal has its own service, and "the real one" is a second service on another port.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createSandbox } from '../../src/sandbox/index.js';
import { blocksOf, textOf } from '../documents/documents.js';
import { type Typed, typeCommand } from '../support/type-command.js';

const COMMANDS = [
  'npx data-import-sdk sample --accounts 200 > input.jsonl',
  'npx data-import-sdk check input.jsonl',
  'npx data-import-sdk run input.jsonl --sandbox',
  'export DATA_IMPORT_BASE_URL=http://127.0.0.1:4010 DATA_IMPORT_TOKEN=sandbox-token',
  'npx data-import-sdk doctor input.jsonl',
  'npx data-import-sdk run input.jsonl --team EAST --canary 20',
  'npx data-import-sdk verify',
];

const readme = textOf('README.md');

/** The lines of the README's block that has these commands, without comments. */
const printed = blocksOf('sh')
  .filter(({ document }) => document === 'README.md')
  .map(({ code }) => code.split('\n').map((text) => text.replace(/\s+#.*$/, '')))
  .find((lines) => lines.includes('npx data-import-sdk verify'))
  ?.filter((text) => text !== '');

/** The lines that the README shows of their output. */
const [, shown = ''] = /```text\n([\s\S]*?)```/.exec(readme) ?? [];

/** The accounts in a run folder's list of what was created. */
function createdIn(folder: string): string[] {
  const rows = readFileSync(join(folder, 'ok.csv'), 'utf8').trim().split('\n');
  const cells = rows.map((row) => row.split(';'));
  return cells.flatMap(([number = '', , kind, , outcome]) =>
    kind === 'account' && outcome === 'created' ? [number] : [],
  );
}

/** Requests that left this process, by the origin that they went to. */
const sent = new Map<string, string[]>();
const onRequest = (message: unknown) => {
  const { request } = message as { request: { origin: unknown; method: string; path: string } };
  const origin = String(request.origin);
  sent.set(origin, [...(sent.get(origin) ?? []), `${request.method} ${request.path}`]);
};

/** Four hundred accounts, on a busy machine. */
const LONG_MS = 60_000;

const LIST = 'GET /v1/data-import/all-account-import-processes/SANDBOX_SUPPLIER/';

test('the README has at most 1,400 words', () => {
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(1400);
});

describe("README's sequence, exactly as printed, against two services", () => {
  const folder = mkdtempSync(join(tmpdir(), 'readme-'));
  const before = process.cwd();
  const real = createSandbox({ teams: ['EAST'], logLimit: 20_000 });
  let output = '';
  let rehearsed: string[] = [];
  let server: Awaited<ReturnType<typeof real.listen>>;
  beforeAll(async () => {
    server = await real.listen();
    subscribe('undici:request:create', onRequest);
    process.chdir(folder);
  });
  afterAll(async () => {
    process.chdir(before);
    unsubscribe('undici:request:create', onRequest);
    vi.unstubAllEnvs();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function type(...indexes: number[]): Promise<Typed[]> {
    const ended: Typed[] = [];
    for (const index of indexes) ended.push(await typeCommand(printed?.[index] ?? ''));
    output += ended.map(({ out }) => out).join('');
    return ended;
  }

  test('prints these commands', () => {
    expect(printed).toEqual(COMMANDS);
  });

  test(
    'rehearses into a separate service: the real one gets no request',
    async () => {
      const ended = await type(0, 1, 2);
      // The sample has mistakes on purpose.
      expect(ended.map(({ code }) => code)).toEqual([0, 3, 3]);
      expect(ended.map(({ asked }) => asked)).toEqual([[], [], []]);
      expect(real.requests()).toEqual([]);
      expect(sent.size).toBe(1);
      rehearsed = createdIn('data-import-rehearsal');
      // Of the two hundred accounts, those without a mistake and without a business that has one.
      expect(rehearsed.length).toBeGreaterThan(180);
      sent.clear();
    },
    LONG_MS,
  );

  test(
    'then runs into the real service: every account that the rehearsal created is created there, once',
    async () => {
      vi.stubEnv('DATA_IMPORT_BASE_URL', server.url);
      vi.stubEnv('DATA_IMPORT_TOKEN', real.token);
      const [doctor, run, verify] = await type(4, 5, 6);
      expect({ code: doctor?.code, asked: doctor?.asked }).toEqual({ code: 0, asked: [] });
      expect(run?.asked).toEqual(['Continue with the whole input? [y/N] ']);
      expect(run?.code).toBe(3);
      expect(verify?.code).toBe(0);

      const created = real.requests().filter(({ change }) => change === 'staged → imported');
      expect(created.map(({ account }) => account).sort()).toEqual(rehearsed.sort());
      expect(createdIn('data-import-run').sort()).toEqual(rehearsed);
      expect([...sent.keys()]).toEqual([server.url]);
      // The first account was dry-run before it was processed.
      const processed = real.requests().filter(({ operation }) => operation === 'accounts.process');
      expect(processed).toHaveLength(rehearsed.length + 1);
      expect(sent.get(server.url)?.at(-1)).toBe(LIST);
    },
    LONG_MS,
  );

  test('prints the lines that the README shows, in their order', () => {
    let rest = output.replaceAll(new URL(server.url).host, '127.0.0.1:4010');
    const lines = shown.split('\n').filter((line) => line !== '');
    expect(lines.length).toBeGreaterThan(7);
    for (const line of lines) {
      expect(rest).toContain(line);
      rest = rest.slice(rest.indexOf(line) + line.length);
    }
  });
});
