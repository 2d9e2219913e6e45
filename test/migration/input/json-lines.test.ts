/** An input in JSON Lines: every line is a record, or tells what it is instead. */
import { describe, expect, test } from 'vitest';
import { openInput } from '../../../src/migration/input/open-input.js';
import type { InputLine } from '../../../src/migration/input/source.js';
import { accountLine, businessLine, describeItems, folderWith } from './reading.js';

async function openText(content: string | Uint8Array, options?: { longestLine: number }) {
  const { at } = await folderWith({ 'input.jsonl': content });
  return openInput([at('input.jsonl')], options);
}

async function itemsOf(content: string | Uint8Array, options?: { longestLine: number }): Promise<InputLine[]> {
  const items: InputLine[] = [];
  for await (const item of await openText(content, options)) items.push(item);
  return items;
}

describe('lines', () => {
  test('each gives its file, its line, its text and the hash of its bytes', async () => {
    const { at } = await folderWith({ 'input.jsonl': '{"account":{"given_name":"Élise"}}\n' });
    const items: InputLine[] = [];
    for await (const item of await openInput([at('input.jsonl')])) items.push(item);
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      source: at('input.jsonl'),
      line: 1,
      text: '{"account":{"given_name":"Élise"}}',
      // printf '%s' '{"account":{"given_name":"Élise"}}' | sha256sum
      hash: 'fa078ab7c86701968faf275f803cdb7915a40774856d1dc8dcfa84ac3e418516',
    });
    expect(items[0]?.read()).toEqual({ record: { account: { given_name: 'Élise' } } });
  });

  test.each([
    ['LF', `${businessLine('B-1')}\n${accountLine('A-1')}\n`],
    ['CRLF', `${businessLine('B-1')}\r\n${accountLine('A-1')}\r\n`],
    ['no end of the last line', `${businessLine('B-1')}\n${accountLine('A-1')}`],
    ['a byte order mark', `\ufeff${businessLine('B-1')}\n${accountLine('A-1')}\n`],
    ['byte order marks of joined files', `\ufeff\ufeff${businessLine('B-1')}\n\ufeff${accountLine('A-1')}\n`],
    ['a byte order mark and CRLF', `\ufeff${businessLine('B-1')}\r\n${accountLine('A-1')}`],
  ])('are read with %s', async (_, content) => {
    expect((await itemsOf(content)).map(({ line, text }) => [line, text])).toEqual([
      [1, businessLine('B-1')],
      [2, accountLine('A-1')],
    ]);
  });

  test('that are empty or contain only blanks are skipped and counted', async () => {
    const input = await openText(`\n\r\n  \t\n${accountLine('A-1')}\n\n${accountLine('A-2')}\n\n`);
    expect(await describeItems(input)).toEqual(['4 A-1', '6 A-2']);
  });

  test.each([
    ['nothing', ''],
    ['only a byte order mark', '\ufeff'],
    ['only line ends', '\n\r\n\n'],
  ])('there are none in a file with %s', async (_, content) => {
    expect(await itemsOf(content)).toEqual([]);
  });

  test('are complete if they are longer than a chunk', async () => {
    const name = 'é'.repeat(700_000);
    const [item, next] = await itemsOf(`{"account":{"given_name":"${name}"}}\n${accountLine('A-2')}\n`);
    expect(item?.read()).toEqual({ record: { account: { given_name: name } } });
    expect([next?.line, next?.text]).toEqual([2, accountLine('A-2')]);
  });

  test('can be read from the beginning several times, also after an aborted pass', async () => {
    const input = await openText(`${accountLine('A-1')}\n${accountLine('A-2')}\n`);
    for await (const { line } of input) if (line === 1) break;
    expect(await describeItems(input)).toEqual(['1 A-1', '2 A-2']);
    expect(await describeItems(input)).toEqual(['1 A-1', '2 A-2']);
  });
});

describe('NUL bytes in place of the rest of a file', () => {
  const NULS = '\0'.repeat(70_000);

  test.each(['', '{"account":{"import_su'])('reject its last line, %j', async (begun) => {
    const text = `${accountLine('A-1')}\n${begun}${NULS}`;
    expect(await describeItems(await openText(text))).toEqual(['1 A-1', '2 damaged_file']);
    expect((await itemsOf(text))[1]?.text).toBe(begun);
  });

  test('are damage too after the part by which the encoding is found, and in place of a line', async () => {
    const lines = `${accountLine('A-1')}\n`.repeat(1000);
    const items = await describeItems(await openText(`${lines}${NULS}\n${lines}${NULS}`));
    expect([items.length, items[1000], items.at(-1)]).toEqual([2002, '1001 invalid_json', '2002 damaged_file']);
  });

  test('reject the last row of a CSV file', async () => {
    const { at } = await folderWith({ 'a.csv': `number;text\nA-1;x\n${NULS}` });
    const map = (row: Record<string, string>) => ({
      account: { import_supplier: 'SUP', external_account_number: row['number'] ?? '' },
    });
    expect(await describeItems(await openInput([at('a.csv')], { map }))).toEqual(['2 A-1', '3 damaged_file']);
  });
});

describe('lines that hold no record', () => {
  test.each([
    [
      'an account number',
      '{"account":{"import_supplier":"SUP","external_account_number":"A\\ud800"}}',
      'account.external_account_number',
    ],
    [
      'the supplier of an account',
      '{"account":{"import_supplier":"\\udc00","external_account_number":"A"}}',
      'account.import_supplier',
    ],
    [
      'a business identifier',
      '{"business":{"import_supplier_code":"SUP","external_business_identifier":"\\ud83dB"}}',
      'business.external_business_identifier',
    ],
    [
      'the supplier of a business',
      '{"business":{"import_supplier_code":"S\\udfff","external_business_identifier":"B"}}',
      'business.import_supplier_code',
    ],
  ])('half a character in %s: a ledger would keep two such as one', async (_, line, attr) => {
    const [item] = await itemsOf(line);
    expect(item?.read()).toEqual({
      problem: {
        code: 'invalid_unicode',
        attr,
        detail:
          'The text has a lone surrogate such as \\ud800, half of a character, which cannot be stored. Export the text without cutting it.',
      },
    });
  });

  // The second value of each pair would be the only one that is sent.
  test.each([
    [
      'transactions',
      `{"account":{"import_supplier":"S","external_account_number":"A"},"transactions":[],"transactions":[]}`,
    ],
    ['account', '{"account":{"external_account_number":"A"},"account":{"external_account_number":"B"}}'],
    [
      'account.customers.1.email',
      '{"account":{"customers":[{"email":"a"},{"email":"b", "title":"x", "email" : "c"}]}}',
    ],
    ['account.billing_postcode', '{"account":{"billing_postcode":"1","billing\\u005fpostcode":"2"}}'],
    ['account.metadata.0.value.*', '{"account":{"metadata":[{"key":"k","value":{"Brumelle":1,"Brumelle":1}}]}}'],
  ])('a name that stands twice in an object: %s', async (attr, line) => {
    const [item] = await itemsOf(`${line}\n`);
    expect(item?.read()).toMatchObject({ problem: { code: 'duplicate_key', attr } });
    expect(item?.text).toBe(line);
  });

  test('equal names in different objects are no problem', async () => {
    const line =
      '{"account":{"external_account_number":"A","customers":[{"email":"a"},{"email":"b"}],"email":"{\\"email\\":1}"}}';
    expect(await describeItems(await openText(line))).toEqual(['1 A']);
  });

  test.each(['12345678901234567890', '9007199254740993', '0.12345678901234567890', '1e400', '1e-400', '-1E999'])(
    'a number that JavaScript would change: %s',
    async (number) => {
      const [item] = await itemsOf(`{"account":{"metadata":[{"key":"k","value":[1, ${number}]}]}}\n`);
      expect(item?.read()).toMatchObject({ problem: { code: 'inexact_number', attr: 'account.metadata.0.value.*' } });
    },
  );

  test.each([
    ...['9007199254740991', '0.1', '12.50', '1e5', '100000000000000000000', '0.30000000000000004', '-0', '0e5'],
    ...['5e-324'],
  ])('a number that JavaScript holds: %s', async (number) => {
    const [item] = await itemsOf(
      `{"account":{"external_account_number":"A","metadata":[{"key":"k","value":${number}}]}}\n`,
    );
    expect(item?.read()).toEqual({
      record: { account: { external_account_number: 'A', metadata: [{ key: 'k', value: Number(number) }] } },
    });
  });

  test('both halves of a character are one', async () => {
    expect(await describeItems(await openText(accountLine('A-\\ud83d\\ude00')))).toEqual(['1 A-😀']);
  });

  const SECRET = 'Brumelle';
  test.each([
    ['no JSON', `{"account":{"family_name":"${SECRET}"`, 'invalid_json', /not JSON.*one line/],
    ['a text', `"${SECRET}"`, 'invalid_type', /object with `business`, `account` or `populate`; found something else/],
    ['a number', '7', 'invalid_type', /found something else than an object/],
    ['null', 'null', 'invalid_type', /found something else than an object/],
    ['an array', `[{"account":{"family_name":"${SECRET}"}}]`, 'invalid_type', /found an array.*a separate line/],
    ['neither a business nor an account', `{"name":"${SECRET}"}`, 'invalid_type', /found none of them/],
    ['both', `{"account":{"family_name":"${SECRET}"},"business":{}}`, 'invalid_type', /found business and account/],
    ['only inherited names', '{"__proto__":{"account":{}}}', 'invalid_type', /found none of them/],
  ])('%s', async (_, line, code, detail) => {
    const items = await itemsOf(`${accountLine('A-1')}\n${line}\n${accountLine('A-3')}\n`);
    expect(items.map((item) => item.line)).toEqual([1, 2, 3]);
    const found = items[1]?.read();
    expect(found).toEqual({ problem: { code, attr: '', detail: expect.stringMatching(detail) } });
    expect(JSON.stringify(found)).not.toContain(SECRET);
    expect(items[1]?.text).toBe(line);
  });

  test('bytes that are not UTF-8', async () => {
    const content = Buffer.concat([
      Buffer.from('{"account":{"given_name":"'),
      Buffer.from('Élise', 'latin1'),
      Buffer.from(`"}}\n${accountLine('A-2')}\n`),
    ]);
    const items = await itemsOf(content);
    expect(items[0]?.read()).toEqual({
      problem: { code: 'invalid_encoding', attr: '', detail: expect.stringContaining('--encoding windows-1252') },
    });
    expect(items[0]?.text).toBe('{"account":{"given_name":"\ufffdlise"}}');
    expect(items[1]?.read()).toMatchObject({ record: { account: { external_account_number: 'A-2' } } });
  });

  test('a line as long as a line may be is read; one byte more is a problem, and the next line is read', async () => {
    const line = accountLine('A-1');
    expect(await describeItems(await openText(`${line}\r\n${line}`, { longestLine: line.length }))).toEqual([
      '1 A-1',
      '2 A-1',
    ]);
    const longer = ` ${line}\n${accountLine('A-2')}\n`;
    const items = await itemsOf(longer, { longestLine: line.length });
    expect(items[0]?.text).toBe(` ${line}…`);
    expect(items[0]?.read()).toMatchObject({ problem: { code: 'line_too_long', attr: '' } });
    expect(items[1]?.read()).toMatchObject({ record: { account: { external_account_number: 'A-2' } } });
  });

  test('a line of 4 MiB is read by default; one byte more is a problem that names the option', async () => {
    const ends = '{"account":{"external_account_number":"A-1","notes":""}}';
    const line = (bytes: number) => ends.replace('""', `"${'x'.repeat(bytes - ends.length)}"`);
    const [longest, longer] = await itemsOf(`${line(4 * 1024 * 1024)}\n${line(4 * 1024 * 1024 + 1)}\n`);
    expect(longest?.read()).toMatchObject({ record: { account: { external_account_number: 'A-1' } } });
    expect(longer?.read()).toEqual({
      problem: {
        code: 'line_too_long',
        attr: '',
        detail:
          'The line is longer than the longest line that is read (4 MiB by default). Write one record per line; for a record ' +
          'that is longer, raise --longest-line (longestLine of openInput).',
      },
    });
  });

  test('of a line of many millions of bytes only the beginning is kept', async () => {
    const content = `{"account":"${'x'.repeat(17 * 1024 * 1024)}"}\n${accountLine('A-2')}\n`;
    const items = await itemsOf(content);
    expect(items.map((item) => item.line)).toEqual([1, 2]);
    expect(items[0]?.text).toBe(`{"account":"${'x'.repeat(1012)}…`);
    expect(items[0]?.read()).toMatchObject({ problem: { code: 'line_too_long' } });
  });

  test('JSON within JSON, deeper than any record, is a problem of its line; it never throws', async () => {
    const deep = `{"account":{"metadata":${'['.repeat(100_000)}`;
    expect(await describeItems(await openText(`${deep}\n${deep}${']'.repeat(100_000)}}}\n`))).toEqual([
      '1 too_deep',
      '2 too_deep',
    ]);
  });
});
