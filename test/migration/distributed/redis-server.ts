/** A real Redis of a test's own: a temporary folder, a free port; gone with the process that started it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { Redis } from 'ioredis';

const PROGRAM = '/usr/bin/redis-server';

export interface RedisServer {
  url: string;
  /** As a crash would end it. */
  kill(): Promise<void>;
  /** As its administrator would end it. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Kills it and deletes its data; to be started again, with none. */
  lose(): Promise<void>;
  /** Ends it and removes its folder. */
  remove(): Promise<void>;
}

/** Whether there is one, or it could be installed; otherwise prints one line with the skipped tests. */
export function hasRedis(): boolean {
  const isThere = existsSync(PROGRAM) || install();
  if (!isThere) process.stdout.write('SKIPPED: the queue on Redis, since no server is installed.\n');
  return isThere;
}

function install(): boolean {
  try {
    execFileSync('apt-get', ['update'], { stdio: 'ignore' });
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'redis-server'], { stdio: 'ignore' });
  } catch {
    // No such system, or not allowed to.
  }
  return existsSync(PROGRAM);
}

/** `aof`: writes each change to a file, as a Redis that is to keep something must. */
export async function startRedis({ aof }: { aof: boolean }): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'redis-'));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const settings = ['--bind', '127.0.0.1', '--save', '', '--appendonly', aof ? 'yes' : 'no'];
  let server: ChildProcess | undefined;

  async function start(): Promise<void> {
    const args = [PROGRAM, '--port', String(port), '--dir', folder, ...settings];
    server = spawn(...endingWithThisProcess(args), { stdio: 'ignore' });
    for (let left = 200; !(await answers(url)); left--) {
      if (left === 0) throw new Error('Redis did not start within 10 s.');
      await after(50);
    }
  }
  async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (server === undefined) return;
    const gone = once(server, 'exit');
    server.kill(signal);
    await gone;
    server = undefined;
  }

  await start();
  return {
    url,
    start,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    async lose() {
      await end('SIGKILL');
      for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
    },
    async remove() {
      await end('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function endingWithThisProcess(args: string[]): [string, string[]] {
  return ['setpriv', ['--pdeathsig=KILL', ...args]];
}

async function answers(url: string): Promise<boolean> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.ping()) === 'PONG';
  } catch {
    return false;
  } finally {
    client.disconnect();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No port is free.');
  return address.port;
}
