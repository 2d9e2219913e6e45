/**
 * Reading a book, parsing and checking every record, over readline, JSON.parse and the same check; then a million lines
 * for memory. Rounds are interleaved; the ratio of the medians counts, by CPU of the process.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { validateAccount } from 'data-import-sdk';
import { openBook, type RowMap } from 'data-import-sdk/migration';
import { largeAccounts, smallAccounts, writeBook } from './books.js';
import { cpuUs, inFolder, median, mib } from './figures.js';

const LINES = 20_000;
const ROUNDS = 7;
const MANY = 1_000_000;
const MARKS = [10_000, 100_000, MANY];

type Reading = () => Promise<number>;

export async function measure([book]: readonly string[]): Promise<void> {
  if (book !== undefined) return readAll(book);
  await inFolder(async (folder) => {
    const book = join(folder, 'book.jsonl');
    await writeBook(book, largeAccounts(LINES));
    await pipeline(createReadStream(book), createGzip(), createWriteStream(`${book}.gz`));
    const table = join(folder, 'book.csv');
    await writeBook(table, rows());
    const readings: Record<string, Reading> = {
      'readline, JSON.parse, check': () => byReadline(book, true),
      'book, read, check': () => byBook(book, true),
      'book with hashes, read, check': () => byBook(book, true, true),
      'readline, JSON.parse': () => byReadline(book, false),
      'book, read': () => byBook(book, false),
      'book of gzip, read, check': () => byBook(`${book}.gz`, true),
      'book of CSV, read, check': () => byBook(table, true, false, mapRow),
    };
    const costs = await interleaved(readings);
    for (const [name, cost] of costs) console.log(`${name}: ${cost.toFixed(1)} us a line`);
    const ratio = (one: string, other: string) => ((costs.get(one) ?? 0) / (costs.get(other) ?? 0)).toFixed(2);
    console.log(`ratio with the check: ${ratio('readline, JSON.parse, check', 'book, read, check')}`);
    console.log(`ratio without it: ${ratio('readline, JSON.parse', 'book, read')}`);
  });
  await inFolder(memoryOfMany);
}

async function interleaved(readings: Record<string, Reading>): Promise<Map<string, number>> {
  const costs = new Map<string, number[]>();
  for (let round = -1; round < ROUNDS; round++) {
    for (const [name, read] of Object.entries(readings)) {
      const before = cpuUs();
      const lines = await read();
      if (lines !== LINES) throw new Error(`bench: ${name} found ${lines} lines of ${LINES}.`);
      if (round >= 0) costs.set(name, [...(costs.get(name) ?? []), (cpuUs() - before) / LINES]);
    }
  }
  return new Map([...costs].map(([name, values]) => [name, median(values)]));
}

async function byReadline(path: string, isChecked: boolean): Promise<number> {
  let lines = 0;
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    const { account } = JSON.parse(line);
    if (!isChecked || validateAccount(account, { advice: false }).ok) lines++;
  }
  return lines;
}

async function byBook(path: string, isChecked: boolean, isHashed = false, map?: RowMap): Promise<number> {
  let lines = 0;
  for await (const item of await openBook([path], { map })) {
    if (isHashed && item.hash === '') continue;
    const read = item.read();
    if (!('record' in read) || !('account' in read.record)) continue;
    if (!isChecked || validateAccount(read.record.account, { advice: false }).ok) lines++;
  }
  return lines;
}

/** In a process of its own: `source <book>`. */
async function readAll(book: string): Promise<void> {
  let read = 0;
  for await (const item of await openBook([book])) {
    item.read();
    if (!MARKS.includes(++read)) continue;
    console.log(`${read} lines: peak resident ${mib(process.resourceUsage().maxRSS * 1024)}`);
  }
}

async function memoryOfMany(folder: string): Promise<void> {
  const book = join(folder, 'many.jsonl');
  await writeBook(book, smallAccounts(MANY));
  const child = fork(process.argv[1] ?? '', ['source', book]);
  await once(child, 'exit');
}

function* rows(): Generator<string> {
  yield 'number;line;postcode;name;email';
  for (let index = 1; index <= LINES; index++) {
    const number = `A-${String(index).padStart(7, '0')}`;
    yield `${number};${(index % 99) + 1} rue des Essais;99101;Arbois;customer.${index}@example.com`;
  }
}

const mapRow: RowMap = ({ number = '', line = '', postcode = '', name = '', email = '' }) => ({
  account: {
    external_account_number: number,
    import_supplier: 'SUPPLIER',
    billing_address1: line,
    billing_postcode: postcode,
    customers: [{ family_name: name, email }],
  },
});
