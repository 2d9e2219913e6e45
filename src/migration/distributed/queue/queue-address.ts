/** Exports `queuePlace`, which parses the address of the work queue, and `QueueError`. No message contains a password. */
import { isLoopback } from '../../../http/transport/address.js';

/** The engine of the work queue cannot be used. The message has the cause and the remedy. */
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
  'encode special characters of user and password, such as / ? # @, as %2F %3F %23 %40.';
const REDIS = { engine: 'redis', name: 'Redis', port: '6379' } as const;
const POSTGRES = { engine: 'postgres', name: 'PostgreSQL', port: '5432' } as const;
const ENGINES: Readonly<Record<string, typeof REDIS | typeof POSTGRES>> = {
  ...{ 'redis:': REDIS, 'rediss:': REDIS, 'postgres:': POSTGRES, 'postgresql:': POSTGRES },
};

/** Returns server and engine of an address. Throws a `QueueError` for an invalid one, without quoting it: any part may be a password. */
export function queuePlace(address: string): QueuePlace {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const found = url && ENGINES[url.protocol];
  if (url === undefined || found === undefined) {
    throw new QueueError(`queue: the address is neither a Redis nor a PostgreSQL address. ${EXPECTED}`);
  }
  // A special character in the password, if not encoded, makes a part of the password the host or the database.
  if (url.hash !== '' || [url.pathname, ...url.searchParams.keys()].some((part) => part.includes('@'))) {
    throw new QueueError(`queue: the address has an @ or # after the host. ${EXPECTED}`);
  }
  if (found.engine === 'redis' && !/^\/?\d*$/.test(url.pathname)) {
    throw new QueueError(`queue: the database of Redis is not a number. ${EXPECTED}`);
  }
  return { engine: found.engine, words: `${found.name} on ${url.hostname || 'localhost'}:${url.port || found.port}` };
}

/** Returns a warning for a Redis beyond loopback without a password or without TLS. */
export function queueWarning(address: string): string | undefined {
  const { engine, words } = queuePlace(address);
  const { hostname, password, protocol, searchParams } = new URL(address);
  if (engine !== 'redis' || hostname === '' || isLoopback(hostname)) return undefined;
  const lacks: string[] = [];
  // ioredis also accepts the password as a query parameter.
  if (password === '' && !searchParams.get('password')) lacks.push(protocol === 'redis:' ? 'password' : 'a password');
  if (protocol === 'redis:') lacks.push('TLS');
  if (lacks.length === 0) return undefined;
  return (
    `warning: queue: ${words} is used without ${lacks.join(' and ')}: other machines may read its jobs, which contain account ` +
    'numbers, or change them. Use a Redis with password and TLS: --queue rediss://user:password@host:6379.'
  );
}

const UNREACHED = 'Start the server, or correct its address or the network, and repeat the command.';
/** Remedies by the beginning of the SQLSTATE, system error code or message. The first match counts. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/^(ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|08|57)/, UNREACHED],
  [/^(28|WRONGPASS|NOAUTH|NOPERM|ERR AUTH|SASL)/, 'Correct user or password in the address of the queue.'],
  [/^3D000/, 'Create the database with "createdb", or give an existing one.'],
  [
    /^42501/,
    'Grant this user the right to create a schema in the database, or begin the run as a user with this right.',
  ],
  [/^53300/, 'The server has reached its maximum number of connections: close some, or raise max_connections.'],
  [/^(53|OOM)/, 'Give the server more memory or disk.'],
  [/^READONLY|^25006/, 'It is a read-only replica: give the address of the primary server.'],
  [/^(Connection (is closed|terminated)|timeout e|Query read timeout|no answer)/, UNREACHED],
];

/** Returns the `QueueError` of a failure. `doing`: "open", "add jobs at". */
export function queueError(doing: string, place: string, cause: unknown): QueueError {
  if (cause instanceof QueueError) return cause;
  // For a host with several addresses, Node.js throws an AggregateError without a message.
  const first: unknown = cause instanceof AggregateError ? (cause.errors[0] ?? cause) : cause;
  const { code = '', message } = first instanceof Error ? (first as NodeJS.ErrnoException) : { message: String(first) };
  const remedy = REMEDIES.find(([beginning]) => beginning.test(code) || beginning.test(message))?.[1];
  return new QueueError(
    `queue: cannot ${doing} ${place} (${message || code}). ${remedy ?? 'Correct the cause, and try again.'}`,
    { cause },
  );
}
