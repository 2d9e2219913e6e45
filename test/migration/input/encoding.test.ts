/** Input files in other encodings than UTF-8, and files that hold no text. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { InputError } from '../../../src/migration/input/input-error.js';
import { openInput } from '../../../src/migration/input/open-input.js';
import { singleByteDecoder } from '../../../src/migration/input/text/single-byte.js';
import type { AccountRecord } from '../../../src/validation/records/import-record.js';
import { describeItems, folderWith } from './reading.js';

const toAccount = (row: Record<string, string>) => ({
  account: { import_supplier: 'SUP', external_account_number: row['numéro'] ?? '', billing_address1: row['rue'] ?? '' },
});

/** The first account of the input: its number and its street. */
async function firstRow(name: string, content: Uint8Array, encoding?: string): Promise<unknown> {
  const { at } = await folderWith({ [name]: content });
  for await (const line of await openInput([at(name)], { map: toAccount, encoding })) {
    const read = line.read();
    if ('problem' in read) return read.problem.code;
    const { external_account_number, billing_address1 } = (read.record as AccountRecord).account;
    return [external_account_number, billing_address1];
  }
  return undefined;
}

/** `numéro;rue`, and a row `A-1;€ 3 bis, cœur Noël`, by the byte tables of the encodings. */
const BYTES = {
  'windows-1252': Buffer.from('num\xe9ro;rue\r\nA-1;\x80 3 bis, c\x9cur No\xebl\r\n', 'latin1'),
  'iso-8859-15': Buffer.from('num\xe9ro;rue\r\nA-1;\xa4 3 bis, c\xbdur No\xebl\r\n', 'latin1'),
  macintosh: Buffer.from('num\x8ero;rue\r\nA-1;\xdb 3 bis, c\xcfur No\x91l\r\n', 'latin1'),
  'utf-16le': Buffer.from('numéro;rue\r\nA-1;€ 3 bis, cœur Noël\r\n', 'utf16le'),
};

describe('a file in the encoding that is named', () => {
  test.each(Object.entries(BYTES))('%s', async (encoding, content) => {
    expect(await firstRow('a.csv', content, encoding)).toEqual(['A-1', '€ 3 bis, cœur Noël']);
  });

  test('latin1 is read as windows-1252, which has the same letters and the euro sign', async () => {
    expect(await firstRow('a.csv', BYTES['windows-1252'], 'latin1')).toEqual(['A-1', '€ 3 bis, cœur Noël']);
  });

  test('JSON Lines in UTF-8 are read as UTF-8: the encoding is that of the export, and these may be its corrected records', async () => {
    const line = JSON.stringify({ account: { import_supplier: 'SUP', external_account_number: 'Ä-1' } });
    const { at } = await folderWith({ 'corrected.jsonl': Buffer.from(`${line}\n`) });
    const input = await openInput([at('corrected.jsonl')], { encoding: 'windows-1252' });
    const numbers: unknown[] = [];
    for await (const one of input) {
      const read = one.read();
      numbers.push('record' in read && (read.record as AccountRecord).account.external_account_number);
    }
    expect(numbers).toEqual(['Ä-1']);
  });

  test('compressed', async () => {
    expect(await firstRow('a.csv.gz', gzipSync(BYTES['windows-1252']), 'windows-1252')).toEqual([
      'A-1',
      '€ 3 bis, cœur Noël',
    ]);
  });

  test('longer than one part that is read at a time', async () => {
    const rows = 20_000;
    const content = Buffer.from(`num\xe9ro;rue\n${'A-1;\x80\xe9\n'.repeat(rows)}`, 'latin1');
    const { at } = await folderWith({ 'a.csv': content });
    let count = 0;
    for await (const line of await openInput([at('a.csv')], { map: toAccount, encoding: 'windows-1252' })) {
      const read = line.read();
      if ('record' in read && JSON.stringify(read.record).includes('"€é"')) count++;
    }
    expect(count).toBe(rows);
  });

  test('JSON Lines; its lines have no place in the file, because the bytes differ', async () => {
    const text = '{"account":{"import_supplier":"SUP","external_account_number":"A-1","billing_address1":"Noël"}}\n';
    const { at } = await folderWith({ 'a.jsonl': Buffer.from(text, 'latin1') });
    for await (const line of await openInput([at('a.jsonl')], { encoding: 'windows-1252' })) {
      expect(line.text).toContain('Noël');
      expect(line.place).toBeUndefined();
    }
  });
});

describe('the table of an encoding with one byte for each character', () => {
  const SINGLE = ['windows-1252', 'windows-1250', 'windows-1251', 'iso-8859-15', 'iso-8859-2', 'macintosh', 'koi8-r'];

  test.each(SINGLE)('%s has the characters that the Encoding Standard gives its 256 bytes', (encoding) => {
    const decode = singleByteDecoder(encoding);
    for (let byte = 0; byte < 256; byte++) {
      const decoder = new TextDecoder(encoding);
      const expected = decoder.decode(Uint8Array.of(byte), { stream: true }) + decoder.decode();
      if (expected === '\ufffd') expect(() => decode?.(Buffer.of(byte))).toThrow(TypeError);
      else expect(decode?.(Buffer.of(byte)).toString()).toBe(expected);
    }
  });

  test('windows-1252: 0x80 is the euro sign, 0x9c is œ, 0xe9 is é', () => {
    expect(singleByteDecoder('windows-1252')?.(Buffer.of(0x41, 0x80, 0x9c, 0xe9)).toString()).toBe('A€œé');
  });

  test('is missing for encodings with several bytes', () => {
    for (const encoding of ['utf-8', 'utf-16le', 'shift_jis', 'euc-jp', 'gbk', 'big5', 'euc-kr', 'iso-2022-jp']) {
      expect(singleByteDecoder(encoding)).toBeUndefined();
    }
  });
});

describe('a byte order mark overrides the given encoding', () => {
  test.each([
    ['UTF-8', Buffer.from('\ufeffnuméro;rue\nA-1;Noël\n')],
    ['UTF-16, little endian', Buffer.from('\ufeffnuméro;rue\nA-1;Noël\n', 'utf16le')],
    ['UTF-16, big endian', Buffer.from('\ufeffnuméro;rue\nA-1;Noël\n', 'utf16le').swap16()],
  ])('%s', async (_, content) => {
    expect(await firstRow('a.csv', content)).toEqual(['A-1', 'Noël']);
    expect(await firstRow('a.csv', content, 'windows-1252')).toEqual(['A-1', 'Noël']);
  });
});

describe('is one error before anything is read', () => {
  const utf16 = (text: string) => Buffer.from(text, 'utf16le');
  test.each<[what: string, name: string, content: Uint8Array, encoding: string | undefined, message: string]>([
    [
      'CSV in windows-1252',
      'a.csv',
      BYTES['windows-1252'],
      undefined,
      'probably in windows-1252. Name its encoding with --encoding windows-1252',
    ],
    [
      'CSV in macintosh',
      'a.csv',
      BYTES.macintosh,
      undefined,
      'probably in macintosh. Name its encoding with --encoding macintosh',
    ],
    ['CSV in windows-1252, named utf-8', 'a.csv', BYTES['windows-1252'], 'utf-8', 'probably in windows-1252'],
    [
      'UTF-16 without a mark',
      'a.csv',
      BYTES['utf-16le'],
      undefined,
      'probably in utf-16le. Name its encoding with --encoding utf-16le',
    ],
    [
      'UTF-16 big endian without a mark',
      'a.jsonl',
      utf16('{"account":{}}\n').swap16(),
      undefined,
      'probably in utf-16be',
    ],
    [
      'UTF-8 with another encoding named',
      'a.csv',
      Buffer.from('numéro;rue\n'),
      'windows-1252',
      'is in UTF-8, which windows-1252 would misread',
    ],
    [
      'an Excel workbook',
      'a.csv',
      Buffer.from('PK\x03\x04rest', 'latin1'),
      undefined,
      'is an Excel workbook (.xlsx) or another ZIP archive; expected text',
    ],
    [
      'an old Excel workbook',
      'a.csv',
      Buffer.from('\xd0\xcf\x11\xe0rest', 'latin1'),
      undefined,
      'an Excel workbook of an old format (.xls)',
    ],
    ['a PDF document', 'a.jsonl', Buffer.from('%PDF-1.7'), undefined, 'a PDF document'],
    [
      'an encoding that does not exist',
      'a.csv',
      Buffer.from('a\n'),
      'windows-1525',
      'encoding "windows-1525": unknown; expected a name such as utf-8, windows-1252',
    ],
  ])('%s', async (_, name, content, encoding, message) => {
    const { at } = await folderWith({ [name]: content });
    const opening = openInput([at(name)], { map: toAccount, encoding });
    await expect(opening).rejects.toBeInstanceOf(InputError);
    await expect(opening).rejects.toThrow(message);
  });
});

test('a file with bytes that are invalid in the given encoding ends the reading with one error', async () => {
  const { at } = await folderWith({ 'a.csv': Buffer.concat([BYTES['utf-16le'], Buffer.from([0x41])]) });
  const reading = describeItems(await openInput([at('a.csv')], { map: toAccount, encoding: 'utf-16le' }));
  await expect(reading).rejects.toThrow('has bytes that are invalid in utf-16le');
});

describe('a character that the end of the looked-at part cuts in two', () => {
  // 17 bytes, then two for each é: 64 KiB end within one.
  const content = Buffer.from(`numéro;rue\nA-10;${'é'.repeat(40_000)}\n`);

  test('does not make a file another encoding', async () => {
    expect(await firstRow('a.csv', content)).toEqual(['A-10', 'é'.repeat(40_000)]);
  });

  test('does not hide that the named encoding would misread the file', async () => {
    await expect(firstRow('a.csv', content, 'windows-1252')).rejects.toThrow(
      'is in UTF-8, which windows-1252 would misread',
    );
  });
});
