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
import { largeAccounts, smallAccounts, writeInputFile } from '../migration/books.js';
import { peakOf } from '../migration/peak.js';

const ROUNDS = 10;

interface Reading {
  isChecked: boolean;
  isHashed?: boolean;
  map?: RowMap;
}

export async function measure(sheet: Sheet<'input'>): Promise<void> {
  await inFolder((folder) => turns(sheet, folder));
  await inFolder((folder) => memory(sheet, folder));
}

async function turns(sheet: Sheet<'input'>, folder: string): Promise<void> {
  const lines = sheet.size(10_000, 50);
  const [inputFile, table] = [join(folder, 'input.jsonl'), join(folder, 'input.csv')];
  await writeInputFile(inputFile, largeAccounts(lines, sheet.seed));
  await pipeline(createReadStream(inputFile), createGzip(), createWriteStream(`${inputFile}.gz`));
  await writeInputFile(table, rows(lines));
  const reads = (path: string, reading: Reading) => () => reader(() => byInput(path, reading), lines);
  const held = await sheet.contest(
    `${lines} lines`,
    {
      'readline, check': () => reader(() => byReadline(inputFile, true), lines),
      'input, check': reads(inputFile, { isChecked: true }),
      'input with hashes, check': reads(inputFile, { isChecked: true, isHashed: true }),
      readline: () => reader(() => byReadline(inputFile, false), lines),
      input: reads(inputFile, { isChecked: false }),
      'input of gzip, check': reads(`${inputFile}.gz`, { isChecked: true }),
      'input of CSV, check': reads(table, { isChecked: true, map: mapRow }),
    },
    ROUNDS,
  );
  sheet.fill('checked', () => held.ratio('cpu', 'readline, check', 'input, check'));
  sheet.fill('hashed', () => held.ratio('cpu', 'readline, check', 'input with hashes, check'));
  sheet.fill('read', () => held.ratio('cpu', 'readline', 'input'));
  sheet.fill('gzip', () => held.ratio('cpu', 'input of gzip, check', 'input, check'));
  sheet.fill('csv', () => held.ratio('cpu', 'input of CSV, check', 'input, check'));
}

async function memory(sheet: Sheet<'input'>, folder: string): Promise<void> {
  const [few, many] = [sheet.size(100_000, 10), sheet.size(1_000_000, 100)];
  const inputFile = join(folder, 'many.jsonl');
  await writeInputFile(inputFile, smallAccounts(many));
  const peaks = await peakOf(inputFile, [few, many]);
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

async function byInput(path: string, { isChecked, isHashed = false, map }: Reading): Promise<number> {
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
