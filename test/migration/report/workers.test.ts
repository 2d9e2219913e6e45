/** Who worked at a run is in its report, whenever that is written. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Worker } from '../../../src/migration/distributed/ledger/worker-rows.js';
import { openRunFolder } from '../../../src/migration/report/folder/run-folder.js';
import { rewriteReport, writeReport } from '../../../src/migration/report/folder/write-report.js';
import { newFolder } from '../../helpers/folder.js';
import { ledgerOf, record } from '../ledger/records.js';
import { richReport } from './rich-report.js';

const WORKER: Worker = {
  ...{ id: 'b1', name: 'W1', host: 'import-1', pid: 7, isThere: false },
  ...{ joinedAt: '2026-01-15T20:00:00.000Z', leftAt: '2026-01-15T21:00:00.000Z' },
  work: { ended: 3, requests: 12, throttled: 1, takenOver: 2 },
};
const HEADING = '<h2 id="workers">Workers</h2>';

async function openRun() {
  const path = newFolder('run-folder-');
  const folder = await openRunFolder(join(path, 'run'));
  const report = richReport();
  await folder.writeRun(report.run);
  const written = async () => JSON.parse(await readFile(folder.at('report.json'), 'utf8'));
  return { folder, report, written };
}

test('they are in the report of the run, and again when it is written again; a run on one machine has none', async () => {
  const { folder, report, written } = await openRun();
  const { workers: _, ...single } = report;
  const ledger = await ledgerOf([record('A-1', { outcome: 'created' })]);
  await writeReport(folder, single, ledger);
  expect(await written()).not.toHaveProperty('workers');
  expect(await readFile(folder.at('report.html'), 'utf8')).not.toContain(HEADING);
  await writeReport(folder, { ...single, workers: [WORKER] }, ledger);
  await rewriteReport(folder, ledger);
  expect((await written()).workers).toEqual([WORKER]);
  expect(await readFile(folder.at('report.html'), 'utf8')).toContain(HEADING);
});
