/** Line breaks and control characters in values of the service and of an input: they add no line to an output or a file of a run. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { runProgram } from '../../src/cli/program.js';
import { createSandbox } from '../../src/sandbox/index.js';
import { account, openFolder } from '../cli/typed.js';

const { at, inputFile } = openFolder();

/** What ends a line for a terminal or for some program, or moves the cursor to another line. */
const ENDS = ['\n', '\r', '\r\n', '\v', '\f', '\u001c', '\u0085', '\u2028', '\u2029', '\u001b[1A\u001b[2K'];
/** A value with each of them, and what the next line would then begin with. */
const FORGED = 'FORGED 5 created';
const HOSTILE = `S-1${ENDS.map((end) => end + FORGED).join('')}\u202e\u0000`;

/** Returns the lines that the value has added, and characters that control a terminal. */
function forgedIn(text: string): string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for.
  const lines = text.split(/\r\n|[\n\v\f\r\u001c-\u001e\u0085\u2028\u2029]/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for.
  return lines.filter((line) => line.startsWith(FORGED) || /[\u0000\u001b\u202e]/.test(line));
}

/** What a command writes to its streams, which are no terminal. */
async function type(...args: string[]): Promise<{ code: number; text: string }> {
  const written: string[] = [];
  const streams = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      written.push(String(text));
      return true;
    }),
  );
  try {
    const code = await runProgram(args, { ask: undefined });
    return { code, text: written.join('') };
  } finally {
    for (const stream of streams) stream.mockRestore();
  }
}

type Body = Record<string, unknown>;
type Answer = { status?: number; body: unknown };

/** The sandbox with other answers, by a part of the path. */
async function openService(answers: Record<string, (body: never, sent: Body) => Answer>) {
  const sandbox = createSandbox();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const sent = Buffer.concat(chunks).toString();
    const init = { method: request.method ?? 'GET', headers: request.headers as Record<string, string> };
    const own = await sandbox.fetch(
      new Request(`http://localhost${request.url}`, { ...init, ...(sent !== '' && { body: sent }) }),
    );
    const body = (await own.json()) as never;
    const other = Object.entries(answers).find(([part]) => request.url?.includes(part))?.[1];
    const answer: Answer = other?.(body, sent === '' ? {} : JSON.parse(sent)) ?? { body };
    response.writeHead(answer.status ?? own.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  vi.stubEnv('DATA_IMPORT_TOKEN', sandbox.token);
  vi.stubEnv('DATA_IMPORT_BASE_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv('DATA_IMPORT_TEAM', 'SANDBOX_TEAM');
  onTestFinished(() => void vi.unstubAllEnvs());
}

const refusal: Answer = {
  status: 400,
  body: {
    detail: HOSTILE,
    code: HOSTILE,
    errors: [{ detail: HOSTILE, code: HOSTILE, attr: `customers.0.${HOSTILE}` }],
  },
};
const TRANSACTION = {
  transaction_id: 'T',
  transaction_date: '2026-01-01',
  amount: 1,
  type: 'CHARGE',
  reason: 'IMPORTED_CHARGE',
};

const HOSTILE_SERVICE = {
  'process/process/': (_: never, sent: Body): Answer =>
    sent['external_account_number'] === 'A-2'
      ? refusal
      : { body: { service_account_number: `${HOSTILE}${sent['external_account_number']}` } },
  populate: () => ({ body: { batch_id: HOSTILE } }),
  'account-transfer-status': () => ({ body: { status: HOSTILE, service_account_number: HOSTILE } }),
  'all-account': () => ({
    body: [{ external_account_number: HOSTILE, service_account_number: HOSTILE, account_created_at: HOSTILE }],
  }),
  'notes/create': () => ({ body: [{ body: HOSTILE, status: HOSTILE, created_at: HOSTILE }] }),
  'transactions/create': () => ({
    status: 400,
    body: { status: 'TRANSACTION_IMPORT_ERROR', error_detail: HOSTILE, transaction_data: { transaction_id: HOSTILE } },
  }),
  'business/': () => ({ body: { service_business_id: HOSTILE, external_business_identifier: 'B-1' } }),
} satisfies Record<string, (body: never, sent: Body) => Answer>;

const ONCE = ['--in-flight-grace', '0', '--max-retries', '0'];

describe.each([
  ['of the service', HOSTILE_SERVICE, ''],
  ['of the input', {}, HOSTILE],
])('values %s', (_, service, added) => {
  test('add no line to what a command prints, logs and reports, nor to a file of the run', {
    timeout: 120_000,
    tags: 'long',
  }, async () => {
    await openService(service);
    const supplier = (name: string) => ({
      import_supplier_code: 'SANDBOX_SUPPLIER',
      external_business_identifier: name,
    });
    const path = inputFile(
      'input.jsonl',
      account(`A-1${added}`, { notes: [{ body: `a${added}` }] }),
      account(`A-2${added}`, { [`field${added}`]: added }),
      { ...account(`A-3${added}`), transactions: [{ ...TRANSACTION, transaction_id: `T${added}` }] },
      { business: { ...supplier(`B-1${added}`), business: { company_name: `X${added}`, business_contracts: [] } } },
      { populate: { prm_ids: ['12345678901234'], pce_ids: [], customer_category: `X${added}` } },
    );
    const folder = at(`run-${added.length}`);
    const told = at(`told-${added.length}.txt`);
    const run = ['--run', folder];
    const texts: Record<string, string> = {};
    for (const args of [
      ['check', path, '--show-personal-data'],
      ['plan', path],
      ['run', path, ...run, ...ONCE, '--log-format', 'json', '--notify-command', `cat >> ${told}`],
      ['run', path, ...run, ...ONCE, '--show-personal-data'],
      ['run', path, ...run, ...ONCE, '--json'],
      ['status', ...run],
      ['status', '--json', ...run],
      ['report', ...run],
      ['verify', ...run],
      ['verify', '--json', ...run],
      ['verify', '--extract-sample', ...run],
      ['resolve', ...run],
      ['resolve', '--json', ...run],
      ['retry', join(folder, 'rejected.jsonl'), ...run, ...ONCE],
      ['call', 'imports.all', 'SANDBOX_SUPPLIER'],
      ['call', 'imports.status', 'SANDBOX_SUPPLIER', 'A-1'],
    ]) {
      texts[args.join(' ')] = (await type(...args)).text;
    }
    texts['notifications'] = readFileSync(told, 'utf8');
    for (const name of ['audit.log', 'report.html', 'report.json', 'run.json']) {
      texts[name] = readFileSync(join(folder, name), 'utf8');
    }
    // Cells and lines of the input may have several lines.
    const ofInput = new Set([
      ...['rejected.jsonl', 'skipped.jsonl', 'incomplete.jsonl', 'changed.jsonl', 'not-in-input.jsonl', 'rejected.csv'],
      ...['ok.csv'],
    ]);
    for (const name of readdirSync(folder)) {
      const isText = /\.(?:jsonl|csv|json|log|html)$/.test(name) && statSync(join(folder, name)).isFile();
      if (isText && !(added !== '' && (ofInput.has(name) || /^(?:retried|edited)-/.test(name))))
        texts[name] = readFileSync(join(folder, name), 'utf8');
    }
    expect(Object.values(texts).join('')).toContain('FORGED');
    const found = Object.entries(texts).flatMap(([name, text]) => {
      const lines = forgedIn(text);
      return lines.length === 0
        ? []
        : [
            `${name}: ${JSON.stringify(lines[0]?.slice(0, 200))} after ${JSON.stringify(text.slice(0, text.indexOf(FORGED)).slice(-120))}`,
          ];
    });
    expect(found).toEqual([]);
  });
});
