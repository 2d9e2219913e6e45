/** Exports `queuePlace`, which parses the address of the work queue, and `QueueError`. No message contains a password. */
import { isThisMachine } from '../../../http/transport/address.js';

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
const KINDS: Readonly<Record<string, typeof REDIS | typeof POSTGRES>> = {
  ...{ 'redis:': REDIS, 'rediss:': REDIS, 'postgres:': POSTGRES, 'postgresql:': POSTGRES },
};

/** Returns server and engine of an address. Throws a `QueueError` for an invalid one, without quoting it: any part may be a password. */
export function queuePlace(address: string): QueuePlace {
  const { kind, url } = parsed(address);
  return { engine: kind.engine, words: `${kind.name} on ${url.hostname || 'localhost'}:${url.port || kind.port}` };
}

/** Throws a `QueueError` for an invalid address. */
function parsed(address: string) {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const kind = url && KINDS[url.protocol];
  if (url === undefined || kind === undefined) {
    throw new QueueError(`queue: the address is neither a Redis nor a PostgreSQL address. ${EXPECTED}`);
  }
  // A special character in the password, if not encoded, makes a part of the password the host or the database.
  if (url.hash !== '' || [url.pathname, ...url.searchParams.keys()].some((part) => part.includes('@'))) {
    throw new QueueError(`queue: the address has an @ or # after the host. ${EXPECTED}`);
  }
  if (kind === REDIS && !/^\/?\d*$/.test(url.pathname)) {
    throw new QueueError(`queue: the database of Redis is not a number. ${EXPECTED}`);
  }
  return { kind, url };
}

/** Returns a warning for a Redis beyond loopback without a password or without TLS. */
export function queueWarning(address: string): string | undefined {
  const { words } = queuePlace(address);
  const { kind, url } = parsed(address);
  if (kind === POSTGRES || url.hostname === '' || isThisMachine(url.hostname)) return undefined;
  const hasTls = url.protocol === 'rediss:';
  const lacks: string[] = [];
  // ioredis also accepts the password as a query parameter.
  if (url.password === '' && !url.searchParams.get('password')) lacks.push(hasTls ? 'a password' : 'password');
  if (!hasTls) lacks.push('TLS');
  if (lacks.length === 0) return undefined;
  return (
    `warning: queue: ${words} is used without ${lacks.join(' and ')}: other machines may read its jobs, which contain account ` +
    'numbers, or change them. Use a Redis with password and TLS: --queue rediss://user:password@host:6379.'
  );
}

const UNREACHED = 'Start the server, or correct its address or the network, and repeat the command.';
const TRUST =
  'Set the environment variable NODE_EXTRA_CA_CERTS to the file with the certificate of its authority (PEM), and repeat the command.';
const OF_TLS =
  ' If the Redis requires TLS, its address begins with rediss://, otherwise with redis://. It must not ask for client certificates.';
/** Remedies by the beginning of the SQLSTATE, system error code or message. The first match counts. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [
    /^(unsupported startup parameter|startup parameters were ignored)/,
    'The queue cannot use a connection pooler such as PgBouncer: give --queue with the address of the server itself, or of a Redis.',
  ],
  [/^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(GET_ISSUER_CERT|VERIFY_LEAF))/, TRUST],
  [/^CERT_HAS_EXPIRED/, 'Ask its administrator to renew its certificate.'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID/, 'Use a host name of its certificate in the address.'],
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
  [/^(Connection (is closed|terminated)|Stream isn|timeout e|Query read timeout|no answer)/, UNREACHED],
];

/** Returns the `QueueError` of a failure. `doing`: "open", "add jobs at". */
export function queueError(doing: string, place: string, cause: unknown): QueueError {
  if (cause instanceof QueueError) return cause;
  // For a host with several addresses, Node.js throws an AggregateError without a message.
  const first: unknown = cause instanceof AggregateError ? (cause.errors[0] ?? cause) : cause;
  const { code = '', message } = first instanceof Error ? (first as NodeJS.ErrnoException) : { message: String(first) };
  const remedy = REMEDIES.find(([beginning]) => beginning.test(code) || beginning.test(message))?.[1];
  const hint = place.startsWith('Redis') && /^(ECONNRESET|ETIMEDOUT)/.test(code) ? OF_TLS : '';
  return new QueueError(
    `queue: cannot ${doing} ${place} (${message || code}). ${remedy ?? 'Correct the cause, and try again.'}${hint}`,
    { cause },
  );
}
