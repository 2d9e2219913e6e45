/** Which engine rings the doorbell, and where it is: the address as it was given, and the words for it, without secrets. */
import { QueueError } from './queue-error.js';

type QueueEngine = 'redis' | 'postgres';

export interface QueuePlace {
  engine: QueueEngine;
  address: string;
  /** "Redis on host:6379". */
  words: string;
}

const EXPECTED =
  'Expected redis://host:6379, rediss://user:password@host:6379/0 or postgres://user@host:5432/database; ' +
  'write characters of user and password such as / ? # @ as %2F %3F %23 %40.';
const ENGINES: Readonly<Record<string, QueueEngine>> = {
  'redis:': 'redis',
  'rediss:': 'redis',
  'postgres:': 'postgres',
  'postgresql:': 'postgres',
};
const NAMES = { redis: { name: 'Redis', port: '6379' }, postgres: { name: 'PostgreSQL', port: '5432' } } as const;

/** Throws a `QueueError` for what cannot be meant. Nothing of it is said: a password may stand anywhere. */
export function queuePlace(address: string): QueuePlace {
  const url = parsed(address);
  const engine = url && ENGINES[url.protocol];
  if (url === undefined || engine === undefined) {
    throw new QueueError(`queue: the address is neither one of Redis nor one of PostgreSQL. ${EXPECTED}`);
  }
  // A character of the password that has a meaning in addresses makes a part of it the host or the database.
  if (url.hash !== '' || [url.pathname, ...url.searchParams.keys()].some((part) => part.includes('@'))) {
    throw new QueueError(`queue: in the address, an @ or # stands behind the host. ${EXPECTED}`);
  }
  if (engine === 'redis' && !isRedisDatabase(url.pathname)) {
    throw new QueueError(`queue: the database of Redis is no number. ${EXPECTED}`);
  }
  const { name, port } = NAMES[engine];
  return { engine, address, words: `${name} on ${url.hostname || 'localhost'}:${url.port || port}` };
}

function isRedisDatabase(path: string): boolean {
  return /^\/?\d*$/.test(path);
}

function parsed(address: string): URL | undefined {
  try {
    return new URL(address);
  } catch {
    return undefined;
  }
}
