/** Lines of the input, read again by a worker: out of the database, or out of files that it can read. */
import { readdir, readlink, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { LinePlace } from '../../../../src/migration/distributed/ledger/due-records.js';
import {
  createLineReader,
  type LineReaderOptions,
  placeOf,
} from '../../../../src/migration/distributed/worker/line-reader.js';
import { openInput } from '../../../../src/migration/input/open-input.js';
import { accountLine, folderWith } from '../../input/reading.js';

/** printf '%s' '{"account":{"given_name":"Élise"}}' | sha256sum */
const ELISE = '{"account":{"given_name":"Élise"}}';
const HASH = 'fa078ab7c86701968faf275f803cdb7915a40774856d1dc8dcfa84ac3e418516';
const RECORD = { record: { account: { given_name: 'Élise' } } };
/** Bytes of the line: the É has two. */
const LENGTH = 35;

function readerOf(options?: LineReaderOptions) {
  const reader = createLineReader(options);
  onTestFinished(() => reader.close());
  return reader;
}

describe('out of the database', () => {
  test('a line that has the hash is the record', async () => {
    expect(await readerOf().read({ text: ELISE }, HASH)).toEqual(RECORD);
  });

  test('another line is refused, and no part of it is shown', async () => {
    const read = readerOf().read({ text: ELISE.replace('É', 'E') }, HASH);
    expect(await read).toMatchObject({ mayPass: false });
    expect(await read).toMatchObject({
      failure: expect.stringMatching(/the line in the database differs from the one that the run read/),
    });
    expect(JSON.stringify(await read)).not.toContain('lise');
  });
});

describe('out of a file', () => {
  test('every line of an input, by its position', async () => {
    const { at } = await folderWith({
      'a.jsonl': `\ufeff${accountLine('A-1')}\r\n\n${ELISE}`,
      'b.jsonl': `${accountLine('B-1')}\n`,
    });
    const reader = readerOf();
    const numbers: unknown[] = [];
    for await (const item of await openInput([at('a.jsonl'), at('b.jsonl')])) {
      numbers.push(await reader.read(placeOf(item), item.hash));
    }
    const account = (number: string) => ({
      record: { account: { import_supplier: 'SUP', external_account_number: number } },
    });
    expect(numbers).toEqual([account('A-1'), RECORD, account('B-1')]);
  });

  test('many at the same time, of more files than are kept open', async () => {
    const names = Array.from({ length: 150 }, (_, index) => `${index}.jsonl`);
    const { at } = await folderWith(Object.fromEntries(names.map((name) => [name, `\n${ELISE}\n`])));
    const reader = readerOf();
    const places = names.map((name): LinePlace => ({ source: at(name), start: 1, length: LENGTH }));
    const records = await Promise.all([...places, ...places].map((place) => reader.read(place, HASH)));
    expect(records).toEqual(Array(300).fill(RECORD));
  });

  test.skipIf(process.platform !== 'linux')(
    'few files are open when they were read, and none when it is closed',
    async () => {
      const names = Array.from({ length: 150 }, (_, index) => `${index}.jsonl`);
      const { folder, at } = await folderWith(Object.fromEntries(names.map((name) => [name, ELISE])));
      const reader = readerOf();
      const openFiles = async () => {
        const held = await readdir('/proc/self/fd');
        const paths = await Promise.all(held.map((id) => readlink(`/proc/self/fd/${id}`).catch(() => '')));
        return paths.filter((path) => path.startsWith(folder)).length;
      };
      await Promise.all(names.map((name) => reader.read({ source: at(name), start: 0, length: LENGTH }, HASH)));
      expect(await openFiles()).toBe(64);
      await reader.close();
      expect(await openFiles()).toBe(0);
    },
  );

  test('a changed line is reported by file and byte, without its content', async () => {
    const { at } = await folderWith({ 'input.jsonl': `{}\n${ELISE.replace('É', 'Ê')}\n` });
    const read = readerOf().read({ source: at('input.jsonl'), start: 3, length: LENGTH }, HASH);
    expect(await read).toMatchObject({ mayPass: false });
    expect(await read).toMatchObject({
      failure: expect.stringContaining(`the input was changed during the run: ${at('input.jsonl')} at byte 3. `),
    });
    expect(JSON.stringify(await read)).not.toContain('lise');
  });

  test('a line that moved by a byte was changed', async () => {
    const { at } = await folderWith({ 'input.jsonl': ` ${ELISE}\n` });
    const read = readerOf().read({ source: at('input.jsonl'), start: 0, length: LENGTH }, HASH);
    expect(await read).toMatchObject({
      failure: expect.stringMatching(/was changed during the run: .* at byte 0\./),
    });
  });

  test('a file that was cut off in the line, or before it, was changed', async () => {
    const { at } = await folderWith({ 'input.jsonl': `{}\n${ELISE}\n` });
    const reader = readerOf();
    const place = { source: at('input.jsonl'), start: 3, length: LENGTH };
    expect(await reader.read(place, HASH)).toEqual(RECORD);
    await truncate(at('input.jsonl'), 20);
    expect(await reader.read(place, HASH)).toMatchObject({
      failure: expect.stringMatching(/was changed during the run: .* at byte 3\./),
    });
    await truncate(at('input.jsonl'), 0);
    expect(await reader.read(place, HASH)).toMatchObject({
      failure: expect.stringMatching(/was changed during the run: .* at byte 3\./),
    });
  });

  test('a missing file is reported, and is read once it exists', async () => {
    const { at } = await folderWith({});
    const reader = readerOf();
    const place = { source: at('input.jsonl'), start: 0, length: LENGTH };
    const read = reader.read(place, HASH);
    expect(await read).toMatchObject({ mayPass: false });
    expect(await read).toMatchObject({
      failure: expect.stringMatching(/input\.jsonl: there is no such file here; expected .* --input-at/),
    });
    await writeFile(at('input.jsonl'), ELISE);
    expect(await reader.read(place, HASH)).toEqual(RECORD);
  });

  test('a path that is not a file is reported', async () => {
    const { folder } = await folderWith({});
    const read = readerOf().read({ source: folder, start: 0, length: LENGTH }, HASH);
    expect(await read).toMatchObject({ failure: expect.stringMatching(/it cannot be read here \(EISDIR\); expected/) });
  });

  test('a file that is removed or replaced after it was opened is read unchanged', async () => {
    const { at } = await folderWith({ 'input.jsonl': ELISE, 'other.jsonl': 'other' });
    const reader = readerOf();
    const place = { source: at('input.jsonl'), start: 0, length: LENGTH };
    expect(await reader.read(place, HASH)).toEqual(RECORD);
    await rename(at('other.jsonl'), at('input.jsonl'));
    expect(await reader.read(place, HASH)).toEqual(RECORD);
    await rm(at('input.jsonl'));
    expect(await reader.read(place, HASH)).toEqual(RECORD);
  });
});

describe('where the input is for this worker: --input-at', () => {
  test('relative names are resolved against it', async () => {
    const { folder } = await folderWith({ 'mnt/input/part-1.jsonl': ELISE });
    const reader = readerOf({ inputAt: join(folder, 'mnt') });
    expect(await reader.read({ source: 'input/part-1.jsonl', start: 0, length: LENGTH }, HASH)).toEqual(RECORD);
    expect(await reader.read({ source: './input//part-1.jsonl', start: 0, length: LENGTH }, HASH)).toEqual(RECORD);
  });

  test('of a path from the root the last part counts', async () => {
    const { folder } = await folderWith({ 'mnt/part-1.jsonl': ELISE });
    const reader = readerOf({ inputAt: join(folder, 'mnt') });
    expect(await reader.read({ source: '/data/input/part-1.jsonl', start: 0, length: LENGTH }, HASH)).toEqual(RECORD);
  });

  test.each(['../secret.jsonl', 'input/../../secret.jsonl', '..', '../..'])(
    '%s leads out of the input folder and is refused',
    async (source) => {
      const { folder } = await folderWith({ 'secret.jsonl': ELISE, 'mnt/part-1.jsonl': ELISE });
      const read = readerOf({ inputAt: join(folder, 'mnt') }).read({ source, start: 0, length: LENGTH }, HASH);
      expect(await read).toMatchObject({ mayPass: false });
      expect(await read).toMatchObject({
        failure: expect.stringContaining(`${source}: leads out of the folder of --input-at`),
      });
    },
  );

  test('a name that only begins like that does not', async () => {
    const { folder } = await folderWith({ 'mnt/..part-1.jsonl': ELISE });
    const reader = readerOf({ inputAt: join(folder, 'mnt') });
    expect(await reader.read({ source: '..part-1.jsonl', start: 0, length: LENGTH }, HASH)).toEqual(RECORD);
  });

  test('without it a name may lead anywhere: it is the one that the run was given', async () => {
    const { at } = await folderWith({ 'input.jsonl': ELISE });
    const source = relative(process.cwd(), at('input.jsonl'));
    expect(source).toMatch(/^\.\./);
    expect(await readerOf().read({ source, start: 0, length: LENGTH }, HASH)).toEqual(RECORD);
  });
});

describe('a line that has no place', () => {
  test('is reported with a remedy', () => {
    const placeOfLine = (source: string) => () => placeOf({ source, place: undefined });
    expect(placeOfLine('input/part-1.jsonl.gz')).toThrow(
      'input/part-1.jsonl.gz: --input-in place requires lines that workers can read separately; ' +
        'expected uncompressed files of JSON Lines. Decompress or convert it, or store the input in the database: --input-in database.',
    );
    expect(placeOfLine('-')).toThrow(/^- \(standard input\): /);
  });
});
