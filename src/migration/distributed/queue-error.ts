/** Where the engine of the work queue is, and why it cannot be used: the cause and what to do. Never a password. */

import { isLoopback } from '../../http/address.js';

export class QueueError extends Error {
  override readonly name = 'QueueError';
}

const UNREACHED = 'Start the server, or mend its address or the network, and give the same command again.';
const ACCESS = 'Mend user or password in the address of the queue.';

/** By code of the system or SQLSTATE, or by how the server's or the client's message begins. The first that fits counts. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/^(ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/, UNREACHED],
  [/^(08|57)/, UNREACHED],
  [/^(28|WRONGPASS|NOAUTH|NOPERM|ERR AUTH|SASL)/, ACCESS],
  [/^3D000/, 'Make the database with "createdb", or name one that is there.'],
  [/^42501/, 'Grant this user the right to make a schema in the database, or begin the run as one who may.'],
  [/^53300/, 'The server has as many connections as it admits: close some or raise max_connections.'],
  [/^(53|OOM)/, 'Give the server more memory or disk.'],
  [/^READONLY|^25006/, 'It is a copy that may only be read: give the address of the primary server.'],
  [/^(Connection (is closed|terminated)|timeout e|Query read timeout|no answer)/, UNREACHED],
];

/** `doing`: "open", "ring at". */
export function queueError(doing: string, place: string, cause: unknown): QueueError {
  if (cause instanceof QueueError) return cause;
  const { code, message } = named(cause);
  const remedy = REMEDIES.find(([beginning]) => beginning.test(code) || beginning.test(message))?.[1];
  return new QueueError(
    `queue: cannot ${doing} ${place} (${message || code}). ${remedy ?? 'Mend the cause, and try again.'}`,
    {
      cause,
    },
  );
}

/** Where a name has several addresses, the errors of all come as one without a text. */
function named(error: unknown): { code: string; message: string } {
  const first: unknown = error instanceof AggregateError ? (error.errors[0] ?? error) : error;
  if (!(first instanceof Error)) return { code: '', message: String(first) };
  const code = 'code' in first && typeof first.code === 'string' ? first.code : '';
  return { code, message: first.message };
}

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

/** Of a Redis beyond loopback without a password or without TLS. Holds no password. */
export function queueWarning(address: string): string | undefined {
  const { engine, words } = queuePlace(address);
  const { hostname, password, protocol, searchParams } = new URL(address);
  if (engine !== 'redis' || hostname === '' || isLoopback(hostname)) return undefined;
  const lacks: string[] = [];
  // ioredis takes one from the query as well.
  if (password === '' && !searchParams.get('password')) lacks.push(protocol === 'redis:' ? 'password' : 'a password');
  if (protocol === 'redis:') lacks.push('TLS');
  if (lacks.length === 0) return undefined;
  return (
    `warning: queue: ${words} is used without ${lacks.join(' and ')}: other machines may read its jobs, which hold account ` +
    'numbers, or change them. Expected a Redis with a password and TLS: give --queue rediss://user:password@host:6379.'
  );
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
