/** A few kilobytes of a compressed input become megabytes of short lines: what a run writes of them is bounded, and nothing is left out silently. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { account, line, openFolder, openService, run } from '../cli/typed.js';

const { at } = openFolder();

const LINES = 12_000;
const rows = (name: string) => readFileSync(at(name), 'utf8').split('\n').slice(0, -1);
const report = (folder: string) => JSON.parse(readFileSync(at(`${folder}/report.json`), 'utf8'));

describe.each([
  ['JSON Lines', 'jsonl', 'x\n'],
  ['CSV', 'csv', 'x\n'],
] as const)('%s', (_, format, unreadable) => {
  test('12,000 unreadable lines: 10,000 are listed, then their number; the report counts all of them', {
    timeout: 300_000,
  }, async () => {
    await openService();
    const folder = `run-${format}`;
    const path = at(`input.${format}.gz`);
    const first = format === 'csv' ? 'number;name\n' : '';
    writeFileSync(path, gzipSync(first + unreadable.repeat(LINES), { level: 9 }));
    writeFileSync(
      at('map.mjs'),
      "export default ({ number }) => ({ account: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: number } });",
    );
    expect(statSync(path).size).toBeLessThan(500);
    const flags = ['--run', at(folder), ...(format === 'csv' ? ['--map', at('map.mjs')] : [])];
    const { code, out } = await run('run', path, ...flags);
    expect([code, out]).toEqual([3, expect.stringContaining(`${LINES} rejected`)]);
    const entries = rows(`${folder}/rejected.jsonl`);
    expect(entries).toHaveLength(10_001);
    expect(JSON.parse(entries.at(-1) ?? '')).toMatchObject({
      line: format === 'csv' ? 10_002 : 10_001,
      number: null,
      errors: [{ step: 'read', code: 'further_lines', detail: '2,000 further lines, from this one on' }],
      further: 2000,
      original: null,
    });
    expect(rows(`${folder}/rejected.csv`)).toHaveLength(10_002);
    expect(statSync(at(`${folder}/rejected.jsonl`)).size).toBeLessThan(5_000_000);
    expect(report(folder).summary).toMatchObject({ input: LINES, rejected: LINES, balance: { isBalanced: true } });
    if (format === 'csv') return;

    // A session with another input keeps the entries and the number.
    writeFileSync(at('other.jsonl'), line(account('A-1')));
    expect((await run('run', at('other.jsonl'), ...flags)).code).toBe(3);
    expect(rows(`${folder}/rejected.jsonl`)).toHaveLength(10_001);
    expect(report(folder).summary).toMatchObject({ rejected: LINES, created: 1, balance: { isBalanced: true } });

    // The corrected input has none of them.
    writeFileSync(path, gzipSync(line(account('A-2'))));
    expect((await run('run', path, ...flags)).code).toBe(0);
    expect(report(folder).summary).toMatchObject({ rejected: 0, created: 2, balance: { isBalanced: true } });
  });
});
