/**
 * 200 ugly CSV files: encodings, delimiters, quoting, line ends and damages in any combination. Each ends in the records that were
 * written, or in an error that names its file and its line.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readCsv } from 'data-import-sdk/mapping';
import { openInput } from 'data-import-sdk/migration';
import iconv from 'iconv-lite';
import { expect, test } from 'vitest';
import { newFolder } from '../helpers/folder.js';
import { seed } from '../helpers/seed.js';

const FILES = 200;

/** A row of the file as it is written, and how it is read: its fields, or an error by its code. */
interface Written {
  text: string;
  /** undefined for a row that is skipped. */
  read: readonly string[] | string | undefined;
}

interface UglyFile {
  /** What is ugly, for the message of a failure. */
  what: string;
  content: Buffer;
  encoding: string | undefined;
  format: { delimiter?: string; skipLines?: number; quote?: string };
  /** `7 A-3|é|` for a row, `9 invalid_csv` for an error, by the line on which the row begins. */
  expected: string[];
}

/** A small generator of random numbers (mulberry32), so that a file can be made again from seed and position. */
function randomOf(start: number) {
  let state = start >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (most: number) => Math.floor(next() * most);
  return {
    below,
    isOneOf: (many: number) => below(many) === 0,
    pick: <One>(list: readonly One[]): One => list[below(list.length)] as One,
  };
}

/** Encodings with letters that they have; a mark stands before the text. */
const ENCODINGS = [
  { name: 'utf-8', given: undefined, mark: '', letters: ['é', 'Ü', '€', 'ł', 'я'] },
  { name: 'utf-8', given: undefined, mark: '\ufeff', letters: ['é', 'Ü', '€', 'ł', 'я'] },
  { name: 'utf-16le', given: undefined, mark: '\ufeff', letters: ['é', 'ł', 'я'] },
  { name: 'utf-16be', given: undefined, mark: '\ufeff', letters: ['é', 'ł', 'я'] },
  { name: 'utf-16le', given: 'utf-16le', mark: '', letters: ['é', 'ł'] },
  { name: 'windows-1252', given: 'windows-1252', mark: '', letters: ['é', 'Ü', '€', 'ñ'] },
  { name: 'iso-8859-15', given: 'iso-8859-15', mark: '', letters: ['é', 'Ü', '€', 'ß'] },
  { name: 'windows-1250', given: 'windows-1250', mark: '', letters: ['ł', 'é', 'č'] },
  { name: 'windows-1251', given: 'windows-1251', mark: '', letters: ['я', 'ж'] },
  { name: 'cp850', given: 'cp850', mark: '', letters: ['é', 'ü', 'ß'] },
  { name: 'macintosh', given: 'macintosh', mark: '', letters: ['é', 'ü', 'ç'] },
] as const;

const IS_ERROR = /^\d+ invalid_\w+$/;

const HEADER = ['number', 'name', 'street'];

function uglyFile(position: number): UglyFile {
  const { below, isOneOf, pick } = randomOf(Math.imul(seed, 0x9e3779b1) + position);
  const encoding = pick(ENCODINGS);
  const delimiter = pick([';', ',', '\t', '|', '~']);
  const quoting = pick(['where needed', 'everywhere', 'apostrophes', 'none']);
  const quote = quoting === 'apostrophes' ? "'" : quoting === 'none' ? '' : '"';
  const ends = pick([['\n'], ['\r\n'], ['\n', '\r\n'], ['\r']]);
  const hasDelimiterAtEnd = isOneOf(4);
  const linesAbove = isOneOf(4) ? 1 + below(3) : 0;
  const what = [encoding.name, encoding.mark && 'mark', JSON.stringify(delimiter), quoting, JSON.stringify(ends)];
  const damages: string[] = [];
  // The quote that ends a later cell, or begins it, could close one that an earlier row leaves open: by the rules of CSV that is one cell.
  const hasOpenQuote = quote !== '' && isOneOf(5);
  /** The first accent comes after the bytes by which a file is identified, and no encoding or another one is named. */
  const late = !isOneOf(6)
    ? undefined
    : { 'utf-8': 'windows-1252', 'windows-1252': undefined }[encoding.name as 'utf-8'];
  const isLate = encoding.mark === '' && (late !== undefined || (encoding.name === 'windows-1252' && isOneOf(4)));
  const letters = isLate ? ['e'] : encoding.letters;

  const cell = (): string => {
    const parts = Array.from({ length: below(5) }, () =>
      pick([
        'a',
        'Bo',
        '12.5',
        ' ',
        ...letters,
        ...(quote === '' ? [] : ['12,5', delimiter, '\n', hasOpenQuote ? '-' : quote]),
      ]),
    );
    const text = parts.join('').trim();
    // A quote within a field that is not quoted is text, and one at its beginning is not.
    return text.startsWith('=') ? `x${text}` : text;
  };
  const written = (text: string): string => {
    const needs = quote !== '' && [delimiter, '\n', quote].some((sign) => text.includes(sign));
    const isQuoted = quoting === 'everywhere' || needs || (quote !== '' && text !== '' && isOneOf(4));
    return isQuoted ? `${quote}${text.replaceAll(quote, quote + quote)}${quote}` : text;
  };
  const rowOf = (fields: readonly string[]): Written => ({
    text: fields.map(written).join(delimiter) + (hasDelimiterAtEnd ? delimiter : ''),
    read: fields,
  });
  const plain = (fields: readonly string[]) => fields.join(delimiter) + (hasDelimiterAtEnd ? delimiter : '');
  const header: Written = { text: plain(HEADER), read: undefined };

  const rows: Written[] = [];
  for (let index = 0; index < 12 + below(20); index++) rows.push(rowOf([`A-${index}`, cell(), cell()]));
  const insert = (name: string, row: Written) => {
    damages.push(name);
    rows.splice(2 + below(rows.length - 2), 0, row);
  };
  if (isOneOf(3))
    insert('a field too few', {
      text: ['B-1', 'x'].join(delimiter),
      read: 'invalid_csv',
    });
  if (isOneOf(3)) insert('fields too many', { text: plain(['B-2', 'x', 'y', 'z', 'z']), read: 'invalid_csv' });
  if (isOneOf(3)) insert('an empty row', { text: plain(['', ' ', '']), read: undefined });
  if (isOneOf(3)) insert('a blank line', { text: pick(['', '  ']), read: undefined });
  if (isOneOf(4)) insert('the header again', header);
  if (quote !== '') {
    if (isOneOf(3))
      insert('text after a quote', { text: plain(['B-3', `${quote}x${quote} y`, 'z']), read: 'invalid_csv' });
    if (isOneOf(3))
      insert('a quote within', {
        text: plain(['B-4', `Bar ${quote}X${quote} Y`, `5${quote} z`]),
        read: ['B-4', `Bar ${quote}X${quote} Y`, `5${quote} z`],
      });
    if (hasOpenQuote)
      insert('a quote that is not closed', { text: plain(['B-5', `${quote}x`, 'y']), read: 'invalid_csv' });
  } else if (isOneOf(2)) insert('quotes as text', { text: plain(['B-6', '"x', '5"']), read: ['B-6', '"x', '5"'] });
  if (quote === '"' && isOneOf(3))
    insert('a formula', { text: plain(['B-7', '="00123"', 'x']), read: ['B-7', '00123', 'x'] });
  if (isOneOf(4)) {
    damages.push('empty rows at the end');
    for (let index = 0; index < 20; index++)
      rows.push({ text: delimiter.repeat(hasDelimiterAtEnd ? 3 : 2), read: undefined });
  }
  if (encoding.mark !== '' && isOneOf(3)) {
    damages.push('another file joined, with its mark');
    rows.push({ ...header, text: `\ufeff${header.text}` }, rowOf(['C-1', cell(), cell()]));
  }

  if (isLate) {
    damages.push('a late accent');
    rows.push(rowOf(['L-1', 'x'.repeat(70_000), '']), { text: plain(['L-2', 'é', 'x']), read: 'invalid_encoding' });
    rows.push(rowOf(['L-3', 'x', 'y']));
  }
  if (isOneOf(15)) {
    damages.push('a name twice');
    header.text = plain(['number', 'name', 'name']);
    header.read = 'invalid_csv';
    rows.splice(0, rows.length, rowOf(['A-0', 'x', 'y']));
    for (const row of rows) row.read = undefined;
  }

  const above = Array.from({ length: linesAbove }, (_, index) => pick([`Export ${index}`, '', 'Clients du 31/12']));
  let line = 1 + linesAbove;
  const expected: string[] = [];
  let text = encoding.mark + above.map((one) => one + ends[0]).join('');
  for (const [index, row] of [header, ...rows].entries()) {
    if (row.read !== undefined)
      expected.push(`${line} ${typeof row.read === 'string' ? row.read : row.read.join('|')}`);
    // Line breaks in quotes are those of the file: a mixed file has LF there.
    const within = ends.length === 1 ? row.text.replaceAll('\n', ends[0] ?? '\n') : row.text;
    text += within + (index === rows.length && isOneOf(2) ? '' : pick(ends));
    line += row.text.split('\n').length;
  }
  return {
    what: [
      ...what,
      hasDelimiterAtEnd && 'a delimiter at the end',
      linesAbove > 0 && `${linesAbove} lines above`,
      ...damages,
    ]
      .filter(Boolean)
      .join(', '),
    content: iconv.encode(text, encoding.name, { addBOM: false }),
    encoding: isLate ? late : encoding.given,
    format: {
      ...((delimiter === '~' || quoting === 'none' || isOneOf(2)) && { delimiter }),
      ...(linesAbove > 0 && { skipLines: linesAbove }),
      ...(quote !== '"' && { quote }),
    },
    expected,
  };
}

test(`${FILES} ugly files are read as they were written, and each bad row is an error at its line`, async () => {
  const folder = newFolder('ugly-');
  const wrong: object[] = [];
  for (let position = 0; position < FILES; position++) {
    const { what, content, encoding, format, expected } = uglyFile(position);
    const path = join(folder, `ugly-${position}.csv`);
    await writeFile(path, content);
    const read: string[] = [];
    const fields: string[] = [];
    try {
      const map = (row: Record<string, string>) => {
        fields.push(Object.values(row).join('|'));
        return { account: { import_supplier: 'ACME', external_account_number: 'A' } };
      };
      for await (const item of await openInput([path], { ...(encoding && { encoding }), map: { ...format, map } })) {
        const found = item.read();
        read.push(`${item.line} ${found !== undefined && 'problem' in found ? found.problem.code : fields.shift()}`);
      }
      const related: string[] = [];
      const readAll = async () => {
        for await (const row of readCsv(path, { ...format, ...(encoding && { encoding }) }))
          related.push(Object.values(row).join('|'));
      };
      const error = await readAll().then(
        () => '',
        (thrown: Error) => thrown.message,
      );
      const rows = expected.filter((one) => !IS_ERROR.test(one)).map((one) => one.slice(one.indexOf(' ') + 1));
      const firstBad = expected.find((one) => IS_ERROR.test(one))?.split(' ')[0];
      expect(related).toEqual(rows);
      expect(error).toContain(firstBad === undefined ? '' : `ugly-${position}.csv:${firstBad}`);
      expect(read).toEqual(expected);
    } catch (error) {
      wrong.push({ position, what, error: (error as Error).message.slice(0, 1500) });
    }
  }
  expect(wrong).toEqual([]);
}, 120_000);
