/** Compares reading, parsing and checking an input with readline, `JSON.parse` and the same check; then reads 1,000,000 lines. */
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { validateAccount } from 'data-import-sdk';
import { openInput, type RowMap } from 'data-import-sdk/migration';
import type { Contestant } from '../frame/contest.js';
import { cpuUs, inFolder } from '../frame/figures.js';
import type { Sheet } from '../frame/sheet.js';
import { largeAccounts, smallAccounts, writeBook } from '../migration/books.js';
import { peakOf } from '../migration/peak.js';

const ROUNDS = 10;

interface Reading {
  isChecked: boolean;
  isHashed?: boolean;
  map?: RowMap;
}

export async function measure(sheet: Sheet<'book'>): Promise<void> {
  await inFolder((folder) => turns(sheet, folder));
  await inFolder((folder) => memory(sheet, folder));
}

async function turns(sheet: Sheet<'book'>, folder: string): Promise<void> {
  const lines = sheet.size(10_000, 50);
  const [book, table] = [join(folder, 'book.jsonl'), join(folder, 'book.csv')];
  await writeBook(book, largeAccounts(lines, sheet.seed));
  await pipeline(createReadStream(book), createGzip(), createWriteStream(`${book}.gz`));
  await writeBook(table, rows(lines));
  const reads = (path: string, reading: Reading) => () => reader(() => byBook(path, reading), lines);
  const held = await sheet.contest(
    `${lines} lines`,
    {
      'readline, check': () => reader(() => byReadline(book, true), lines),
      'book, check': reads(book, { isChecked: true }),
      'book with hashes, check': reads(book, { isChecked: true, isHashed: true }),
      readline: () => reader(() => byReadline(book, false), lines),
      book: reads(book, { isChecked: false }),
      'book of gzip, check': reads(`${book}.gz`, { isChecked: true }),
      'book of CSV, check': reads(table, { isChecked: true, map: mapRow }),
    },
    ROUNDS,
  );
  sheet.fill('checked', () => held.ratio('cpu', 'readline, check', 'book, check'));
  sheet.fill('hashed', () => held.ratio('cpu', 'readline, check', 'book with hashes, check'));
  sheet.fill('read', () => held.ratio('cpu', 'readline', 'book'));
  sheet.fill('gzip', () => held.ratio('cpu', 'book of gzip, check', 'book, check'));
  sheet.fill('csv', () => held.ratio('cpu', 'book of CSV, check', 'book, check'));
}

async function memory(sheet: Sheet<'book'>, folder: string): Promise<void> {
  const [few, many] = [sheet.size(100_000, 10), sheet.size(1_000_000, 100)];
  const book = join(folder, 'many.jsonl');
  await writeBook(book, smallAccounts(many));
  const peaks = await peakOf(book, [few, many]);
  sheet.fill('memory', () => ({ value: (peaks.get(many) ?? Number.NaN) / 1e6 }));
  sheet.fill('memory of few', () => ({ value: (peaks.get(few) ?? Number.NaN) / 1e6 }));
}

/** `cpu` in microseconds per line. */
function reader(read: () => Promise<number>, lines: number): Contestant {
  return {
    async turn() {
      const before = cpuUs();
      const found = await read();
      if (found !== lines) throw new Error(`found ${found} lines of ${lines}`);
      return { cpu: (cpuUs() - before) / lines };
    },
  };
}

async function byReadline(path: string, isChecked: boolean): Promise<number> {
  let lines = 0;
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    const { account } = JSON.parse(line);
    if (!isChecked || validateAccount(account, { warnings: false }).ok) lines++;
  }
  return lines;
}

async function byBook(path: string, { isChecked, isHashed = false, map }: Reading): Promise<number> {
  let lines = 0;
  for await (const item of await openInput([path], { map })) {
    if (isHashed && item.hash === '') continue;
    const read = item.read();
    if (!('record' in read) || !('account' in read.record)) continue;
    if (!isChecked || validateAccount(read.record.account, { warnings: false }).ok) lines++;
  }
  return lines;
}

function* rows(lines: number): Generator<string> {
  yield 'number;line;postcode;name;email';
  for (let index = 1; index <= lines; index++) {
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
