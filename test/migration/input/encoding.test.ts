/** Input files in other encodings than UTF-8, and files that hold no text. */
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readCsv } from '../../../src/migration/input/csv/mapping/read-csv.js';
import { InputError } from '../../../src/migration/input/input-error.js';
import { openInput } from '../../../src/migration/input/open-input.js';
import { decodeText } from '../../../src/migration/input/text/identify-encoding.js';
import type { AccountRecord } from '../../../src/validation/records/import-record.js';
import { describeItems, folderWith } from './reading.js';

const OVER_LINES = 'JSON over several lines; expected one record on each line';

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

  // Bytes by the tables of each code page.
  test.each([
    ['cp850', 'num\x82ro;rue\nA-1;Marie-No\x89lle, \xb5vila, Stra\xe1e\n', 'Marie-Noëlle, Ávila, Straße'],
    ['CP-850', 'num\x82ro;rue\nA-1;H\x82l\x8ane\n', 'Hélène'],
    ['ibm437', 'num\x82ro;rue\nA-1;M\x81ller, Pe\xa4a\n', 'Müller, Peña'],
    ['cp858', 'num\x82ro;rue\nA-1;\xd5 3\n', '€ 3'],
    ['cp1250', 'num\xe9ro;rue\nA-1;\xa3\xf3d\x9f, \x8akoda\n', 'Łódź, Škoda'],
    ['iso-8859-2', 'num\xe9ro;rue\nA-1;\xa3\xf3d\xbc\n', 'Łódź'],
    ['windows-1251', 'num\xe9ro;rue\nA-1;x\n', undefined],
    ['mac', 'num\x8ero;rue\nA-1;No\x91l \xdb\n', 'Noël €'],
  ])('%s', async (encoding, content, street) => {
    const row = firstRow('a.csv', Buffer.from(content, 'latin1'), encoding);
    if (street !== undefined) expect(await row).toEqual(['A-1', street]);
    // In Cyrillic the header has another name.
    else await expect(row).rejects.toThrow('There is no column "numéro"');
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

  test('longer than one part that is read at a time', { tags: 'long' }, async () => {
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

  test('JSON Lines', async () => {
    const text = '{"account":{"import_supplier":"SUP","external_account_number":"A-1","billing_address1":"Noël"}}\n';
    const { at } = await folderWith({ 'a.jsonl': Buffer.from(text, 'latin1') });
    for await (const line of await openInput([at('a.jsonl')], { encoding: 'windows-1252' })) {
      expect(line.text).toContain('Noël');
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
      'a.csv:1: the file is not in UTF-8; it is probably in windows-1252: byte 0xe9 is "é" in windows-1252. Name its encoding with --encoding windows-1252 (encoding of openInput)',
    ],
    ['CSV in macintosh', 'a.csv', BYTES.macintosh, undefined, '--encoding macintosh'],
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
      'UTF-8 with an encoding named in which it may be other text',
      'a.csv',
      Buffer.from('numéro;rue\n'),
      'shift_jis',
      'is in UTF-8, which shift_jis would misread',
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
    ['an indented list of records', 'a.json', Buffer.from('[\n  {\n'), undefined, OVER_LINES],
    ['an indented list after a byte order mark', 'a.json', Buffer.from('\ufeff[\r\n  {\r\n'), undefined, OVER_LINES],
    [
      'a list with one record on each line',
      'a.json',
      Buffer.from('[{"account":{}},\n{"account":{}}]\n'),
      undefined,
      OVER_LINES,
    ],
    [
      'a list with commas at the beginning of its lines',
      'a.json',
      Buffer.from('[{"account":{}}\n,{"account":{}}]\n'),
      undefined,
      OVER_LINES,
    ],
    ['indented records', 'a.json', Buffer.from('{\n  "account": {\n'), undefined, OVER_LINES],
    ['an indented object with a list', 'a.json', Buffer.from('\n{"accounts": [\n  {\n'), undefined, OVER_LINES],
    ...[
      '[{"account":{}},{"account":{}}]',
      '\ufeff \r\n [ {"account":{}}]\r\n\r\n',
      `[{"a":"${'x'.repeat(70_000)}"}]`,
    ].flatMap((text): [string, string, Uint8Array, undefined, string][] => [
      ['a list on one line', 'a.json', Buffer.from(text), undefined, OVER_LINES],
      ['a compressed list on one line', 'a.json.gz', gzipSync(text), undefined, OVER_LINES],
    ]),
    ['a list in UTF-16', 'a.json', utf16('\ufeff[\r\n  {\r\n'), undefined, OVER_LINES],
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

/** The error for a file whose encoding is not named. */
async function refusal(text: string, showPersonalData = false): Promise<string> {
  const { at, folder } = await folderWith({ 'a.csv': Buffer.from(text, 'latin1') });
  const error = await openInput([at('a.csv')], { map: toAccount, showPersonalData }).catch((reason: unknown) => reason);
  return String((error as Error).message).replace(`${folder}/`, '');
}

describe('a CSV file in an unknown encoding is refused with the encodings in which it may be text', () => {
  test.each([
    ['French in cp850', 'nom;rue\nNo\x89l;\x90t\x82, March\x82\n', 'cp850'],
    ['French in macintosh', 'nom;rue\nNo\x91l;\x83t\x8e, March\x8e\n', 'macintosh'],
    ['French in windows-1252', 'nom;rue\nNo\xebl;H\xf4tel, ch\xeane, \x9cuf\n', 'windows-1252'],
    ['French in iso-8859-15', 'nom;rue\nNo\xebl;H\xf4tel, ch\xeane, \xbduf\n', 'iso-8859-15'],
    ['German in cp850', 'name;ort\nM\x81ller;K\x94ln, Stra\xe1e \x9abung\n', 'cp850'],
    ['Polish in windows-1250', 'nazwa;ul\nWa\xb3\xeasa;\x8cwi\xeata \xb9 \x9f\n', 'windows-1250'],
    ['Polish in iso-8859-2', 'nazwa;ul\nWa\xb3\xeasa;\xa6wi\xeata \xb1 \xbc\n', 'iso-8859-2'],
    ['Russian in windows-1251', 'name\n\xc8\xe2\xe0\xed\xee\xe2\xe0 \xcc\xee\xf1\xea\xe2\xe0\n', 'windows-1251'],
  ])('%s', async (_, text, encoding) => {
    expect(await refusal(text)).toContain(`Name its encoding with --encoding ${encoding} `);
  });

  test('each with the letter that it reads, if two are plausible', async () => {
    expect(await refusal('numero;nom\nC-1;Dupont\nC-2;No\x89l\n')).toBe(
      'a.csv:3: the file is not in UTF-8; 2 encodings are plausible: byte 0x89 is "ë" in cp850, "â" in macintosh. ' +
        'Name its encoding with --encoding cp850 or macintosh (encoding of openInput), or export it in UTF-8.',
    );
  });

  test('each with the line that it reads, if personal data may be shown', async () => {
    expect(await refusal('numero;nom\nC-1;Dupont\nC-2;No\x89l\n', true)).toContain(
      'the line is "C-2;Noël" in cp850, "C-2;Noâl" in macintosh.',
    );
  });
});

describe('UTF-8 in a file of another encoding rejects the line', () => {
  const ascii = 'A-0;Smith\n'.repeat(8_000);
  const late = Buffer.from(`num;rue\n${ascii}A-1;Noël\nA-2;Smith\n`);
  const map = (row: Record<string, string>) => ({
    account: { import_supplier: 'SUP', external_account_number: row['num'] ?? '', billing_address1: row['rue'] ?? '' },
  });

  test.each(['windows-1252', 'iso-8859-15', 'cp850', 'macintosh', 'windows-1250'])(
    'also far from its beginning, in a mapping: %s',
    { tags: 'long' },
    async (encoding) => {
      const { at } = await folderWith({ 'a.csv': late });
      const lines = await describeItems(await openInput([at('a.csv')], { map, encoding }));
      expect(lines.slice(8_000)).toEqual(['8002 invalid_encoding', '8003 A-2']);
    },
  );

  test('a file that ends with an accent, which could begin a character of UTF-8, is read', async () => {
    const { at } = await folderWith({ 'a.csv': Buffer.from('num;rue\nA-1;caf\xe9', 'latin1') });
    const rows: unknown[] = [];
    for await (const { rue } of readCsv(at('a.csv'), { encoding: 'windows-1252' })) rows.push(rue);
    expect(rows).toEqual(['café']);
  });

  test('a line with a text that another program has damaged before is read as it is', async () => {
    const row = 'A-1;No\xc3\xabl Gro\xdf;K\xf6ln\nA-2;Zo\xeb;K\xf6ln\n';
    const { at } = await folderWith({ 'a.csv': Buffer.from(`num;nom;ville\n${row}`, 'latin1') });
    const rows: unknown[] = [];
    for await (const { nom } of readCsv(at('a.csv'), { encoding: 'windows-1252' })) rows.push(nom);
    expect(rows).toEqual(['NoÃ«l Groß', 'Zoë']);
    // Without an encoding it is not taken for UTF-8.
    await expect(openInput([at('a.csv')], { map: () => undefined })).rejects.toThrow(
      'a.csv:2: the file is not in UTF-8; 3 encodings are plausible',
    );
  });

  test('and the lines in the named encoding are read', async () => {
    const mixed = [Buffer.from('num;rue\nA-1;No\xebl\n', 'latin1'), Buffer.from('A-2;Noël\nA-3;«SOCIÉTÉ»\n')];
    const { at } = await folderWith({ 'a.csv': Buffer.concat(mixed) });
    const lines = await describeItems(await openInput([at('a.csv')], { map, encoding: 'windows-1252' }));
    expect(lines).toEqual(['2 A-1', '3 invalid_encoding', '4 invalid_encoding']);
  });

  test('and without a named encoding, the first message says that the file has both and has to be converted', async () => {
    const line = (text: string, encoding: BufferEncoding) => Buffer.from(text, encoding);
    const old = ['A-1;No\xebl\n', 'A-2;Zo\xeb\n', 'A-3;caf\xe9\n'].map((text) => line(text, 'latin1'));
    const { at } = await folderWith({
      'a.csv': Buffer.concat([line('num;rue\n', 'utf8'), ...old, line('A-4;Noël\n', 'utf8')]),
      'b.csv': Buffer.concat([line('num;rue\nA-4;Noël\nA-5;Zoé\n', 'utf8'), ...old.slice(0, 1)]),
    });
    await expect(openInput([at('a.csv')], { map })).rejects.toThrow(
      `${at('a.csv')}: the file has lines in two encodings: line 5 is in UTF-8, and line 2 is not (it is probably in windows-1252). ` +
        'Convert the file to one encoding, and give that file. If it was joined from several files, convert each of them to UTF-8 and join them again.',
    );
    // With more lines in UTF-8, these are read.
    const rejected: unknown[] = [];
    for await (const item of await openInput([at('b.csv')], { map })) rejected.push(item.read());
    expect(rejected[2]).toMatchObject({
      problem: {
        detail: expect.stringMatching(/If other lines of the file are in UTF-8, convert it to one encoding\.$/),
      },
    });
  });

  test('in JSON Lines', async () => {
    const line = (street: string) =>
      `{"account":{"import_supplier":"SUP","external_account_number":"A","billing_address1":"${street}"}}\n`;
    const content = [Buffer.from(line('No\xebl'), 'latin1'), Buffer.from(line('Noël'))];
    const { at } = await folderWith({ 'a.jsonl': Buffer.concat(content) });
    const input = await openInput([at('a.jsonl')], { encoding: 'windows-1252' });
    expect(await describeItems(input)).toEqual(['1 A', '2 invalid_encoding']);
  });

  // In UTF-8 these would be ɻ, ɠ, ɒ and ê: one is a word of Romanian, the others are signs after a capital.
  test.each([
    ['windows-1252', 'CAF\xc9\xbb, MARCH\xc9\xa0, CAF\xc9\x92S'],
    ['windows-1250', 'P\xc3\xaaUNE'],
  ])('but capitals of %s before a sign are text', async (encoding, text) => {
    const { at } = await folderWith({ 'a.csv': Buffer.from(`num;rue\nA-1;\xe9t\xe9\nA-2;${text}\n`, 'latin1') });
    expect(await describeItems(await openInput([at('a.csv')], { map, encoding }))).toEqual(['2 A-1', '3 A-2']);
  });

  test('in readCsv, with file and line', async () => {
    const { at } = await folderWith({ 'a.csv': late });
    const read = async () => {
      for await (const _ of readCsv(at('a.csv'), { encoding: 'windows-1252' }));
    };
    await expect(read()).rejects.toThrow(`${at('a.csv')}:8002: The line is in UTF-8`);
  });

  test('in a source of a query, with file and line', async () => {
    const chunks = [late.subarray(0, 70_000), late.subarray(70_000, 80_009), late.subarray(80_009)];
    const read = async () => {
      for await (const _ of decodeText('a.csv', Readable.from(chunks), 'windows-1252'));
    };
    await expect(read()).rejects.toThrow('a.csv:8002: the line is in UTF-8, which windows-1252 would misread.');
  });
});

test('a line with a byte that the named encoding does not have is rejected', async () => {
  const content = Buffer.from('num\xe9ro;rue\nA-1;M\x81ller\nA-2;M\xfcller\n', 'latin1');
  const { at } = await folderWith({ 'a.csv': content });
  const lines = await describeItems(await openInput([at('a.csv')], { map: toAccount, encoding: 'windows-1252' }));
  expect(lines).toEqual(['2 invalid_encoding', '3 A-2']);
});

test('a file with bytes that are invalid in the given encoding ends the reading with one error', async () => {
  const { at } = await folderWith({ 'a.csv': Buffer.concat([BYTES['utf-16le'], Buffer.from([0x41])]) });
  const reading = describeItems(await openInput([at('a.csv')], { map: toAccount, encoding: 'utf-16le' }));
  await expect(reading).rejects.toThrow('has bytes that are invalid in utf-16le');
});

test.each([
  ['utf-16le', (text: string) => Buffer.from(text, 'utf16le')],
  ['utf-16be', (text: string) => Buffer.from(text, 'utf16le').swap16()],
])('a file in UTF-8 to which one in %s was joined is an error that says so', async (_, encode) => {
  const { at } = await folderWith({
    'a.csv': Buffer.concat([Buffer.from('number;name\n'), encode('A-1;Zoé\n'.repeat(9))]),
  });
  await expect(openInput([at('a.csv')], { map: toAccount })).rejects.toThrow(
    `${at('a.csv')}: the first line of the file is in UTF-8, and later ones are in UTF-16. If it was joined from several files, convert each of them to UTF-8 and join them again.`,
  );
});

test.each([
  ['utf-16le', (text: string) => Buffer.from(text, 'utf16le')],
  ['utf-16be', (text: string) => Buffer.from(text, 'utf16le').swap16()],
])('a file in %s whose header has no letter of ASCII is recognised', async (encoding, encode) => {
  for (const header of ['имя', '姓名']) {
    const { at } = await folderWith({ 'a.csv': encode(`${header}\n${'A-1\n'.repeat(9)}`) });
    await expect(openInput([at('a.csv')], { map: toAccount })).rejects.toThrow(`it is probably in ${encoding}.`);
  }
});

describe('a character that the end of the looked-at part cuts in two', () => {
  // 17 bytes, then two for each é: 64 KiB end within one.
  const content = Buffer.from(`numéro;rue\nA-10;${'é'.repeat(40_000)}\n`);

  test('does not make a file another encoding', async () => {
    expect(await firstRow('a.csv', content)).toEqual(['A-10', 'é'.repeat(40_000)]);
  });

  test('does not hide that the file is in UTF-8, and the named encoding is that of another file', async () => {
    expect(await firstRow('a.csv', content, 'windows-1252')).toEqual(['A-10', 'é'.repeat(40_000)]);
  });
});
