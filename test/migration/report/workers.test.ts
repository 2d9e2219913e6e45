/** Who worked at a run is kept in its folder, and in its report whenever that is written. */
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Worker } from '../../../src/migration/distributed/ledger/worker-rows.js';
import { createMemoryLedger } from '../../../src/migration/ledger/memory.js';
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

test('they are in the report of the run, and again when it is written again; their file is for this user only', async () => {
  const { folder, report, written } = await openRun();
  await folder.write('workers', [WORKER]);
  expect(((await stat(folder.at('workers.json'))).mode & 0o777).toString(8)).toBe('600');
  expect((await writeReport(folder, report, createMemoryLedger())).workers).toEqual([WORKER]);
  await rewriteReport(folder, await ledgerOf([record('A-1', { outcome: 'created' })]));
  expect((await written()).workers).toEqual([WORKER]);
  expect(await readFile(folder.at('report.html'), 'utf8')).toContain(HEADING);
});

test.each([undefined, '', '{', '{}', '[{"id":7}]', JSON.stringify([{ ...WORKER, work: { ended: 'x' } }])])(
  'without their file, as for a run on one machine, or with a damaged one, the report has none: %j',
  async (text) => {
    const { folder, report, written } = await openRun();
    if (text !== undefined) await writeFile(folder.at('workers.json'), text);
    await writeReport(folder, report, createMemoryLedger());
    expect(await written()).not.toHaveProperty('workers');
    expect(await readFile(folder.at('report.html'), 'utf8')).not.toContain(HEADING);
  },
);
