/** Commands to a running run, from another terminal. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  type ControlHandlers,
  listenForControl,
  sendControl,
} from '../../../src/migration/operations/control/control.js';
import { ControlError } from '../../../src/migration/operations/control/control-command.js';
import { run } from '../../cli/typed.js';

async function newFolder(...names: string[]): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'control-test-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const folder = join(root, ...names);
  await mkdir(folder, { recursive: true });
  return folder;
}

async function openRun(folder: string, more: Partial<ControlHandlers> = {}) {
  const received: unknown[] = [];
  const control = await listenForControl(folder, {
    pause: () => received.push('pause'),
    resume: () => received.push('resume'),
    drain: () => received.push('drain'),
    set: (settings) => received.push(settings),
    status: () => ({ received: received.length }),
    ...more,
  });
  onTestFinished(() => control.close());
  return { received, control };
}

describe('a run that listens', () => {
  test('executes a command, and answers with its status after it', async () => {
    const folder = await newFolder();
    const { received } = await openRun(folder);
    expect(await sendControl(folder, 'status')).toEqual({ received: 0 });
    expect(await sendControl(folder, 'pause')).toEqual({ received: 1 });
    expect(await sendControl(folder, 'resume')).toEqual({ received: 2 });
    expect(await sendControl(folder, 'set concurrency=16')).toEqual({ received: 3 });
    expect(await sendControl(folder, ' set  process-concurrency=4 rps=0.5 ')).toEqual({ received: 4 });
    expect(await sendControl(folder, 'drain')).toEqual({ received: 5 });
    expect(received).toEqual(['pause', 'resume', { concurrency: 16 }, { process: { most: 4 }, rps: 0.5 }, 'drain']);
  });

  test('only its owner may use its socket, which is deleted at the end', async () => {
    const folder = await newFolder();
    const { control } = await openRun(folder);
    expect((await stat(join(folder, 'control.sock'))).mode & 0o777).toBe(0o600);
    await control.close();
    expect(await readdir(folder)).toEqual([]);
  });

  test('ends also during a connection without a command', async () => {
    const folder = await newFolder();
    const { control } = await openRun(folder);
    const socket = createConnection(join(folder, 'control.sock'));
    await once(socket, 'connect');
    socket.on('error', () => {});
    const gone = once(socket.resume(), 'close');
    await control.close();
    await gone;
    expect(await readdir(folder)).toEqual([]);
  });

  test('the sender of a refused setting gets the reason', async () => {
    const folder = await newFolder();
    const set = () => {
      throw new RangeError('concurrency: expected a whole number from 1 up, found 0.');
    };
    await openRun(folder, { set });
    await expect(sendControl(folder, 'set concurrency=1')).rejects.toThrow(
      new ControlError('concurrency: expected a whole number from 1 up, found 0.'),
    );
  });

  test('an invalid command gets an error or a closed connection, and the run continues', async () => {
    const folder = await newFolder();
    const { received } = await openRun(folder);
    const talk = async (text: string) => {
      const socket = createConnection(join(folder, 'control.sock'));
      let answer = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        answer += chunk;
      });
      socket.on('error', () => {});
      socket.end(text);
      await once(socket, 'close');
      return answer.replace(/^ready\n/, '');
    };
    expect(JSON.parse(await talk('format c:\n'))).toEqual({
      error:
        'expected pause, resume, drain, status, or set with concurrency=<number>, process-concurrency=<number>, rps=<number>; found "format c:".',
    });
    expect(await talk('x'.repeat(5000))).toBe('');
    expect(await talk('')).toBe('');
    expect(received).toEqual([]);
    expect(await sendControl(folder, 'status')).toEqual({ received: 0 });
  });

  /** The only socket of a run in a temporary folder of this process. */
  async function socketElsewhere(): Promise<string> {
    const names = (await readdir(tmpdir())).filter((name) => name.startsWith('data-import-'));
    const sockets = names.map((name) => join(tmpdir(), name, 'control.sock')).filter((path) => existsSync(path));
    expect(sockets).toHaveLength(1);
    return sockets[0] as string;
  }

  async function ownTemporaryFolder(): Promise<void> {
    // Short, because the path of the socket must be.
    const folder = await mkdtemp('/tmp/t-');
    vi.stubEnv('TMPDIR', folder);
    onTestFinished(async () => {
      vi.unstubAllEnvs();
      await rm(folder, { recursive: true, force: true });
    });
  }

  test('in a folder whose path is too long for a socket, it is in a temporary folder that only this user can use', async () => {
    const folder = await newFolder('a'.repeat(60), 'b'.repeat(60));
    await ownTemporaryFolder();
    const { control } = await openRun(folder);
    expect(await readdir(folder)).toEqual([]);
    const address = await socketElsewhere();
    expect(address.length).toBeLessThanOrEqual(100);
    expect((await stat(address)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(address))).mode & 0o777).toBe(0o700);
    expect(await sendControl(folder, 'pause')).toEqual({ received: 1 });
    await control.close();
    expect([await readdir(folder), existsSync(dirname(address))]).toEqual([[], false]);
  });

  test('a command for a copy of that folder does not reach the run in the original', async () => {
    const folder = await newFolder('a'.repeat(60), 'b'.repeat(60));
    await ownTemporaryFolder();
    const { received } = await openRun(folder);
    await cp(folder, `${folder}-copy`, { recursive: true });
    await expect(sendControl(`${folder}-copy`, 'pause')).rejects.toThrow(
      new ControlError(`no run is active in ${folder}-copy.`, { isWithoutRun: true }),
    );
    expect(received).toEqual([]);
  });

  test.each([
    ['a link to another folder', (path: string, other: string) => symlink(other, path)],
    ['a folder that others can change', (path: string) => mkdir(path).then(() => chmod(path, 0o777))],
  ])('%s under the name of that temporary folder is not used, and nothing in it is removed', async (_, occupy) => {
    const folder = await newFolder('a'.repeat(60), 'b'.repeat(60));
    await ownTemporaryFolder();
    const { control } = await openRun(folder);
    const temporary = dirname(await socketElsewhere());
    await control.close();
    const other = await newFolder();
    await occupy(temporary, other);
    await writeFile(join(temporary, 'control.sock'), 'of another user');
    await expect(openRun(folder)).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(sendControl(folder, 'pause')).rejects.toThrow('no run is active');
    expect(await readFile(join(temporary, 'control.sock'), 'utf8')).toBe('of another user');
  });
});

describe('no second run listens in a folder', () => {
  test.each([['short'], ['long'.repeat(40)]])('%s', async (name) => {
    const folder = await newFolder(name);
    const { received } = await openRun(folder);
    await expect(openRun(folder)).rejects.toThrow(
      new ControlError(`another run is active in ${folder}. Use another folder for this one.`),
    );
    expect(await sendControl(folder, 'pause')).toEqual({ received: 1 });
    expect(received).toEqual(['pause']);
  });
});

describe('what a run that was killed has left', () => {
  test('is not a run, and the next run replaces it', async () => {
    const folder = await newFolder();
    const socket = join(folder, 'control.sock');
    const script = `require('net').createServer().listen(process.argv[1], () => console.log('listens'))`;
    const child = spawn(process.execPath, ['-e', script, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(existsSync(socket)).toBe(true);
    await expect(sendControl(folder, 'status')).rejects.toThrow(
      new ControlError(`no run is active in ${folder}.`, { isWithoutRun: true }),
    );
    await openRun(folder);
    expect(await sendControl(folder, 'status')).toEqual({ received: 0 });
  });
});

describe('a command that cannot be executed', () => {
  test.each([
    [
      'in parts without an end',
      (socket: Socket) => {
        const timer = setInterval(() => socket.write('x'), 20);
        socket.on('close', () => clearInterval(timer));
      },
      'did not answer',
    ],
    ['of any size', (socket: Socket) => void socket.write('x'.repeat(3_000_000)), 'is not a run of this version'],
    [
      'with a line break in its error',
      (socket: Socket) => void socket.end('{"error":"a\\nForged"}\n'),
      'a\\u000aForged',
    ],
  ])('what greets like a run and sends an answer %s: an error', async (_, answer, message) => {
    const folder = await newFolder();
    const open: Socket[] = [];
    const server = createServer((socket) => {
      open.push(socket.on('error', () => {}));
      socket.write('ready\n');
      socket.once('data', () => answer(socket));
    });
    server.listen(join(folder, 'control.sock'));
    await once(server, 'listening');
    onTestFinished(() => {
      server.close();
      for (const socket of open) socket.destroy();
    });
    await expect(sendControl(folder, 'status', 1500)).rejects.toThrow(message);
  });

  test('what listens there greets in another way: it gets no command', async () => {
    const folder = await newFolder();
    const got: string[] = [];
    const server = createServer((socket) => {
      socket.on('error', () => {}).on('data', (data) => got.push(String(data)));
      socket.on('end', () => socket.end());
      socket.write('hello\n');
    });
    server.listen(join(folder, 'control.sock'));
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    await expect(sendControl(folder, 'pause', 200)).rejects.toThrow('did not answer within 200 ms');
    expect(got).toEqual([]);
  });

  test.each([['short'], ['long'.repeat(40)]])('no run is active (%s)', async (name) => {
    const folder = await newFolder(name);
    await expect(sendControl(folder, 'pause')).rejects.toThrow(
      new ControlError(`no run is active in ${folder}.`, { isWithoutRun: true }),
    );
  });

  test('only workers of a distributed run are active: it says how to reach them', async () => {
    const folder = await newFolder();
    await writeFile(join(folder, 'ledger.json'), '{}');
    await expect(sendControl(folder, 'pause')).rejects.toThrow(
      `no run is active in ${folder}. If workers of a distributed run still import, give --database (or DATA_IMPORT_DATABASE), so that the command reaches them.`,
    );
  });

  test('a missing folder', async () => {
    const folder = join(await newFolder(), 'missing');
    const error = new ControlError(
      `there is no folder ${folder}. Give the folder of a run with --run <folder>, or --sandbox for the rehearsal.`,
      { isWithoutRun: true },
    );
    await expect(sendControl(folder, 'pause')).rejects.toThrow(error);
    await expect(openRun(folder)).rejects.toThrow(error);
  });

  test.each([
    ['', '""'],
    ['stop', '"stop"'],
    ['pause now', '"pause now"'],
    ['set', '"set"'],
  ])('%j is none, and is not sent', async (command, found) => {
    const folder = await newFolder();
    const { received } = await openRun(folder);
    await expect(sendControl(folder, command)).rejects.toThrow(
      new ControlError(
        `expected pause, resume, drain, status, or set with concurrency=<number>, process-concurrency=<number>, rps=<number>; found ${found}.`,
      ),
    );
    expect(received).toEqual([]);
  });

  test.each(['concurrency', 'constructor=1', 'halt=same=0'])(
    'set %s is none: the message names the settings',
    async (setting) => {
      const folder = await newFolder();
      await openRun(folder);
      await expect(sendControl(folder, `set rps=2 ${setting}`)).rejects.toThrow(
        new ControlError(
          `expected concurrency=<number>, process-concurrency=<number>, rps=<number>; found "${setting}".`,
        ),
      );
    },
  );

  test('a setting that is given twice is refused, and is not sent', async () => {
    const folder = await newFolder();
    const { received } = await openRun(folder);
    await expect(sendControl(folder, 'set rps=20 concurrency=8 rps=30')).rejects.toThrow(
      new ControlError('rps is given twice. Give each setting once.'),
    );
    expect(received).toEqual([]);
  });

  test.each([
    ['concurrency=', 'Expected a whole number from 1 up.'],
    ['concurrency=0', 'Expected a whole number from 1 up.'],
    ['concurrency=-1', 'Expected a whole number from 1 up.'],
    ['concurrency=1e3', 'Expected a whole number from 1 up.'],
    ['concurrency=1.5', 'Expected a whole number from 1 up.'],
    ['process-concurrency=0', 'Expected bounds such as 2-24, or one number.'],
    ['process-concurrency=3-2', 'Expected bounds such as 2-24, or one number.'],
    ['rps=1e9', 'Expected a number above 0 in digits, such as 20 or 0.5.'],
    ['rps=0', 'Expected a number above 0 in digits, such as 20 or 0.5.'],
    ['rps=0.0', 'Expected a number above 0 in digits, such as 20 or 0.5.'],
    ['rps=-1', 'Expected a number above 0 in digits, such as 20 or 0.5.'],
    ['rps=none', 'Expected a number above 0 in digits, such as 20 or 0.5.'],
  ])('set %s is refused as the flag is, and is not sent', async (setting, why) => {
    const folder = await newFolder();
    const { received } = await openRun(folder);
    await expect(sendControl(folder, `set ${setting}`)).rejects.toThrow(
      new ControlError(`"${setting}" is invalid. ${why}`),
    );
    expect(received).toEqual([]);
    const [name, value] = setting.split('=');
    expect((await run('run', 'none.jsonl', `--${name}=${value}`)).err).toContain(why);
  });

  test.each([
    [
      'nothing',
      undefined,
      (folder: string) => `the run in ${folder} did not answer within 20 ms. Is its process stopped?`,
    ],
    ['no JSON', 'hello\n', (folder: string) => `the process that answers in ${folder} is not a run of this version.`],
    [
      'other JSON',
      '{"state":"fine"}\n',
      (folder: string) => `the process that answers in ${folder} is not a run of this version.`,
    ],
  ])('what listens there answers %s', async (_, answer, message) => {
    const folder = await newFolder();
    const got: string[] = [];
    const server = createServer((socket) => {
      socket.on('error', () => {}).on('data', (data) => got.push(String(data)));
      if (answer !== undefined) socket.end(answer);
    });
    server.listen(join(folder, 'control.sock'));
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const patienceMs = answer === undefined ? 20 : 5000;
    await expect(sendControl(folder, 'status', patienceMs)).rejects.toThrow(new ControlError(`${message(folder)}`));
    // A suspended run does not execute it later.
    expect(got).toEqual([]);
  });
});
