/**
 * Seconds from the start of the process to its first request, where nine tenths of a million small accounts are in the
 * ledger as done. The rows are written through the ledger, not by a run.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type LedgerRecord, openBook, openSqliteLedger, type SourceItem } from 'data-import-sdk/migration';
import { startService } from './bench-service.js';
import { smallAccounts, writeBook } from './books.js';
import { inFolder, median, seconds } from './figures.js';

const ACCOUNTS = 1_000_000;
const DONE = 0.9;
const TIMES = 3;
const AT_ONCE = 500;

export async function measure(): Promise<void> {
  await inFolder(async (folder) => {
    const book = join(folder, 'book.jsonl');
    const run = join(folder, 'run');
    await writeBook(book, smallAccounts(ACCOUNTS));
    const startedAt = performance.now();
    await prepare(book, run);
    console.log(`${ACCOUNTS * DONE} of ${ACCOUNTS} rows written in ${seconds(startedAt).toFixed(1)} s`);
    const service = await startService();
    const waits: number[] = [];
    for (let time = 0; time < TIMES; time++) {
      const since = Date.now();
      const child = fork(fileURLToPath(new URL(`./runner${import.meta.url.slice(-3)}`, import.meta.url)), [
        book,
        run,
        service.origin,
        '64',
      ]);
      let { firstAt } = await service.tell({});
      while (firstAt === undefined) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        ({ firstAt } = await service.tell({}));
      }
      waits.push((firstAt - since) / 1000);
      await ended(child);
      await service.tell({});
    }
    service.stop();
    console.log(
      `first request after ${waits.map((wait) => wait.toFixed(2)).join(', ')} s, median ${median(waits).toFixed(2)}`,
    );
  });
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}

async function prepare(book: string, run: string): Promise<void> {
  const { mkdirSync } = await import('node:fs');
  mkdirSync(run, { mode: 0o700 });
  const ledger = await openSqliteLedger(join(run, 'ledger.sqlite'));
  let group: Promise<void>[] = [];
  let left = ACCOUNTS * DONE;
  for await (const item of await openBook([book])) {
    if (left-- === 0) break;
    group.push(ledger.write(doneRecord(item)));
    if (group.length < AT_ONCE) continue;
    await Promise.all(group);
    group = [];
  }
  await Promise.all(group);
  await ledger.close();
}

function doneRecord({ text, hash, source, line }: SourceItem): LedgerRecord {
  const number = /"external_account_number":"([^"]*)"/.exec(text)?.[1] ?? '';
  return {
    ...{
      supplier: 'SUPPLIER',
      kind: 'account',
      number,
      version: 1,
      hash,
      done: 'process',
      intent: null,
      end: 'created',
    },
    ...{ platformNumber: `S-${number}`, unknown: [], errors: [], lacking: null, contract: null, source, line },
    updatedAt: '2026-01-15T09:00:00.000Z',
  };
}
