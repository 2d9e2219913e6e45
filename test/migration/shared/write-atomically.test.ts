/** Files that belong together: none takes its place before each of them is on disk. */
import { type FileHandle, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { writeWhole } from '../../../src/migration/shared/write-atomically.js';

async function twoFiles() {
  const folder = await mkdtemp(join(tmpdir(), 'whole-file-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const paths = [join(folder, 'ok.csv'), join(folder, 'unknown.jsonl')] as const;
  for (const path of paths) await writeFile(path, 'former');
  const texts = async () => Promise.all(paths.map((path) => readFile(path, 'utf8')));
  return { folder, paths, texts };
}

/** The files are synced concurrently, in any order: the one with this text fails. */
async function failTheSyncOf(text: string) {
  const handle = await open(tmpdir());
  await handle.close();
  const sync = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'sync');
  onTestFinished(() => sync.mockRestore());
  sync.mockImplementation(async function (this: FileHandle) {
    const { size } = await this.stat();
    if (size === Buffer.byteLength(text)) throw Object.assign(new Error('disk'), { code: 'ENOSPC' });
  });
}

it('both take their places', async () => {
  const { folder, paths, texts } = await twoFiles();
  const written = await writeWhole(paths, async ([one, other]) => {
    await one('new ');
    await other('newer');
    await one('text');
    return 'given back';
  });
  expect(written).toEqual({
    written: 'given back',
    digests: [
      'cb0208b0b1fa06bc59f85c8b2be1e45ff2ef6ddbf0cef02e9f276b8208ea48ab',
      '804f51f71254c4081e37e7c887073560f4a6fa6cdad202e9ac67e032c43ed1e1',
    ],
  });
  expect(await texts()).toEqual(['new text', 'newer']);
  expect(await readdir(folder)).toEqual(['ok.csv', 'unknown.jsonl']);
});

it.each([
  { failing: 'ok.csv', its: 'new' },
  { failing: 'unknown.jsonl', its: 'newer' },
])('where the disk fails for $failing, both former files stay, and nothing else does', async ({ failing, its }) => {
  const { folder, paths, texts } = await twoFiles();
  await failTheSyncOf(its);
  const outcome = writeWhole(paths, async ([one, other]) => {
    await one('new');
    await other('newer');
  });
  await expect(outcome).rejects.toThrow(`${join(folder, failing)} cannot be written (ENOSPC)`);
  expect(await texts()).toEqual(['former', 'former']);
  expect(await readdir(folder)).toEqual(['ok.csv', 'unknown.jsonl']);
});
