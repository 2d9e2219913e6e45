/**
 * Measures the seconds from the start of the process to its first request if the ledger has 900,000 of 1,000,000 small
 * accounts as done, and the lines of the others. The rows are written through the ledger, not by a run.
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type InputLine,
  type LedgerRecord,
  openInput,
  openSqliteLedger,
  startMigration,
} from 'data-import-sdk/migration';
import { NO_ITEMS } from '../../src/migration/ledger/items.js';
import { inFolder, median, seconds } from '../frame/figures.js';
import type { Sheet } from '../frame/sheet.js';
import { type BenchService, clientOf, startService } from './bench-service.js';
import { smallAccounts, writeInputFile } from './books.js';
import { startRunner } from './start-runner.js';

const ACCOUNTS = 1_000_000;
const DONE = 0.9;
const TIMES = 3;
const AT_ONCE = 500;
const LOOK_MS = 50;

export async function measureRestart(sheet: Sheet<'migration'>): Promise<void> {
  const accounts = sheet.size(ACCOUNTS, 200);
  const service = await startService();
  await inFolder(async (folder) => {
    const [inputFile, run] = [join(folder, 'input.jsonl'), join(folder, 'run')];
    await writeInputFile(inputFile, smallAccounts(accounts));
    const startedAt = performance.now();
    await prepare(inputFile, run, DONE * accounts, service);
    sheet.say(`${DONE * accounts} of ${accounts} rows written in ${seconds(startedAt).toFixed(1)} s`);
    const waits: number[] = [];
    const times = sheet.size(TIMES, 1);
    for (let time = 0; time < times; time++) waits.push(await firstRequest(inputFile, run, service));
    sheet.say(`first request after ${waits.map((one) => one.toFixed(2)).join(', ')} s`);
    sheet.fill('restart', () => ({ value: median(waits) }));
  });
  service.stop();
}

/** Starts a run and kills it after its first request. */
async function firstRequest(inputFile: string, folder: string, service: BenchService): Promise<number> {
  const since = Date.now();
  const child = startRunner({ inputFile, folder, origin: service.origin, inFlight: 64 });
  for (;;) {
    const { firstAt } = await service.configure({});
    if (child.exitCode !== null) throw new Error(`bench: the run ended with ${child.exitCode} and sent nothing.`);
    if (firstAt === undefined) {
      await wait(LOOK_MS);
      continue;
    }
    child.kill('SIGKILL');
    await once(child, 'exit');
    // Requests that were in flight at the kill can still arrive.
    await wait(LOOK_MS);
    await service.configure({});
    return (firstAt - since) / 1000;
  }
}

/** Creates the run folder with a run that is stopped when it has read its input, then writes the first `done` records as created. */
async function prepare(path: string, folder: string, done: number, service: BenchService): Promise<void> {
  const client = clientOf(service, 1);
  const input = await openInput([path]);
  const run = await startMigration({ client, input, folder, team: 'TEAM' });
  // Not in the types of the package.
  const { readProgress } = run as unknown as { readProgress: { isOver: boolean } };
  while (!readProgress.isOver) await wait(LOOK_MS);
  run.throttle.drain();
  await run.finished;
  await client.close();
  const ledger = await openSqliteLedger(join(folder, 'ledger.sqlite'));
  let group: Promise<void>[] = [];
  let left = done;
  for await (const item of input) {
    if (left-- === 0) break;
    const record = doneRecord(item);
    const known = await ledger.find(record);
    group.push(ledger.write({ ...record, version: (known?.version ?? 0) + 1 }, [], true));
    if (group.length < AT_ONCE) continue;
    await Promise.all(group);
    group = [];
  }
  await Promise.all(group);
  await ledger.close();
}

function doneRecord({ text, hash, source, line }: InputLine): LedgerRecord {
  const number = /"external_account_number":"([^"]*)"/.exec(text)?.[1] ?? '';
  return {
    supplier: 'SUPPLIER',
    kind: 'account',
    number,
    version: 1,
    hash,
    contentHash: hash.slice(0, 32),
    correctedFrom: null,
    done: 'process',
    intent: null,
    intentAt: null,
    intentHash: null,
    intentOnce: false,
    stageUnansweredAt: null,
    outcome: 'created',
    serviceNumber: `S-${number}`,
    unknown: [],
    errors: [],
    warnings: [],
    difference: null,
    decisions: [],
    items: NO_ITEMS,
    contract: null,
    source,
    line,
    updatedAt: '2026-01-15T09:00:00.000Z',
  };
}
