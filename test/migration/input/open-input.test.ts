/** Which files an input has, in which order they are read, and which inputs are refused before the first line is read. */
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { RowMap } from '../../../src/migration/input/csv/load-mapping.js';
import { InputError } from '../../../src/migration/input/input-error.js';
import { openInput } from '../../../src/migration/input/open-input.js';
import type { Input } from '../../../src/migration/input/source.js';
import { accountLine, businessLine, describeItems, folderWith } from './reading.js';

async function namesOf(source: Input, folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const item of source) names.push(item.source.replace(`${folder}/`, ''));
  return names;
}

async function refusal(paths: string[]): Promise<InputError> {
  const error = await openInput(paths).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(InputError);
  return error as InputError;
}

describe('what is read', () => {
  test('several files, in the order in which they are given', async () => {
    const { folder, at } = await folderWith({ 'z.jsonl': accountLine('A-1'), 'a.jsonl': accountLine('A-2') });
    const input = await openInput([at('z.jsonl'), at('a.jsonl')]);
    expect(await namesOf(input, folder)).toEqual(['z.jsonl', 'a.jsonl']);
    expect(await describeItems(input)).toEqual(['1 A-1', '1 A-2']);
  });

  test('every record once, with any number of readers of one iterator', async () => {
    // Some 400 kB: more than is read of a file at once.
    const lines = Array.from({ length: 6000 }, (_, index) => accountLine(`A-${index + 1}`));
    const { at } = await folderWith({ 'input.jsonl': lines.join('\n') });
    const items = (await openInput([at('input.jsonl')]))[Symbol.asyncIterator]();
    const found: number[] = [];
    const read = async () => {
      for (let result = await items.next(); result.done !== true; result = await items.next()) {
        found.push(result.value.line);
        // As a request would: the next part of the file comes meanwhile.
        await new Promise(setImmediate);
      }
    };
    await Promise.all(Array.from({ length: 64 }, read));
    expect(found).toHaveLength(6000);
    expect(new Set(found).size).toBe(6000);
  });

  test.each(['input.jsonl', 'input.ndjson', 'input.json', 'INPUT.JSONL', 'input.2026.jsonl'])('%s', async (name) => {
    const { at } = await folderWith({ [name]: accountLine('A-1') });
    expect(await describeItems(await openInput([at(name)]))).toEqual(['1 A-1']);
  });

  test.each(['input.jsonl.gz', 'input.ndjson.gz', 'input.json.gz', 'input.jsonl.GZ'])('%s', async (name) => {
    const { at } = await folderWith({ [name]: gzipSync(accountLine('A-1')) });
    expect(await describeItems(await openInput([at(name)]))).toEqual(['1 A-1']);
  });

  test('a folder: businesses first, then by name, without hidden files', async () => {
    const { folder } = await folderWith({
      'accounts-10.jsonl': accountLine('A-10'),
      'accounts-02.jsonl.gz': gzipSync(accountLine('A-02')),
      'Zoo.jsonl': accountLine('A-Z'),
      'businesses.jsonl': businessLine('B-2'),
      'business-1.jsonl': businessLine('B-1'),
      '.gitignore': '*',
      '.hidden.jsonl': accountLine('A-HIDDEN'),
    });
    expect(await namesOf(await openInput([folder]), folder)).toEqual([
      'business-1.jsonl',
      'businesses.jsonl',
      'Zoo.jsonl',
      'accounts-02.jsonl.gz',
      'accounts-10.jsonl',
    ]);
  });

  test('lines are counted from 1 in every file', async () => {
    const { folder } = await folderWith({ 'a.jsonl': `\n${accountLine('A-1')}`, 'b.jsonl': accountLine('B-1') });
    expect(await describeItems(await openInput([folder]))).toEqual(['2 A-1', '1 B-1']);
  });
});

describe('paths that are refused at once, with a remedy', () => {
  test('no path', async () => {
    expect((await refusal([])).message).toMatch(/^no input is given; expected files \(\.jsonl.*\), folders, or -\.$/);
  });

  test('a missing path', async () => {
    const { at } = await folderWith({});
    expect((await refusal([at('none.jsonl')])).message).toBe(
      `${at('none.jsonl')}: there is no such file or folder; expected the path of an input file. Check the path, and that you may read it.`,
    );
  });

  test('a path that cannot be read', async () => {
    const { at } = await folderWith({});
    await symlink(at('circle.jsonl'), at('circle.jsonl'));
    expect((await refusal([at('circle.jsonl')])).message).toMatch(
      /circle\.jsonl: it cannot be read \(ELOOP\); expected/,
    );
  });

  test.each(['input.txt', 'input', 'input.jsonl.zip', 'input.gz', 'inputjsonl'])('a file named %s', async (name) => {
    const { at } = await folderWith({ [name]: accountLine('A-1') });
    expect((await refusal([at(name)])).message).toBe(
      `${at(name)}: the format is not clear from the name; expected .jsonl, .ndjson, .json or .csv, each also with .gz, a query (.sql), or a module that exports records (.mjs, .js, .cjs, .ts). Rename it.`,
    );
  });

  test.each(['input.csv', 'input.csv.gz'])('%s without a mapping module', async (name) => {
    const { at } = await folderWith({ [name]: 'number\nA-1\n' });
    expect((await refusal([at(name)])).message).toBe(
      `${at(name)}: CSV needs a mapping module, which converts rows to records. Give one with --map <path>, or one for each file with --map ${name}=<path>.`,
    );
  });

  test('but not a folder because of the folder of a run in it, which is no input', async () => {
    const { folder, at } = await folderWith({ 'a.jsonl': accountLine('A-1') });
    await mkdir(at('data-import-rehearsal'));
    await writeFile(at('data-import-rehearsal/run.json'), '{}');
    await writeFile(at('data-import-rehearsal/rejected.jsonl'), accountLine('A-2'));
    const texts: string[] = [];
    for await (const { text } of await openInput([folder])) texts.push(text);
    expect(texts).toEqual([accountLine('A-1')]);
  });

  test('a folder with anything else in it: no file is left out unseen', async () => {
    const { folder, at } = await folderWith({ 'a.jsonl': accountLine('A-1'), 'b.xlsx': '', README: '' });
    await mkdir(at('older'));
    await writeFile(at('older/c.jsonl'), '');
    expect((await refusal([folder])).message).toBe(
      `${folder}: README, b.xlsx, older cannot be part of an input; expected files (.jsonl, .ndjson, .json or .csv, each also with .gz) only. Move them away, or name the input files one by one.`,
    );
  });

  test('a folder with many other files: the first five are named', async () => {
    const names = ['1.pdf', '2.pdf', '3.pdf', '4.pdf', '5.pdf', '6.pdf', '7.pdf'];
    const { folder } = await folderWith(Object.fromEntries(names.map((name) => [name, ''])));
    expect((await refusal([folder])).message).toContain(
      `${folder}: 1.pdf, 2.pdf, 3.pdf, 4.pdf, 5.pdf and 2 more cannot be part of an input;`,
    );
  });

  test('a folder without files', async () => {
    const { folder } = await folderWith({ '.gitignore': '*' });
    expect((await refusal([folder])).message).toMatch(/: there is no file in it; expected files/);
  });

  test.each([
    ['a file', (at: (name: string) => string) => [at('a.jsonl'), at('a.jsonl')]],
    ['a file under another spelling', (at: (name: string) => string) => [at('a.jsonl'), at('./x/../a.jsonl')]],
    ['a file and its folder', (at: (name: string) => string) => [at('.'), at('a.jsonl')]],
    ['standard input', () => ['-', '-']],
  ])('twice the same: %s', async (_, paths) => {
    const { at } = await folderWith({ 'a.jsonl': accountLine('A-1') });
    expect((await refusal(paths(at))).message).toMatch(
      /: is given twice, but each record may occur only once\. Name it once\.$/,
    );
  });

  test('neither a file nor a folder', async () => {
    expect((await refusal(['/dev/null'])).message).toMatch(
      /^\/dev\/null: is neither a file nor a folder.*standard input, and give -\.$/,
    );
  });
});

test('a file that disappears before it is read ends the reading with its name and the remedy', async () => {
  const { at } = await folderWith({ 'a.jsonl': accountLine('A-1'), 'b.jsonl.gz': gzipSync(accountLine('A-2')) });
  const input = await openInput([at('a.jsonl'), at('b.jsonl.gz')]);
  await rm(at('b.jsonl.gz'));
  const read: number[] = [];
  const reading = (async () => {
    for await (const { line } of input) read.push(line);
  })();
  await expect(reading).rejects.toThrow(
    `${at('b.jsonl.gz')}: reading stopped (ENOENT); expected a file that stays as it is. Correct it and run the same command again.`,
  );
  await expect(reading).rejects.toBeInstanceOf(InputError);
  expect(read).toEqual([1]);
});

describe('facts about the files', () => {
  const map: RowMap = (row) =>
    row['number'] === 'total'
      ? undefined
      : { account: { import_supplier: 'S', external_account_number: row['number'] ?? '' } };
  const CSV = 'number,name\nA-1,x\nA-2,y\n';

  test('a pass that stops early does not replace the facts of a complete one', async () => {
    const { at } = await folderWith({ 'input.csv': CSV, 'empty.jsonl': '\n' });
    const input = await openInput([at('input.csv'), at('empty.jsonl')], { map });
    expect(input.files()).toEqual([{ source: at('input.csv') }, { source: at('empty.jsonl') }]);
    await describeItems(input);
    for await (const _ of input) break;
    expect(input.files()).toEqual([
      {
        ...{
          source: at('input.csv'),
          bytes: 24,
          sha256: '89ee7d4f56c493655b5176d95fe3fcc69270bc9aa0e085076edce8ea32ef01bb',
        },
        csv: { columns: 2, rows: 2, neverRead: ['name'] },
      },
      {
        source: at('empty.jsonl'),
        bytes: 1,
        sha256: '01ba4719c80b6fe911b091a7c05124b64eeece964e09c058ef8f9805daca546b',
        empty: 'blank lines only',
      },
    ]);
  });

  test('two readings at the same time count each for itself', async () => {
    const { at } = await folderWith({ 'input.csv': CSV });
    const input = await openInput([at('input.csv')], { map });
    await Promise.all([describeItems(input), describeItems(input)]);
    expect(input.files()[0]?.csv?.rows).toBe(2);
  });
});
