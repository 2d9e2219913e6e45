/** The rows of a run at a terminal (tmux) of 80 and 120 columns, and when it is resized. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PATIENCE } from '../helpers/patience.js';

const COMMAND = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const hasTmux = spawnSync('tmux', ['-V']).status === 0;
if (!hasTmux) process.stdout.write('SKIPPED: the rows of a run in a terminal, since there is no tmux.\n');

/** A run of a minute at a terminal with its own tmux server. */
function openRun(columns: number) {
  const folder = mkdtempSync(join(tmpdir(), 'live-display-'));
  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-S', join(folder, 'tmux'), '-f', '/dev/null', ...args], { encoding: 'utf8' });
  onTestFinished(() => {
    // A command whose terminal is closed ends its calls and writes its report: it would write into the folder while that is removed.
    process.kill(-Number(tmux('list-panes', '-F', '#{pane_pid}')), 'SIGKILL');
    spawnSync('tmux', ['-S', join(folder, 'tmux'), 'kill-server']);
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  });
  const records = Array.from({ length: 300 }, (_, index) =>
    JSON.stringify({ account: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: `A-${index}` } }),
  );
  writeFileSync(join(folder, 'input.jsonl'), `${records.join('\n')}\n`);
  const run = `'${process.execPath}' '${COMMAND}' run input.jsonl --sandbox --rps 10; sleep 60`;
  tmux('new-session', '-d', '-x', String(columns), '-y', '24', '-c', folder, run);
  const rows = () =>
    tmux('capture-pane', '-p')
      .split('\n')
      .filter((row) => row !== '');
  return { rows, resize: (to: number) => void tmux('resize-window', '-x', String(to)) };
}

const LABELS = ['records', 'steps', 'outcome', 'speed', 'limits', 'time left'];

/** Number of records done, by the screen; -1 if there is none. */
const doneIn = (rows: string[]) => Number(/(\d+) of 300 done/.exec(rows.join('\n'))?.[1] ?? -1);

const labelsIn = (rows: string[]) =>
  rows.map((row) => row.slice(0, 9).trim()).filter((label) => LABELS.includes(label));

describe.skipIf(!hasTmux)('the rows of a run', () => {
  test.each([80, 120])(
    'fit into %i columns, stay in place, and are there once after each resize',
    async (columns) => {
      const { rows, resize } = openRun(columns);
      // A screen may be captured while it is drawn: then rows are missing.
      const drawnAfter = async (done: number) => {
        let shown: string[] = [];
        const isDrawn = () => {
          shown = rows();
          return doneIn(shown) > done && labelsIn(shown).length >= LABELS.length;
        };
        await expect.poll(isDrawn, PATIENCE).toBe(true);
        const firstAt = shown.findIndex((row) => row.startsWith('records'));
        return { labels: labelsIn(shown), firstAt, done: doneIn(shown), shown };
      };
      const first = await drawnAfter(2);
      const second = await drawnAfter(first.done);
      expect(second.labels).toEqual(LABELS);
      expect(second.firstAt).toBe(first.firstAt);
      let { done } = second;
      for (const to of [columns + 40, columns - 20, columns]) {
        resize(to);
        const drawn = await drawnAfter(done + 1);
        expect(drawn.labels, drawn.shown.join('\n')).toEqual(LABELS);
        expect(drawn.shown.every((row) => row.length <= to)).toBe(true);
        done = drawn.done;
      }
    },
    120_000,
  );
});
