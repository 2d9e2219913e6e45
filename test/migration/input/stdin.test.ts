/** Standard input as the input: it is copied to a file that no other user can open. */
import { readdir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { InputError } from '../../../src/migration/input/input-error.js';
import { openInput } from '../../../src/migration/input/open-input.js';
import { accountLine, describeItems, folderWith } from './reading.js';

const input = (...parts: string[]) => Readable.from(parts.map((part) => Buffer.from(part)));

test('it may be read as often as a file, in its place among the others, under the name -', async () => {
  const { folder, at } = await folderWith({ 'a.jsonl': accountLine('A-1'), 'c.jsonl': accountLine('A-3') });
  const stdin = input(accountLine('A-2').slice(0, 20), `${accountLine('A-2').slice(20)}\n\n`, accountLine('A-2b'));
  const opened = await openInput([at('a.jsonl'), '-', at('c.jsonl')], { stdin, spoolFolder: folder });
  expect(await describeItems(opened)).toEqual(['1 A-1', '1 A-2', '3 A-2b', '1 A-3']);
  expect(await describeItems(opened)).toEqual(['1 A-1', '1 A-2', '3 A-2b', '1 A-3']);
  const names: string[] = [];
  for await (const { source } of opened) names.push(source);
  expect(names).toEqual([at('a.jsonl'), '-', '-', at('c.jsonl')]);
  await opened.close();
});

test('a pass may begin during another one', async () => {
  const { folder } = await folderWith({});
  const text = Array.from({ length: 20_000 }, (_, index) => accountLine(`A-${index + 1}`)).join('\n');
  const opened = await openInput(['-'], { stdin: input(text), spoolFolder: folder });
  const [one, other] = await Promise.all([describeItems(opened), describeItems(opened)]);
  expect(one).toHaveLength(20_000);
  expect(one[19_999]).toBe('20000 A-20000');
  expect(other).toEqual(one);
  await opened.close();
});

test('its copy has no name in the folder, neither while it is open nor afterwards', async () => {
  const { folder } = await folderWith({});
  const opened = await openInput(['-'], { stdin: input(accountLine('A-1')), spoolFolder: folder });
  expect(await readdir(folder)).toEqual([]);
  expect(await describeItems(opened)).toEqual(['1 A-1']);
  await opened.close();
  expect(await readdir(folder)).toEqual([]);
});

test('it may be empty', async () => {
  const { folder } = await folderWith({});
  const opened = await openInput(['-'], { stdin: input(), spoolFolder: folder });
  expect(await describeItems(opened)).toEqual([]);
  await opened.close();
});

test('with a mapping module it is CSV', async () => {
  const { folder } = await folderWith({});
  const map = (row: Record<string, string>) => ({
    account: { import_supplier: 'SUP', external_account_number: row['number'] ?? '' },
  });
  const opened = await openInput(['-'], { stdin: input('number\nA-1\n'), spoolFolder: folder, map });
  expect(await describeItems(opened)).toEqual(['2 A-1']);
  await opened.close();
});

test('a missing folder is reported', async () => {
  const { at } = await folderWith({});
  const opening = openInput(['-'], { stdin: input(accountLine('A-1')), spoolFolder: at('none') });
  await expect(opening).rejects.toThrow(
    `-: standard input cannot be copied to a file in ${at('none')} (ENOENT); expected enough space for all of it. Free disk space, or give the input as a file.`,
  );
  await expect(opening).rejects.toBeInstanceOf(InputError);
});

test('incomplete input is reported, and leaves no file', async () => {
  const { folder } = await folderWith({});
  const stdin = new Readable({
    read() {
      this.destroy(Object.assign(new Error('read'), { code: 'EIO' }));
    },
  });
  await expect(openInput(['-'], { stdin, spoolFolder: folder })).rejects.toThrow(
    /^-: standard input cannot .* \(EIO\)/,
  );
  expect(await readdir(folder)).toEqual([]);
});
