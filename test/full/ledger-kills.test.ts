/** A process that writes into a ledger is killed 20 times: no acknowledged write is lost (FC_SEED repeats the moments). */
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadSqlite } from '../../src/migration/ledger/sqlite/driver.js';
import { openSqliteLedger } from '../../src/migration/ledger/sqlite/sqlite-ledger.js';
import { seed } from '../helpers/seed.js';
import { startWriter } from '../migration/ledger/processes.js';
import { emptyFolder } from '../migration/ledger/records.js';

const KILLS = 20;
/** Rounds of one process; more than it lives to write. */
const ROUNDS = 100_000;

test('after each of 20 kills the file opens, no acknowledged write is lost, and no version is ahead of its writer', async () => {
  const path = join(emptyFolder(), 'ledger.db');
  /** Version that was acknowledged last, by number. */
  const acknowledged = new Map<string, number>();
  const moments = fc.sample(fc.integer({ min: 1, max: 3000 }), { seed, numRuns: KILLS });
  for (const [kill, moment] of moments.entries()) {
    const writer = startWriter([path, ROUNDS, kill * ROUNDS]);
    await writer.saidLines(moment);
    await writer.kill();
    for (const line of writer.lines()) {
      const [number = '', version] = line.split(' ');
      if (version !== undefined) acknowledged.set(number, Number(version));
    }

    const ledger = await openSqliteLedger(path);
    const lost = new Map(acknowledged);
    const wrong: string[] = [];
    for await (const { number, version, line } of ledger.list()) {
      const acknowledgedVersion = acknowledged.get(number) ?? 0;
      // The writer is at most one write ahead of the last acknowledged one, and writes its version twice.
      if (version < acknowledgedVersion || version > acknowledgedVersion + 1 || line !== version)
        wrong.push(`${number}: ${acknowledgedVersion}, ${version}, ${line}`);
      else lost.delete(number);
      // What was on disk and not acknowledged any more is on disk.
      acknowledged.set(number, version);
    }
    await ledger.close();
    expect({ kill, lost: [...lost.keys()], wrong }).toEqual({ kill, lost: [], wrong: [] });
  }
  const connection = (await loadSqlite())(path, { readOnly: true });
  expect(
    connection
      .prepare('pragma integrity_check')
      .all()
      .map((row) => Object.values(row as object)),
  ).toEqual([['ok']]);
  connection.close();
  expect(acknowledged.size).toBeGreaterThan(KILLS);
});
