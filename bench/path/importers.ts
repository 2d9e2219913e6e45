/** Importers to compare: each reads lines of a file, then stages and processes their accounts. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { type Account, DataImportClient, type ProcessRequest } from 'data-import-sdk';
import { openInput } from 'data-import-sdk/migration';
import { accountSchema } from 'data-import-sdk/schemas';
import pLimit from 'p-limit';
import pRetry from 'p-retry';
import { Pool } from 'undici';
import { HEADERS, IN_FLIGHT, PATH, PROCESS_PATH, TEAM, TOKEN } from '../wire/accounts.js';
import type { Peer } from '../wire/peer.js';
import { linesOf } from './lines.js';

export interface Where {
  inputFile: string;
  origin: string;
}

/** With the client and its defaults, including the local check of each account. */
export async function byClient({ inputFile, origin }: Where): Promise<void> {
  const client = new DataImportClient({ baseUrl: origin, token: TOKEN, concurrency: IN_FLIGHT });
  const items = (await openInput([inputFile]))[Symbol.asyncIterator]();
  await atOnce(async () => {
    const { value: item, done } = await items.next();
    if (done) return false;
    const read = item.read();
    if (!('record' in read && 'account' in read.record)) throw new Error(`line ${item.line} holds no account`);
    const { account } = read.record;
    await client.accounts.stage(account);
    await client.accounts.process(processingOf(account));
    return true;
  });
  await client.close();
}

/** The smallest possible loop: lines cut from chunks, undici, no retries, no deadlines; with or without the schema's check. */
export async function byHand({ inputFile, origin }: Where, isChecked: boolean): Promise<void> {
  const pool = new Pool(origin, { connections: IN_FLIGHT });
  const lines = linesOf(inputFile);
  await atOnce(async () => {
    const line = await lines.next();
    if (line === undefined) return false;
    const { account }: { account: Account } = JSON.parse(line);
    if (isChecked && !accountSchema.safeParse(account).success) throw new Error('an account was refused');
    await posted(pool, PATH, account);
    await posted(pool, PROCESS_PATH, processingOf(account));
    return true;
  });
  await pool.close();
}

/** A common combination: readline, the schema's check, p-limit, p-retry, and fetch with a timeout. */
export async function byIdiom({ inputFile, origin }: Where): Promise<void> {
  await byReadline(inputFile, async (account) => {
    await fetched(`${origin}${PATH}`, account);
    await fetched(`${origin}${PROCESS_PATH}`, processingOf(account));
  });
}

/** The same with a generated SDK instead of p-retry and fetch. */
export async function byPeer({ inputFile }: Where, { stage, process }: Peer): Promise<void> {
  await byReadline(inputFile, async (account) => {
    await stage(account);
    await process?.(processingOf(account));
  });
}

async function byReadline(inputFile: string, send: (account: Account) => Promise<void>): Promise<void> {
  const limit = pLimit(IN_FLIGHT);
  const sent: Promise<void>[] = [];
  for await (const line of createInterface({
    input: createReadStream(inputFile),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    sent.push(
      limit(async () => {
        const { account }: { account: Account } = JSON.parse(line);
        accountSchema.parse(account);
        await send(account);
      }),
    );
  }
  await Promise.all(sent);
}

/** Repeats `step` concurrently until it returns false. */
async function atOnce(step: () => Promise<boolean>): Promise<void> {
  const worker = async () => {
    while (await step());
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
}

async function posted(pool: Pool, path: string, payload: object): Promise<unknown> {
  const answer = await pool.request({ method: 'POST', path, headers: HEADERS, body: JSON.stringify(payload) });
  if (answer.statusCode !== 201) throw new Error(`${path} was answered ${answer.statusCode}`);
  return answer.body.json();
}

function fetched(url: string, payload: object): Promise<unknown> {
  return pRetry(
    async () => {
      const signal = AbortSignal.timeout(60_000);
      const response = await fetch(url, { method: 'POST', headers: HEADERS, body: JSON.stringify(payload), signal });
      if (!response.ok) throw new Error(`${url} was answered ${response.status}`);
      return response.json();
    },
    { retries: 3 },
  );
}

function processingOf({ import_supplier, external_account_number }: Account): ProcessRequest {
  return { import_supplier_code: import_supplier, external_account_number, operations_team_name: TEAM };
}
