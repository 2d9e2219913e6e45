/** A migration script as a supplier would write it, with plain `fetch` and a journal, and the mistakes that such scripts are known to make. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Script, ScriptContext, ScriptEnd } from '../../src/certify/execute.js';
import { DataImportClient } from '../../src/index.js';
import { createMemoryLedger, migrateRecord } from '../../src/migration/index.js';

export type Mistake =
  | 'no intent'
  | 'blind retry of process'
  | 'retry of a business'
  | 'ignores 429'
  | 'swallows a 400'
  | 'resumes by line number'
  | 'reuses a dead token'
  | 'counts 500 as done'
  | 'loses the last batch'
  | 'prints the token'
  // Variants of these.
  | 'asks for the status too early'
  | 'takes PENDING without a number for no account'
  | 'gives a customer another number'
  | 'stops at the first failure for good'
  | 'takes a lost answer for success'
  | 'prints the customers'
  | 'repeats without a pause'
  | 'takes every 400 for already imported'
  | 'stages only the keys again'
  | 'dates a note when it is sent';

export type Body = Record<string, unknown>;
export type Line = { business?: Body; account?: Body } & Body;

/** Something is left: the script continues with the next record and ends with code 1. */
class LeftError extends Error {}

/** In place of a lock file: all starts are in this process. */
const locked = new Set<string>();

/** Returns the script, with one of the mistakes or none. `change`: what it does to each record before it sends it. */
export function scriptWith(mistake?: Mistake, change: (line: Line) => void = () => {}): Script {
  return async (context): Promise<ScriptEnd> => {
    if (locked.has(context.folder)) throw new Error('The script is running already.');
    locked.add(context.folder);
    const output: string[] = [];
    try {
      const left = await importAll(context, mistake, output, change);
      return { exitCode: left ? 1 : 0, output: output.join('\n') };
    } finally {
      locked.delete(context.folder);
    }
  };
}

async function importAll(
  context: ScriptContext,
  mistake: Mistake | undefined,
  output: string[],
  change: (line: Line) => void,
): Promise<boolean> {
  const { folder, inFlightGraceMs } = context;
  const journal = openJournal(join(folder, 'journal'));
  const client = openClient(context, mistake, output);
  const lines = readFileSync(context.input, 'utf8')
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text) as Line);
  for (const line of lines) change(line);
  const position = join(folder, 'position');
  const from =
    mistake === 'resumes by line number' && existsSync(position) ? Number(readFileSync(position, 'utf8')) : 0;
  const full = mistake === 'loses the last batch' ? lines.length - (lines.length % 2) : lines.length;
  let isLeft = false;

  /** Sends a request that must not be repeated: its intent is stored before. */
  const sendOnce = async (key: string, path: string, body: Body) => {
    if (journal.has(`done ${key}`)) return;
    if (mistake !== 'no intent' && journal.has(`sent ${key}`)) throw new LeftError(`${key} is unknown`);
    journal.add(`sent ${key}`);
    await client.send(path, body);
    journal.add(`done ${key}`);
  };
  const quiet = async (key: string) => {
    if (journal.has(`sent ${key}`)) await pause(inFlightGraceMs);
    journal.add(`sent ${key}`);
  };

  const importAccount = async ({ account = {}, notes, transactions, statements, payment_instruction }: Line) => {
    const { external_account_number: number, import_supplier } = account as Record<string, string>;
    const owner = { import_supplier, external_account_number: number };
    if (!journal.has(`done process ${number}`)) await create(number ?? '', account);
    for (const [name, path, items] of [
      ['notes', 'notes/create/', notes],
      ['transactions', 'transactions/create/', transactions],
    ] as const) {
      if (items === undefined || journal.has(`done ${name} ${number}`)) continue;
      await quiet(`${name} ${number}`);
      const isDated = name === 'notes' && mistake === 'dates a note when it is sent';
      const sent = (items as Body[]).map((item) =>
        isDated ? { created_at: new Date().toISOString(), ...item } : item,
      );
      await client.send(path, { ...owner, [name]: sent });
      journal.add(`done ${name} ${number}`);
    }
    if (statements !== undefined)
      await sendOnce(`statements ${number}`, 'historical-statements/create/', { ...owner, statements });
    if (payment_instruction !== undefined) {
      await sendOnce(`instruction ${number}`, 'payment-instruction/create/', {
        ...owner,
        ...(payment_instruction as Body),
      });
    }
    journal.add(`done record ${number}`);
  };

  const create = async (number: string, account: Body) => {
    const supplier = String(account['import_supplier']);
    const isRepeated = journal.has(`sent process ${number}`);
    const isNumberAsked = mistake === 'takes PENDING without a number for no account';
    const isEarly = isNumberAsked || mistake === 'asks for the status too early';
    if (isRepeated && !isEarly) await pause(inFlightGraceMs);
    let used = number;
    if (isRepeated) {
      let { status, service_account_number } = await client.ask(supplier, number);
      if (isNumberAsked && status === 'UNKNOWN') {
        await pause(inFlightGraceMs);
        ({ status, service_account_number } = await client.ask(supplier, number));
      }
      const isFinished = status !== 'UNKNOWN' && service_account_number !== '';
      if (isFinished) return void journal.add(`done process ${number}`);
      if (status !== 'UNKNOWN' && !isNumberAsked) throw new LeftError(`${number} is not finished`);
      if (mistake === 'gives a customer another number') used = `${number}-2`;
    }
    const isKeysOnly = isRepeated && mistake === 'stages only the keys again';
    const staged = { ...(isKeysOnly ? { import_supplier: supplier } : account), external_account_number: used };
    await client.send('account-import-process/create-or-update/', staged);
    const process = {
      external_account_number: used,
      import_supplier_code: supplier,
      operations_team_name: context.team,
    };
    journal.add(`sent process ${number}`);
    await client.send('account-import-process/process/', process);
    journal.add(`done process ${number}`);
  };

  for (const [index, line] of lines.entries()) {
    if (index < from || index >= full || context.signal.aborted) continue;
    if (mistake === 'resumes by line number') writeFileSync(position, String(index + 1));
    const name = String(line.account?.['external_account_number'] ?? line.business?.['external_business_identifier']);
    if (journal.has(`done record ${name}`) || journal.has(`refused ${name}`)) continue;
    try {
      if (line.business === undefined) await importAccount(line);
      else await sendOnce(`business ${name}`, 'business/', line.business);
    } catch (error) {
      if (context.signal.aborted) return true;
      if (!(error instanceof LeftError)) throw error;
      isLeft = true;
      if (mistake === 'stops at the first failure for good') throw error;
      if (mistake === 'swallows a 400' && error.message.includes('400')) {
        journal.add(`refused ${name}`);
        isLeft = false;
      } else output.push(`${name}: ${error.message}`);
      if (error.message.includes('401')) return true;
    }
  }
  return isLeft;
}

function openClient(
  { baseUrl, token, folder, timeoutMs, signal }: ScriptContext,
  mistake: Mistake | undefined,
  output: string[],
) {
  const stored = join(folder, 'token');
  if (mistake === 'reuses a dead token' && !existsSync(stored)) writeFileSync(stored, token);
  const used = mistake === 'reuses a dead token' ? readFileSync(stored, 'utf8') : token;
  if (mistake === 'prints the token') output.push(`Authorization: Token ${token}`);

  const request = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const headers = { Authorization: `Token ${used}`, 'Content-Type': 'application/json' };
    return fetch(`${baseUrl}/v1/data-import/${path}`, { ...init, headers, signal: limit });
  };
  const send = async (path: string, body: Body, tries = 0): Promise<void> => {
    if (mistake === 'prints the customers') output.push(JSON.stringify(body));
    const isRetried =
      (mistake === 'blind retry of process' && path.endsWith('/process/')) ||
      (mistake === 'retry of a business' && path === 'business/');
    let answer: Response;
    let text: string;
    try {
      answer = await request(path, { method: 'POST', body: JSON.stringify(body) });
      text = await answer.text();
      if (answer.ok) JSON.parse(text);
    } catch {
      if (mistake === 'takes a lost answer for success' && !signal.aborted) return;
      if (isRetried && tries < 3) return send(path, body, tries + 1);
      throw new LeftError('no answer');
    }
    if (answer.ok) return;
    if (answer.status === 429) {
      const seconds = mistake === 'ignores 429' ? 0 : Number(answer.headers.get('retry-after') ?? 0.2);
      await pause(seconds * 1000);
      return send(path, body, tries);
    }
    if (answer.status >= 500 && mistake === 'counts 500 as done') return;
    if (answer.status >= 500 && mistake === 'repeats without a pause') return send(path, body, tries);
    if (answer.status === 400 && mistake === 'takes every 400 for already imported') return;
    // Of another start, or of a request whose answer was lost.
    if (answer.status === 400 && text.includes('account_already_imported')) return;
    throw new LeftError(`refused with ${answer.status}`);
  };
  return {
    send,
    async ask(supplier: string, number: string): Promise<{ status: string; service_account_number: string }> {
      const answer = await request(`account-transfer-status/${supplier}/${number}/`).catch(() => undefined);
      if (!answer?.ok) throw new LeftError(`no status (${answer?.status})`);
      return (await answer.json()) as { status: string; service_account_number: string };
    },
  };
}

/** Lines of a file, each written before the next step. */
function openJournal(path: string) {
  const lines = new Set(existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []);
  return {
    has: (line: string) => lines.has(line),
    add(line: string) {
      lines.add(line);
      appendFileSync(path, `${line}\n`);
    },
  };
}

/** A worker of a queue that hands each record to `migrateRecord`, with one ledger for each import. */
export function recordByRecord(): Script {
  const ledgers = new Map<string, ReturnType<typeof createMemoryLedger>>();
  return async ({ baseUrl, token, team, folder, signal, inFlightGraceMs, timeoutMs, input: path }) => {
    const ledger = ledgers.get(folder) ?? createMemoryLedger();
    ledgers.set(folder, ledger);
    const client = new DataImportClient({ baseUrl, token, timeoutMs, advanced: { inFlightGraceMs } });
    try {
      const left: string[] = [];
      for (const line of readFileSync(path, 'utf8').trim().split('\n')) {
        const { state, record } = await migrateRecord(JSON.parse(line), { client, ledger, team, signal });
        const isCreated = record.outcome === 'created' || record.outcome === 'alreadyImported';
        const items = Object.values(record.items).flat();
        const isComplete = items.every(({ status }) => status === 'sent' || status === 'existed');
        if (state === 'waiting' || !isCreated || !isComplete)
          left.push(`${record.number} is ${record.outcome ?? 'waiting'}`);
        if (signal.aborted) return undefined;
      }
      if (left.length > 0) throw new Error(left.join(', '));
    } finally {
      await client.close();
    }
    return undefined;
  };
}
