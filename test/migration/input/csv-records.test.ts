/** CSV by a mapping module: a row in, its record out, and a problem for every row that gives none. */
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { csvLines } from '../../../src/migration/input/csv/line-ends.js';
import type { FormattedMap, RowMap } from '../../../src/migration/input/csv/load-mapping.js';
import { InputError } from '../../../src/migration/input/input-error.js';
import { openInput } from '../../../src/migration/input/open-input.js';
import type { InputLine } from '../../../src/migration/input/source.js';
import type { Chunk } from '../../../src/migration/input/text/split-lines.js';
import { describeItems, folderWith } from './reading.js';

const toAccount: RowMap = ({ number = '', name }) => ({
  account: { import_supplier: 'SUP', external_account_number: number, customers: [{ family_name: name }] },
});

async function openCsv(content: string | Uint8Array, map: RowMap = toAccount, name = 'input.csv') {
  const { at } = await folderWith({ [name]: content });
  return openInput([at(name)], { map });
}

async function itemsOf(content: string | Uint8Array, map: RowMap = toAccount): Promise<InputLine[]> {
  const items: InputLine[] = [];
  for await (const item of await openCsv(content, map)) items.push(item);
  return items;
}

/** What the mapping module is given. */
async function rowsOf(content: string | Uint8Array): Promise<[Record<string, string>, number][]> {
  const rows: [Record<string, string>, number][] = [];
  await itemsOf(content, (row, { line }) => {
    rows.push([row, line]);
    return undefined;
  });
  return rows;
}

describe('rows', () => {
  test('have the names of the header, and the line at which they begin', async () => {
    expect(await rowsOf('number,name\nA-1,Brumelle\nA-2,"Dorval, veuve ""Fontrive"""\n')).toEqual([
      [{ number: 'A-1', name: 'Brumelle' }, 2],
      [{ number: 'A-2', name: 'Dorval, veuve "Fontrive"' }, 3],
    ]);
  });

  test.each([
    ['semicolons', 'number;name;amount\nA-1;Brumelle;12,50'],
    ['tabs', 'number\tname\tamount\nA-1\tBrumelle\t12,50'],
    ['bars', 'number|name|amount\nA-1|Brumelle|12,50'],
    ['commas and quotes', '"number","name","amount"\n"A-1","Brumelle","12,50"'],
    ['CRLF and a byte order mark', '\ufeffnumber;name;amount\r\nA-1;Brumelle;12,50\r\n'],
    ['only CR, as spreadsheets on a Macintosh export', 'number;name;amount\rA-1;Brumelle;12,50\r'],
    ['only CR, and nothing after the last row', 'number;name;amount\rA-1;Brumelle;12,50'],
    ['semicolons, and commas in a quoted name', 'number;name;"amount"\nA-1;"Brumelle";"12,50"'],
  ])('with %s', async (_, content) => {
    expect(await rowsOf(content)).toEqual([[{ number: 'A-1', name: 'Brumelle', amount: '12,50' }, 2]]);
  });

  test('may break lines inside of quotes, which keep their empty lines', async () => {
    expect(await rowsOf('number,name\nA-1,"Brumelle\r\n\r\nDorval"\nA-2,Estrelin\n')).toEqual([
      [{ number: 'A-1', name: 'Brumelle\n\nDorval' }, 2],
      [{ number: 'A-2', name: 'Estrelin' }, 5],
    ]);
  });

  test('that end with only CR may break lines inside of quotes in any way', async () => {
    expect(await rowsOf('number,"na\rme"\rA-1,"Brumelle\nDorval\r\nEstrelin"\r\rA-2,x\r')).toEqual([
      [{ number: 'A-1', 'na\nme': 'Brumelle\nDorval\nEstrelin' }, 3],
      [{ number: 'A-2', 'na\nme': 'x' }, 7],
    ]);
  });

  test('that end with LF keep a CR within them', async () => {
    expect(await rowsOf('number,name\nA-1,"Bru\rmelle"\n')).toEqual([[{ number: 'A-1', name: 'Bru\rmelle' }, 2]]);
    expect(await describeItems(await openCsv('number,name\r\nA-1,x\rA-2,y\r'))).toEqual(['2 invalid_csv']);
  });

  test('of UTF-16 with CRLF have the line breaks of their cells once, and their line numbers', async () => {
    const text = Buffer.from('\ufeffnumber,name\r\nA-1,"x\r\ny"\r\nA-2,z\r\n', 'utf16le');
    expect(await rowsOf(text)).toEqual([
      [{ number: 'A-1', name: 'x\ny' }, 2],
      [{ number: 'A-2', name: 'z' }, 4],
    ]);
  });

  test.each([1, 2, 3, 4, 5])('are the same in whatever parts they come: of %i bytes', async (size) => {
    async function* parts(text: string): AsyncGenerator<Chunk> {
      for (let at = 0; at < text.length; at += size) yield Buffer.from(text.slice(at, at + size));
      yield 'damaged';
    }
    const read = async (text: string) => {
      const found: string[] = [];
      for await (const lines of csvLines('a.csv', parts(text), { encoding: 'utf-8' }))
        for (const { bytes, flaw } of lines) found.push(bytes.toString(), ...(flaw === undefined ? [] : [flaw]));
      return found;
    };
    expect(await read('"a,b",c\rd,e\r\nf,g\nh,i\r')).toEqual(['"a,b",c', 'd,e', 'f,g', 'h,i', '', 'damaged']);
    expect(await read('"a\rb",c\r\nd,e\rf,g\nh,i')).toEqual(['"a\rb",c', 'd,e\rf,g', 'h,i', 'damaged']);
    expect(await read('a,b\nd,e')).toEqual(['a,b', 'd,e', 'damaged']);
  });

  test('are always text, and empty for empty cells', async () => {
    expect(await rowsOf('number,name\n007,\n\n1e3,true\n')).toEqual([
      [{ number: '007', name: '' }, 2],
      [{ number: '1e3', name: 'true' }, 4],
    ]);
  });

  test('may be compressed', async () => {
    const input = await openCsv(gzipSync('number,name\nA-1,x\n').subarray(0, -8), toAccount, 'input.csv.gz');
    expect(await describeItems(input)).toEqual(['2 A-1', '3 damaged_file']);
  });
});

describe('how a file is written', () => {
  const read = async (content: string, format: Omit<FormattedMap, 'map'> = {}) => {
    const rows: Record<string, string>[] = [];
    const { at } = await folderWith({ 'input.csv': content });
    const map: RowMap = (row) => {
      rows.push({ ...row });
      return [];
    };
    const input = await openInput([at('input.csv')], { map: { ...format, map } });
    const problems = await describeItems(input);
    return { rows, problems, csv: input.files()[0]?.csv };
  };

  test.each([
    ['every line ends with the delimiter', 'number;name;\nA-1;Noel;\n', { number: 'A-1', name: 'Noel' }],
    [
      'commas in names',
      'number;name, title, x;phone (06, 07)\nA-1;Noel;\n',
      { number: 'A-1', 'name, title, x': 'Noel', 'phone (06, 07)': '' },
    ],
    ['as many commas as semicolons', 'number, id;name\nA, 1;Noel\n', { 'number, id': 'A, 1', name: 'Noel' }],
    ['quotes in a name', 'number;name "full"\nA-1;Noel\n', { number: 'A-1', 'name "full"': 'Noel' }],
    ['quotes in a text', 'number;name\nA-1;Bar "Le Coin" SARL\n', { number: 'A-1', name: 'Bar "Le Coin" SARL' }],
    ['inches', 'number;name\nA-1;5" pipe\n', { number: 'A-1', name: '5" pipe' }],
    ['="00123"', 'number;name\n="00123";Noel\n', { number: '00123', name: 'Noel' }],
    ['"=""00123"""', 'number;name\n"=""00123""";Noel\n', { number: '00123', name: 'Noel' }],
    ['byte order marks twice', '\ufeff\ufeffnumber;name\nA-1;Noel\n', { number: 'A-1', name: 'Noel' }],
  ])('is found: %s', async (_, content, row) => {
    expect(await read(content)).toMatchObject({ rows: [row], problems: [] });
  });

  test.each([
    ['lines above the header', 'Export;;\n\n"a\nnumber;name\nA-1;x\n', { skipLines: 3 }],
    ['a delimiter of several characters', 'number||name\nA-1||x\n', { delimiter: '||' }],
    ['another quote', "'number','name'\n'A-1','x'\n", { quote: "'" }],
  ])('is set by the mapping: %s', async (_, content, format) => {
    expect(await read(content, format)).toMatchObject({ rows: [{ number: 'A-1', name: 'x' }], problems: [] });
  });

  test('has quotes as text if the mapping says so', async () => {
    const { rows, problems } = await read('number;name\nA-1;"x\nA-2;"y;"\n', { quote: '' });
    expect(rows).toEqual([{ number: 'A-1', name: '"x' }]);
    expect(problems).toEqual(['3 invalid_csv']);
  });

  test('rows without data are counted, and are no records: delimiters, spaces, the header of a joined file', async () => {
    const content = `number;name\nA-1;x\n\ufeffnumber;name\nA-2;y\n${';\n'.repeat(50)}${' ; ;\n'.repeat(10)}`;
    const { rows, problems, csv } = await read(content);
    expect(rows).toEqual([
      { number: 'A-1', name: 'x' },
      { number: 'A-2', name: 'y' },
    ]);
    expect(problems).toEqual([]);
    expect(csv).toMatchObject({ rows: 2, rowsWithoutData: { rows: 61, lines: [3, 5, 6] } });
  });

  describe('the header again', () => {
    const HEADER = 'number;prénom;street 1';
    const from = (detail: string) =>
      `From line 3 on, the file has other columns than line 1, or another order: ${detail}. Its rows are not read from there on. Split the file before line 3, or export it again with one header.`;
    const detailsIn = async (content: string) =>
      (await itemsOf(content, () => undefined)).map((item) => {
        const found = item.read();
        return [item.line, 'problem' in found && found.problem.detail];
      });

    test.each([
      ['in capitals', 'NUMBER;PRÉNOM;Street 1'],
      ['without accents', 'number;prenom;street 1'],
      ['with accents of two characters', 'number;pre\u0301nom;street 1'],
      ['with spaces', ' number ;prénom; street 1\u00a0'],
      ['in quotes', '"number";"prénom";"street 1"'],
      ['with apostrophes', "'number';'prénom';street 1"],
      ['with a byte order mark', '\ufeffnumber;prénom;street 1'],
      ['with a delimiter at its end', 'number;prénom;street 1;'],
    ])('%s is a row without data', async (_, again) => {
      const { rows, problems, csv } = await read(`${HEADER}\nA-1;x;y\n${again}\nA-2;x;y\n`);
      expect(rows.map(({ number }) => number)).toEqual(['A-1', 'A-2']);
      expect(problems).toEqual([]);
      expect(csv?.rowsWithoutData).toEqual({ rows: 1, lines: [3] });
    });

    test.each([
      ['in another order', 'number;Street 1;PRENOM', 'column 2 is "Street 1", and not "prénom"'],
      ['with another name', 'number;prénom;Brumelle', 'column 3 is not "street 1"'],
      ['with another name at its beginning', 'Brumelle;prénom;street 1', 'column 1 is not "number"'],
      ['with a column less', 'number;street 1', 'column 2 is "street 1", and not "prénom"'],
      ['with a column more', 'number;prénom;street 1;Brumelle', '4 columns instead of 3'],
      ['with a column more at its beginning', 'Brumelle;number;prénom;street 1', 'column 1 is not "number"'],
    ])('%s: the rows from there on are rejected', async (_, again, detail) => {
      const rows = `${again}\nA-2;x;y\nA-3;x\nA-4;x;y;z\n;;\n`;
      expect(await detailsIn(`${HEADER}\nA-1;x;y\n${rows}`)).toEqual([3, 4, 5, 6].map((line) => [line, from(detail)]));
    });

    test('up to the next row with the columns of line 1', async () => {
      const again = 'number;street 1;prénom\nA-2;x;y\n';
      const { rows, problems } = await read(`${HEADER}\nA-1;x;y\n${again}Number;Prénom;Street 1\nA-3;x;y\n${again}`);
      expect(rows.map(({ number }) => number)).toEqual(['A-1', 'A-3']);
      expect(problems).toEqual(['3 invalid_csv', '4 invalid_csv', '7 invalid_csv', '8 invalid_csv']);
    });

    test('the name of the only column beside another text is one bad row', async () => {
      const { rows, problems } = await read('name\nname;x\nA\n', { delimiter: ';' });
      expect([rows, problems]).toEqual([[{ name: 'A' }], ['2 invalid_csv']]);
    });

    test('names that look like data are not shown', async () => {
      expect(await detailsIn('name;a@example.com;street\nx;y;z\nname;street;a@example.com\n')).toEqual([
        [3, from('column 2 is another one')],
      ]);
    });

    test.each([
      ['one name', 'number;name', 'number;x'],
      ['half of the names', 'number;name;street;town', 'number;name;street 1;y'],
      ['one name in each of three columns', 'number;name;street', 'name;name;name'],
      ['the name of the only column in capitals', 'name', 'NAME'],
      ['names that differ only in case, in another order', 'name;NAME', 'Name;Name'],
      ['empty cells', 'number;name;street', 'number;;'],
    ])('a row with %s is one of data', async (_, header, row) => {
      const { rows, problems, csv } = await read(`${header}\n${row}\n`);
      expect([rows.map((one) => Object.values(one).join(';')), problems, csv?.rowsWithoutData]).toEqual([
        [row],
        [],
        undefined,
      ]);
    });
  });

  test.each([
    [{ delimiter: '' }, 'delimiter: expected a text'],
    [{ skipLines: -1 }, 'skipLines: expected a whole number from 0 up'],
    [{ quote: 'ab' }, 'quote: expected one sign'],
    [{ delimiter: "'", quote: "'" }, 'quote: expected another character than that of delimiter'],
    [{ delimitr: ';' } as object, 'no option delimitr; did you mean delimiter?'],
  ])('%j is an error', async (format, message) => {
    await expect(read('number\nA-1\n', format)).rejects.toThrow(message);
  });

  test('each cause of a bad header has its message', async () => {
    const detail = async (content: string) => {
      const [item] = await itemsOf(content);
      const found = item?.read();
      return found !== undefined && 'problem' in found ? found.problem.detail : undefined;
    };
    expect(await detail('number;tel;tel\nA;1;2\n')).toContain('columns 2 and 3 have the same name "tel"');
    expect(await detail('12345;a@example.com;12345\nA;1;2\n')).toContain('columns 1 and 3 have the same name. ');
    expect(await detail('number;;name\nA;1;2\n')).toContain('column 2 has no name');
    expect(await detail('Export;;\nnumber;name;x\n')).toContain(
      'columns 2 and 3 have no name. Give each column a name. If lines stand above the header, skip them with skipLines',
    );
    expect(await detail('"number"s;name\nA;1\n')).toContain('text follows the closing quote of field 1');
  });
});

describe('records', () => {
  test('are hashed and stored as mapped records, not as rows', async () => {
    const [one] = await itemsOf('number,name\nA-1,Brumelle\n');
    const [other] = await itemsOf('name;number\n"Brumelle";"A-1"\n');
    const text =
      '{"account":{"import_supplier":"SUP","external_account_number":"A-1","customers":[{"family_name":"Brumelle"}]}}';
    expect([one?.text, one?.line]).toEqual([text, 2]);
    // printf '%s' "$text" | sha256sum
    expect(one?.hash).toBe('d9110da86fd6a4a8c4eb0925cc30eb9a310211d948c320a7dc364ffd675befb1');
    expect(other?.hash).toBe(one?.hash);
    expect(one?.read()).toEqual({ record: JSON.parse(text) });
  });

  test('may be several of a row, or none', async () => {
    const map: RowMap = ({ number = '' }) =>
      number === 'total'
        ? undefined
        : [
            { business: { import_supplier_code: 'SUP', external_business_identifier: `B-${number}` } },
            { account: { import_supplier: 'SUP', external_account_number: `A-${number}` } },
          ];
    const input = await openCsv('number,name\n1,x\ntotal,1\n2,y\n', map);
    expect(await describeItems(input)).toEqual(['2 B-1', '2 A-1', '4 B-2', '4 A-2']);
    expect(await describeItems(await openCsv('number\n1\n', () => []))).toEqual([]);
  });
});

describe('rows that give no record', () => {
  test.each<[string, RowMap, string, string]>([
    [
      'throws something else',
      () => {
        throw 'Brumelle';
      },
      'map_failed',
      'The mapping threw something that is not an Error.',
    ],
    ['gives null', () => null as never, 'invalid_type', 'found something else than an object'],
    ['gives a text', () => 'Brumelle' as never, 'invalid_type', 'found something else than an object'],
    ['gives a function', () => (() => 'Brumelle') as never, 'invalid_type', 'found something else than an object'],
  ])('where the module %s', async (_, map, code, detail) => {
    const [item] = await itemsOf('number,name\nA-1,Brumelle\n', map);
    expect(item?.read()).toEqual({ problem: { code, attr: '', detail: expect.stringContaining(detail) } });
    expect(JSON.stringify(item?.read())).not.toContain('Brumelle');
  });

  test.each([
    ['too few fields', 'A-1', 'The row has 1 field, and the header 2 columns'],
    ['too many fields', 'A-1,Brumelle,x', 'The row has 3 fields, and the header 2 columns'],
    ['more after a quote', 'A-1,"Brumelle"x', 'Text follows the closing quote of field 2'],
    ['a space before a quote', 'A-1, "Dorval, Jean"', 'a space stands before a quote'],
    [
      'a delimiter after its last field',
      'A-1,Brumelle,',
      'the last one is empty. If each row ends with the delimiter, write it',
    ],
    [
      'three delimiters after it',
      'A-1,Brumelle,,,',
      'the last 3 are empty. If each row ends with 3 delimiters, write them',
    ],
    ['an open quote', 'A-1,"Brumelle', 'The quote at the beginning of field 2 is not closed'],
  ])('where it has %s, and the next row is read', async (_, row, detail) => {
    const items = await itemsOf(`number,name\n${row}\nA-2,Dorval\n`);
    expect(items.map(({ line }) => line)).toEqual([2, 3]);
    expect(items[0]?.read()).toEqual({
      problem: { code: 'invalid_csv', attr: '', detail: expect.stringContaining(detail) },
    });
    expect(items[0]?.text).toBe(row);
    expect(items[1]?.read()).toHaveProperty('record');
  });

  test('where two stray quotes would join rows, and the next row is read', async () => {
    const rows = 'A-1,"Brumelle\nA-2,Dorval\nA-3,Castel"';
    const items = await itemsOf(`number,name\n${rows}\nA-4,Vernay\n`);
    expect(items.map(({ line }) => line)).toEqual([2, 5]);
    expect(items[0]?.text).toBe(rows);
    expect(items[1]?.read()).toHaveProperty('record');
    expect(items[0]?.read()).toEqual({
      problem: {
        code: 'invalid_csv',
        attr: '',
        detail:
          "Its 3 lines may be several rows, because the first and the last one have as many fields as the header, and only the quotes of field 2 join them. If they are several rows, remove these quotes, or write quote: '' if quotes are text in this file (docs/mapping.md, docs/sql-input.md); if they are one, replace its line breaks by spaces.",
      },
    });
  });

  test('where a title stands above the header, also above rows with empty fields', async () => {
    const [item] = await itemsOf('Export of January\nA-1,,\n');
    expect(item?.read()).toEqual({
      problem: {
        ...{ code: 'invalid_csv', attr: '' },
        detail: expect.stringContaining('If lines stand above the header, skip them with skipLines'),
      },
    });
  });

  test.each([
    ['the next quote', 'A-1,"Brumelle\nA-2,Dorval\nA-3,"Estrelin"\nA-4,Fontrive\n'],
    ['the end of the file', 'A-1,"Brumelle\nA-2,Dorval\nA-3,Estrelin\nA-4,Fontrive'],
    ['another stray quote', 'A-1,"Brumelle\nA-2,Dorval\nA-3,Estrelin\nA-4,Fontrive\nA-5,5" pipe'],
  ])('a stray quote costs its own line, not all up to %s', async (_, rows) => {
    const lines = await describeItems(await openCsv(`number,name\n${rows}`));
    expect(lines.slice(0, 4)).toEqual(['2 invalid_csv', '3 A-2', '4 A-3', '5 A-4']);
    expect(lines.slice(4)).toEqual(rows.includes('pipe') ? ['6 A-5'] : []);
  });

  test('an open quote that a quote at the end of another field seems to close', async () => {
    const rows = 'A-1,"Brumelle,x\nA-2,",5"\nA-3,a,b\n';
    const lines = await describeItems(await openCsv(`number,name,size\n${rows}`));
    expect(lines).toEqual(['2 invalid_csv', '3 invalid_csv', '4 A-3']);
  });

  test('an open quote before the damaged part', async () => {
    const content = gzipSync('number,name\nA-1,"Brumelle\nA-2,Dorval\n').subarray(0, -8);
    expect(await describeItems(await openCsv(content, toAccount, 'input.csv.gz'))).toEqual([
      '2 invalid_csv',
      '3 A-2',
      '4 damaged_file',
    ]);
  });

  test('if it is not in UTF-8, and other rows of the file are', async () => {
    const content = Buffer.concat([
      Buffer.from('number,name\nA-0,Hélène\nA-1,'),
      Buffer.from('Hélène', 'latin1'),
      Buffer.from('\nA-2,x\n'),
    ]);
    expect(await describeItems(await openCsv(content))).toEqual(['2 A-0', '3 invalid_encoding', '4 A-2']);
  });

  test('if a quote is never closed, in a file of 100,000 short rows', { tags: 'long' }, async () => {
    const content = `number,name\nA-1,"x\n${'A-2,y\n'.repeat(100_000)}`;
    const { at } = await folderWith({ 'input.csv': content });
    const codes = new Map<string, number>();
    for (const line of await describeItems(await openInput([at('input.csv')], { map: toAccount }))) {
      const code = line.replace(/^\d+ /, '');
      codes.set(code, (codes.get(code) ?? 0) + 1);
    }
    expect([...codes]).toEqual([
      ['invalid_csv', 1],
      ['A-2', 100_000],
    ]);
  });

  test('if its line is longer than the maximum', async () => {
    const { at } = await folderWith({ 'input.csv': `number,name\nA-1,${'x'.repeat(50)}\nA-2,y\n` });
    const input = await openInput([at('input.csv')], { map: toAccount, longestLine: 40 });
    expect(await describeItems(input)).toEqual(['2 line_too_long', '3 A-2']);
  });
});

describe('a value of a record that JSON would change is a problem with its path', () => {
  class Amount {
    readonly cents = 1250;
    get euros() {
      return this.cents / 100;
    }
  }
  const throwing = new Proxy(
    {},
    {
      ownKeys() {
        throw new Error('Brumelle');
      },
    },
  );
  test.each<[string, unknown]>([
    ['NaN', Number.NaN],
    ['Infinity', Number.NEGATIVE_INFINITY],
    ['a Map', new Map([['kwh', 12.5]])],
    ['a Set', new Set([1])],
    ['a bigint', 12n],
    ['a symbol', Symbol('x')],
    ['a function', () => 1],
    ['a date object', new Date(0)],
    ['an object whose class has a getter', new Amount()],
    ['an invalid date', new Date(Number.NaN)],
    ['undefined in a list', [undefined]],
  ])('%s', async (_, value) => {
    const [item] = await itemsOf('number,name\nA-1,Brumelle\n', ({ number = '' }) => ({
      account: {
        import_supplier: 'SUP',
        external_account_number: number,
        metadata: [{ key: 'usage', value: value as never }],
      },
    }));
    expect(item?.read()).toMatchObject({
      problem: { code: 'invalid_json_value', attr: expect.stringMatching(/^account\.metadata\.0\.value(\.\*)?$/) },
    });
    expect(item?.text).toBe('A-1,Brumelle');
  });

  test('a getter of a class, which JSON would leave out', async () => {
    const [item] = await itemsOf('number,name\nA-1,x\n', () => ({
      account: new (class {
        get external_account_number() {
          return 'A-1';
        }
      })() as never,
    }));
    expect(item?.read()).toMatchObject({ problem: { code: 'invalid_json_value', attr: 'account' } });
  });

  test('an object that cannot be read', async () => {
    const items = await itemsOf('number,name\nA-1,x\nA-2,y\n', ({ number }) =>
      number === 'A-1' ? { account: throwing as never } : { account: { external_account_number: number } as never },
    );
    expect(items[0]?.read()).toMatchObject({ problem: { code: 'invalid_json_value' } });
    expect(items[1]?.read()).toHaveProperty('record');
  });

  test('but fields that are undefined are left out', async () => {
    const [item] = await itemsOf('number,name\nA-1,x\n', ({ number }) => ({
      account: { external_account_number: number, billing_address1: undefined } as never,
    }));
    expect(item?.read()).toEqual({ record: { account: { external_account_number: 'A-1' } } });
  });
});

describe('a module whose function is async', () => {
  test.each<[string, () => unknown]>([
    ['resolves', async () => ({ account: {} })],
    ['rejects', async () => Promise.reject(new Error('Brumelle is no name'))],
    ['rejects in a list', () => [Promise.reject(new Error('Brumelle is no name'))]],
    // biome-ignore lint/suspicious/noThenProperty: a promise of another library
    ['returns a custom promise', () => ({ then: (_: unknown, reject: (why: string) => void) => reject('x') })],
  ])('ends the reading once, where it %s, and leaves no rejection behind', async (_, map) => {
    const left: unknown[] = [];
    const onRejection = (reason: unknown) => void left.push(reason);
    process.on('unhandledRejection', onRejection);
    onTestFinished(() => void process.off('unhandledRejection', onRejection));
    const { at } = await folderWith({ 'input.csv': 'number,name\nA-1,Brumelle\nA-2,Dorval\n' });
    const reading = describeItems(await openInput([at('input.csv')], { map: map as RowMap }));
    await expect(reading).rejects.toThrow(
      `${at('input.csv')}:2: the mapping module returned a promise; expected the record itself. Remove async and await from its function.`,
    );
    await expect(reading).rejects.toBeInstanceOf(InputError);
    // Rejections without a handler are reported before the next turn of the event loop.
    await new Promise((done) => setImmediate(done));
    expect(left).toEqual([]);
  });
});

describe('a header without column names is the only finding of a file', () => {
  test.each([
    ['the same name twice', 'number,number\nA-1,x\n'],
    ['a column without a name', 'number,,name\nA-1,x,y\n'],
    ['a title and delimiters', 'Export of customers,,\nnumber,name,phone\nA-1,x,y\n'],
    ['quotes that do not fit', '"num"ber,name\nA-1,x\n'],
    ['bytes that are not UTF-8', Buffer.concat([Buffer.from('numéro,pr'), Buffer.from('énom\nA-1,x\n', 'latin1')])],
  ])('%s', async (_, content) => {
    const map = vi.fn<RowMap>(toAccount);
    const items: InputLine[] = [];
    for await (const item of await openCsv(content, map)) items.push(item);
    expect(items.map((item) => item.line)).toEqual([1]);
    expect(items[0]?.read()).toMatchObject({
      problem: { code: 'invalid_csv', detail: expect.stringContaining('header') },
    });
    expect(map).not.toHaveBeenCalled();
  });

  test('a header line without end', async () => {
    const { at } = await folderWith({ 'input.csv': `number,${'x'.repeat(50)}\nA-1,y\n` });
    const input = await openInput([at('input.csv')], { map: toAccount, longestLine: 40 });
    expect(await describeItems(input)).toEqual(['1 line_too_long']);
  });

  test.each(['', '\n\n', 'number,name', 'number,name\n'])('and no rows give no records: %j', async (content) => {
    expect(await describeItems(await openCsv(content))).toEqual([]);
  });
});
