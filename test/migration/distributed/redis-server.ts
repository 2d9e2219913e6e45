/** A real Redis of a test's own: a temporary folder, a free port; gone with the process that started it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { hasProgram } from '../../helpers/debian.js';

const PROGRAM = '/usr/bin/redis-server';

export interface RedisServer {
  url: string;
  port: number;
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
export const hasRedis = (): boolean => hasProgram(PROGRAM, 'redis-server', 'the queue on Redis');

/** How programs of Redis speak TLS, with paths of files. */
export interface RedisTls {
  ca: string;
  cert: string;
  key: string;
}

export interface RedisOptions {
  /** Writes each change to a file, as a Redis that is to keep something must. */
  aof: boolean;
  password?: string;
  tls?: RedisTls;
  /** Further settings, as on the command line. */
  settings?: readonly string[];
}

/** Returns the settings of a server that speaks only TLS, or none, on a port. */
function portSettings(port: number, tls: RedisTls | undefined): string[][] {
  if (tls === undefined) return [['port', String(port)]];
  const files = [
    ['tls-ca-cert-file', tls.ca],
    ['tls-cert-file', tls.cert],
    ['tls-key-file', tls.key],
  ];
  return [['port', '0'], ['tls-port', String(port)], ...files, ['tls-auth-clients', 'no'], ['tls-replication', 'yes']];
}

export async function startRedis({ aof, password = '', tls, settings = [] }: RedisOptions): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'redis-'));
  const port = await freePort();
  const user = password === '' ? '' : `:${encodeURIComponent(password)}@`;
  const url = `${tls === undefined ? 'redis' : 'rediss'}://${user}127.0.0.1:${port}`;
  const access = password === '' ? [] : ['--requirepass', password, '--masterauth', password];
  const ports = portSettings(port, tls).flatMap(([name = '', value = '']) => [`--${name}`, value]);
  const always = ['--bind', '127.0.0.1', '--save', '', '--appendonly', aof ? 'yes' : 'no', '--dir', folder];
  let server: ChildProcess | undefined;

  async function start(): Promise<void> {
    const args = [PROGRAM, ...ports, ...always, ...access, ...settings];
    server = spawn(...endingWithThisProcess(args), { stdio: 'ignore' });
    for (let left = 200; !(await answers(url, tls)); left--) {
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
    port,
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

async function answers(url: string, tls: RedisTls | undefined): Promise<boolean> {
  const trust = tls && { tls: { ca: readFileSync(tls.ca) } };
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, ...trust });
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
