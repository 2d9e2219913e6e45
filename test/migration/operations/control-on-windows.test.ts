/** On Windows a run listens on a named pipe: nothing stands in the folder, and nothing is taken away. */
import { readdir } from 'node:fs/promises';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { findAddress, forgetAddress, newAddress } from '../../../src/migration/operations/control/control-address.js';
import { newFolder } from '../../helpers/folder.js';

beforeEach(() => {
  const { platform } = process;
  Object.defineProperty(process, 'platform', { value: 'win32', configurable: true });
  onTestFinished(() => void Object.defineProperty(process, 'platform', { value: platform, configurable: true }));
});

async function emptyFolder(): Promise<string> {
  const folder = newFolder('control-');
  return folder;
}

test('the same folder has the same pipe, and another folder another', async () => {
  const folder = await emptyFolder();
  const address = await newAddress(folder);
  expect(address).toMatch(/^\\\\\.\\pipe\\data-import-[0-9a-f]{32}$/);
  expect(await findAddress(folder)).toBe(address);
  expect(await newAddress(await emptyFolder())).not.toBe(address);
});

test('nothing is written into the folder', async () => {
  const folder = await emptyFolder();
  await newAddress(folder);
  await forgetAddress(folder);
  expect(await readdir(folder)).toEqual([]);
});
