/**
 * README's sequence on the command line (check, plan, rehearse, run, verify), exactly as printed: the commands are taken
 * from README.md. The rehearsal has its own service, and "the real one" is a second service on another port.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createSandbox } from '../../src/sandbox/index.js';
import { blocksOf } from '../documents/documents.js';
import { typeCommand } from '../support/type-command.js';

const REHEARSAL = [
  'npx data-import-sdk sample --accounts 1000 > input.jsonl',
  'npx data-import-sdk check input.jsonl',
  'npx data-import-sdk plan input.jsonl --rps 20',
  'npx data-import-sdk run input.jsonl --sandbox',
  'npx data-import-sdk verify --sandbox',
];
const MIGRATION = [
  'export DATA_IMPORT_BASE_URL=https://api.example.com DATA_IMPORT_TOKEN=…',
  'npx data-import-sdk doctor input.jsonl',
  'npx data-import-sdk run input.jsonl --team EAST --canary 100',
  'npx data-import-sdk verify',
];

/** The lines of the README's block that has this one, without comments. */
function printed(oneOfThem: string): string[] {
  const lines = blocksOf('sh').flatMap(({ document, code }) =>
    document === 'README.md' ? [code.split('\n').map((text) => text.replace(/\s+#.*$/, ''))] : [],
  );
  const block = lines.find((texts) => texts.includes(oneOfThem)) ?? [];
  return block.filter((text) => text !== '');
}

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

/** Two thousand accounts, on a busy machine. */
const LONG_MS = 120_000;

const LIST = 'GET /v1/data-import/all-account-import-processes/SANDBOX_SUPPLIER/';

describe("README's sequence, exactly as printed, against two services", () => {
  const folder = mkdtempSync(join(tmpdir(), 'readme-'));
  const before = process.cwd();
  const real = createSandbox({ teams: ['EAST'], logLimit: 20_000 });
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

  test('prints these commands', () => {
    expect(printed('npx data-import-sdk check input.jsonl')).toEqual(REHEARSAL);
    expect(printed('npx data-import-sdk verify')).toEqual(MIGRATION);
  });

  test(
    'rehearses into a separate service: the real one gets no request',
    async () => {
      const ended = [];
      for (const line of printed('npx data-import-sdk check input.jsonl')) ended.push(await typeCommand(line));
      // The sample has mistakes on purpose.
      expect(ended.map(({ code }) => code)).toEqual([0, 3, 3, 3, 0]);
      expect(ended.map(({ asked }) => asked)).toEqual([[], [], [], [], []]);
      expect(ended[3]?.out.split('\n')[0]).toBe('Target: Rehearsal (sandbox). Nothing was sent to a service.');
      expect(real.requests()).toEqual([]);
      // One for the run, one for verify: each command has its own sandbox on its own port.
      const services = [...sent.values()];
      expect(services).toHaveLength(2);
      rehearsed = createdIn('data-import-rehearsal');
      // Of the thousand accounts, those without a mistake and without a business that has one.
      expect(rehearsed.length).toBeGreaterThan(900);
      expect(services[1]).toEqual([LIST]);
      sent.clear();
    },
    LONG_MS,
  );

  test(
    'then runs into the real service: every account that the rehearsal created is created there, once',
    async () => {
      const [settings = '', ...commands] = printed('npx data-import-sdk verify');
      expect(settings).toBe(MIGRATION[0]);
      vi.stubEnv('DATA_IMPORT_BASE_URL', server.url);
      vi.stubEnv('DATA_IMPORT_TOKEN', real.token);
      const doctor = await typeCommand(commands[0] ?? '');
      expect({ code: doctor.code, asked: doctor.asked }).toEqual({ code: 0, asked: [] });
      expect(doctor.out).toContain('address   ok ');
      const [run, verify] = [await typeCommand(commands[1] ?? ''), await typeCommand(commands[2] ?? '')];
      expect(run.asked).toEqual(['Continue with the whole input? [y/N] ']);
      expect(run.code).toBe(3);
      expect(run.out.split('\n')[0]).toBe(`Target: ${new URL(server.url).host}`);
      expect(verify.code).toBe(0);

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
});
