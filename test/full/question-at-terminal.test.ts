/** The question before the first record, at a terminal (`script` of util-linux) with redirected output. */

import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { newFolder } from '../helpers/folder.js';
import { PATIENCE } from '../helpers/patience.js';

const COMMAND = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const hasScript = spawnSync('script', ['--version']).stdout?.includes('util-linux') ?? false;

interface Person {
  /** What the user does when a question appears. */
  does: (script: ChildProcessWithoutNullStreams) => void;
  /** Until this file of the folder has the text, the test waits, and sends SIGHUP again and again. */
  until?: { file: string; text: string };
}

const ANSWERS_NO: Person = { does: ({ stdin }) => stdin.write('n\r') };

/** Runs the shell's line at a terminal. `run` in the line is the command. */
async function atTerminal(line: string, { does, until }: Person = ANSWERS_NO) {
  const folder = newFolder('terminal-');
  writeFileSync(
    join(folder, 'input.jsonl'),
    '{"account":{"import_supplier":"NORTH","external_account_number":"A-1"}}\n',
  );
  const command = `"${process.execPath}" "${COMMAND}" run input.jsonl --base-url https://import.example.com --team EAST`;
  writeFileSync(join(folder, 'run.sh'), `${command} "$@"\necho $? > code\n`);
  // No request leaves this machine: nothing listens at the proxy.
  const env = { ...process.env, SHELL: '/bin/sh', DATA_IMPORT_TOKEN: 'token', HTTPS_PROXY: 'http://127.0.0.1:1' };
  const child = spawn('script', ['-qec', line.replace('run', 'sh run.sh'), '/dev/null'], { cwd: folder, env });
  let seen = '';
  child.stdout.on('data', (chunk) => {
    seen += chunk;
    if (String(chunk).includes('[y/N]')) does(child);
  });
  await new Promise((resolve) => child.once('close', resolve));
  const textOf = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '');
  if (until !== undefined) {
    const hangUp = () => {
      // One that has ended gets no signal.
      if (!textOf(until.file).includes(until.text))
        process.kill(Number(/"pid":(\d+)/.exec(textOf('run.log'))?.[1]), 'SIGHUP');
      expect(textOf(until.file)).toContain(until.text);
    };
    await vi.waitFor(hangUp, { ...PATIENCE, interval: 1 });
  }
  return { seen, code: Number(textOf('code')), log: textOf('run.log'), notified: textOf('notified') };
}

const FIRST_RUN = /The first run into https:\/\/import\.example\.com:\s+import suppliers\s+NORTH \(1 record\)/;

describe.skipIf(!hasScript)('at a terminal', () => {
  test.each([
    ['with the messages in a file', 'run 2>run.log'],
    ['with both streams in tee', 'run 2>&1 | tee run.log'],
    ['with the messages in a pipe and the results in a file', 'run 2>&1 >results | cat >run.log'],
    ['with the log as JSON in a file', 'run --log-format json 2>run.log'],
  ])('the question %s is seen after the counts, and "no" sends nothing', async (_, line) => {
    const { seen, code, log } = await atTerminal(line);
    expect(seen).toMatch(FIRST_RUN);
    expect(seen.search(FIRST_RUN)).toBeLessThan(seen.indexOf('Send them? [y/N]'));
    expect([code, log]).toEqual([7, expect.stringContaining('Nothing was sent. To begin:')]);
  });

  test.each([
    ['a job whose output goes to files', 'run >run.log 2>&1'],
    ['a process in a session without a terminal', 'setsid --wait sh -c "run 2>&1 | cat >run.log"'],
  ])('%s is not asked', async (_, line) => {
    const { seen, code, log } = await atTerminal(line);
    expect(seen).not.toContain('[y/N]');
    // It began: its first request found no proxy.
    expect([code, log]).toEqual([1, expect.stringContaining('the proxy 127.0.0.1:1 (from HTTPS_PROXY)')]);
  });

  test('that is closed at the question, with SIGHUP many times and a yes that was not entered: code 129, a notification, and nothing is sent', async () => {
    const closes: Person = {
      does(script) {
        script.stdin.write('y');
        // The echo of the terminal shows that it was read.
        script.stdout.once('data', () => script.kill('SIGKILL'));
      },
      until: { file: 'notified', text: '"run.ended"' },
    };
    const flags = `--log-format json --notify-command "cat >> notified"`;
    const { log, notified } = await atTerminal(`run ${flags} 2>run.log`, closes);
    const ended = { exitCode: 129, error: 'SIGHUP ended the command. It can be repeated.' };
    expect(
      notified
        .trim()
        .split('\n')
        .map((text) => JSON.parse(text)),
    ).toMatchObject([{ type: 'run.waiting' }, { type: 'run.ended', data: ended }]);
    expect(log).not.toContain('127.0.0.1:1');
  });
});
