/** Where the engine of the work queue is, and `QueueError`: why it cannot be used. No message contains a password. */
import { isLoopback } from '../../../http/transport/address.js';

/** The engine of the work queue cannot be used: the cause, and what to do. */
export class QueueError extends Error {
  override readonly name = 'QueueError';
}

export interface QueuePlace {
  engine: 'redis' | 'postgres';
  /** Such as "Redis on host:6379". */
  words: string;
}

const EXPECTED =
  'Expected redis://host:6379, rediss://user:password@host:6379/0 or postgres://user@host:5432/database; ' +
  'write characters of user and password such as / ? # @ as %2F %3F %23 %40.';
const REDIS = { engine: 'redis', name: 'Redis', port: '6379' } as const;
const POSTGRES = { engine: 'postgres', name: 'PostgreSQL', port: '5432' } as const;
const ENGINES: Readonly<Record<string, typeof REDIS | typeof POSTGRES>> = {
  ...{ 'redis:': REDIS, 'rediss:': REDIS, 'postgres:': POSTGRES, 'postgresql:': POSTGRES },
};

/** Throws a `QueueError` for an invalid address. The message does not quote it: a password may stand anywhere. */
export function queuePlace(address: string): QueuePlace {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const found = url && ENGINES[url.protocol];
  if (url === undefined || found === undefined) {
    throw new QueueError(`queue: the address is neither one of Redis nor one of PostgreSQL. ${EXPECTED}`);
  }
  // A special character in the password, if not encoded, makes a part of the password the host or the database.
  if (url.hash !== '' || [url.pathname, ...url.searchParams.keys()].some((part) => part.includes('@'))) {
    throw new QueueError(`queue: in the address, an @ or # stands behind the host. ${EXPECTED}`);
  }
  if (found.engine === 'redis' && !/^\/?\d*$/.test(url.pathname)) {
    throw new QueueError(`queue: the database of Redis is no number. ${EXPECTED}`);
  }
  return { engine: found.engine, words: `${found.name} on ${url.hostname || 'localhost'}:${url.port || found.port}` };
}

/** Returns a warning for a Redis beyond loopback without a password or without TLS. */
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

const UNREACHED = 'Start the server, or correct its address or the network, and give the same command again.';
/** By SQLSTATE or code of the system, or by how the message begins. The first that fits counts. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/^(ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|08|57)/, UNREACHED],
  [/^(28|WRONGPASS|NOAUTH|NOPERM|ERR AUTH|SASL)/, 'Correct user or password in the address of the queue.'],
  [/^3D000/, 'Make the database with "createdb", or name one that is there.'],
  [/^42501/, 'Grant this user the right to make a schema in the database, or begin the run as one who may.'],
  [/^53300/, 'The server has as many connections as it admits: close some or raise max_connections.'],
  [/^(53|OOM)/, 'Give the server more memory or disk.'],
  [/^READONLY|^25006/, 'It is a copy that may only be read: give the address of the primary server.'],
  [/^(Connection (is closed|terminated)|timeout e|Query read timeout|no answer)/, UNREACHED],
];

/** `doing`: "open", "add jobs at". */
export function queueError(doing: string, place: string, cause: unknown): QueueError {
  if (cause instanceof QueueError) return cause;
  // Where a name has several addresses, their errors come as one without a text.
  const first: unknown = cause instanceof AggregateError ? (cause.errors[0] ?? cause) : cause;
  const { code = '', message } = first instanceof Error ? (first as NodeJS.ErrnoException) : { message: String(first) };
  const remedy = REMEDIES.find(([beginning]) => beginning.test(code) || beginning.test(message))?.[1];
  return new QueueError(
    `queue: cannot ${doing} ${place} (${message || code}). ${remedy ?? 'Correct the cause, and try again.'}`,
    { cause },
  );
}
