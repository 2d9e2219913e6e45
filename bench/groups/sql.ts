/** A query over six files in Windows-1252 becomes sorted JSON records: time and memory of a process that does nothing else. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inFolder } from '../frame/figures.js';
import type { Sheet } from '../frame/sheet.js';
import { writeExport } from '../sql/export.mjs';

const READER = fileURLToPath(new URL('../sql/reader.mjs', import.meta.url));

interface Taken {
  records: number;
  seconds: number;
  bytes: number;
}

export async function measure(sheet: Sheet<'sql'>): Promise<void> {
  await inFolder(async (folder) => {
    const accounts = sheet.size(1_000_000, 2_000);
    const expected = writeExport(folder, accounts);
    const taken = await read(join(folder, 'customers.sql'));
    if (taken.records !== expected) throw new Error(`found ${taken.records} records of ${expected}`);
    sheet.say(`${accounts} accounts: ${taken.seconds.toFixed(1)} s, ${Math.round(taken.bytes / 1e6)} MB`);
    sheet.fill('time', () => ({ value: taken.seconds }));
    sheet.fill('memory', () => ({ value: taken.bytes / 1e6 }));
  });
}

async function read(query: string): Promise<Taken> {
  const child = fork(READER, [query], { execArgv: [] });
  const [taken] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`bench: the reader ended with ${code}.`))),
  ])) as [Taken];
  await once(child, 'exit').catch(() => {});
  return taken;
}
