/** A Redis, its replica, and three Sentinels, which promote the replica if the Redis fails. With TLS and passwords. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { hasProgram } from '../../helpers/debian.js';
import {
  endingWithThisProcess,
  freePort,
  hasRedis,
  portSettings,
  type RedisServer,
  type RedisTls,
  startRedis,
} from './redis-server.js';

const PROGRAM = '/usr/bin/redis-sentinel';
const SENTINELS = 3;
const PRIMARY = 'queue';
const PASSWORD = 'of the Redis/1';
const SENTINEL_PASSWORD = 'of-the-sentinels';
/** The Redis counts as failed after this time without an answer. */
const DOWN_AFTER_MS = 1000;

/** Whether both programs are there, or could be installed; otherwise prints one line with the skipped tests. */
export const hasSentinel = (): boolean =>
  hasRedis() && hasProgram(PROGRAM, 'redis-sentinel', 'the queue on a Redis with Sentinels');

export interface WatchedRedis {
  /** Names all Sentinels. */
  url: string;
  /** Address of one Sentinel, as if it were a Redis. */
  sentinelUrl: string;
  primary: RedisServer;
  replica: RedisServer;
  /** Resolves with the port of the Redis that the Sentinels name. */
  primaryPort(): Promise<number>;
  remove(): Promise<void>;
}

/** Resolves when the Sentinels know the replica and each other. */
export async function startWatchedRedis(tls: RedisTls): Promise<WatchedRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'sentinel-'));
  const primary = await startRedis({ aof: false, password: PASSWORD, tls });
  const settings = ['--replicaof', '127.0.0.1', String(primary.port)];
  const replica = await startRedis({ aof: false, password: PASSWORD, tls, settings });
  const sentinels: { port: number; process: ChildProcess }[] = [];
  for (let count = 1; count <= SENTINELS; count++) {
    const port = await freePort();
    const path = join(folder, `${count}.conf`);
    writeFileSync(path, configOf(port, primary.port, folder, tls));
    sentinels.push({ port, process: spawn(...endingWithThisProcess([PROGRAM, path]), { stdio: 'ignore' }) });
  }
  const ask = async (at: number, ...words: string[]): Promise<unknown> => {
    const access = { password: SENTINEL_PASSWORD, tls: { ca: readFileSync(tls.ca) } };
    const client = new Redis({ host: '127.0.0.1', port: at, ...access, maxRetriesPerRequest: 100 });
    client.on('error', () => {});
    try {
      return await client.call('sentinel', ...words);
    } finally {
      client.disconnect();
    }
  };
  const known = async (at: number, what: string) => ((await ask(at, what, PRIMARY)) as unknown[]).length;
  for (const { port } of sentinels) {
    for (
      let left = 200;
      (await known(port, 'replicas')) < 1 || (await known(port, 'sentinels')) < SENTINELS - 1;
      left--
    ) {
      if (left === 0) throw new Error('The Sentinels did not find each other within 20 s.');
      await after(100);
    }
  }
  const [first = 0] = sentinels.map(({ port }) => port);
  const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`);
  return {
    url: `rediss+sentinel://:${encodeURIComponent(PASSWORD)}@${hosts.join(',')}/${PRIMARY}?sentinelPassword=${SENTINEL_PASSWORD}`,
    sentinelUrl: `rediss://:${SENTINEL_PASSWORD}@${hosts[0]}`,
    primary,
    replica,
    primaryPort: async () => Number(((await ask(first, 'get-master-addr-by-name', PRIMARY)) as string[])[1]),
    async remove() {
      for (const { process } of sentinels) {
        const gone = once(process, 'exit');
        process.kill('SIGKILL');
        await gone;
      }
      await primary.remove();
      await replica.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configOf(port: number, primaryPort: number, folder: string, tls: RedisTls): string {
  const lines = [
    ...portSettings(port, tls),
    ['bind', '127.0.0.1'],
    ['dir', folder],
    ['requirepass', SENTINEL_PASSWORD],
    ['sentinel', 'sentinel-pass', SENTINEL_PASSWORD],
    ['sentinel', 'monitor', PRIMARY, '127.0.0.1', String(primaryPort), '2'],
    ['sentinel', 'auth-pass', PRIMARY, `"${PASSWORD}"`],
    ['sentinel', 'down-after-milliseconds', PRIMARY, String(DOWN_AFTER_MS)],
    ['sentinel', 'failover-timeout', PRIMARY, '10000'],
  ];
  return `${lines.map((words) => words.join(' ')).join('\n')}\n`;
}
