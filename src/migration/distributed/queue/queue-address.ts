/**
 * Exports `queuePlace`, which parses the address of the work queue, `redisConnection`, with which ioredis connects to it, and
 * `QueueError`. No message contains a password.
 */
import type { RedisOptions } from 'ioredis';
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
  'Expected redis://host:6379, rediss://user:password@host:6379/0, redis+sentinel://host:26379,host2:26379/mymaster or ' +
  'postgres://user@host:5432/database; encode special characters of user and password, such as / ? # @, as %2F %3F %23 %40.';
const REDIS = { engine: 'redis', name: 'Redis', port: '6379' } as const;
const SENTINELS = { engine: 'redis', name: 'Sentinels', port: '26379' } as const;
const POSTGRES = { engine: 'postgres', name: 'PostgreSQL', port: '5432' } as const;
type Kind = typeof REDIS | typeof SENTINELS | typeof POSTGRES;
const KINDS: Readonly<Record<string, Kind>> = {
  ...{ 'redis:': REDIS, 'rediss:': REDIS, 'postgres:': POSTGRES, 'postgresql:': POSTGRES },
  ...{ 'redis+sentinel:': SENTINELS, 'rediss+sentinel:': SENTINELS },
};

/** Returns server and engine of an address. Throws a `QueueError` for an invalid one, without quoting it: any part may be a password. */
export function queuePlace(address: string): QueuePlace {
  const { kind, url, hosts } = parsed(address);
  const places = hosts.map(({ hostname, port }) => `${hostname || 'localhost'}:${port || kind.port}`).join(', ');
  const words =
    kind === SENTINELS ? `Redis ${primaryOf(url).name} of the Sentinels ${places}` : `${kind.name} on ${places}`;
  return { engine: kind.engine, words };
}

interface ParsedAddress {
  kind: Kind;
  url: URL;
  /** All Sentinels; otherwise the only host. */
  hosts: readonly URL[];
}

/** Scheme and user, hosts, and the rest of an address of Sentinels. */
const OF_SENTINELS = /^(rediss?\+sentinel:\/\/(?:[^@/]*@)?)([^@/?#]+)([/?#].*)?$/is;

/** Throws a `QueueError` for an invalid address. */
function parsed(address: string): ParsedAddress {
  // A list of hosts is not allowed in a URL.
  const [, start = '', list, rest = ''] = OF_SENTINELS.exec(address) ?? [];
  const texts = list?.split(',').map((host) => start + host + rest) ?? [address];
  const hosts = texts.filter((text) => URL.canParse(text)).map((text) => new URL(text));
  const [url] = hosts;
  const kind = url && KINDS[url.protocol];
  const isWhole = hosts.length === texts.length && (kind !== SENTINELS || list !== undefined);
  if (url === undefined || kind === undefined || !isWhole) {
    throw new QueueError(`queue: the address is neither a Redis nor a PostgreSQL address. ${EXPECTED}`);
  }
  // A special character in the password, if not encoded, makes a part of the password the host or the database.
  if (url.hash !== '' || [url.pathname, ...url.searchParams.keys()].some((part) => part.includes('@'))) {
    throw new QueueError(`queue: the address has an @ or # after the host. ${EXPECTED}`);
  }
  if (kind === REDIS && !/^\/?\d*$/.test(url.pathname)) {
    throw new QueueError(`queue: the database of Redis is not a number. ${EXPECTED}`);
  }
  if (kind === SENTINELS && !/^\/[^/]+(\/\d+)?$/.test(url.pathname)) {
    throw new QueueError(
      `queue: the address of Sentinels needs the name of the primary that they monitor. ${EXPECTED}`,
    );
  }
  if (kind === SENTINELS && [url.username, url.password, url.pathname].some((part) => !isDecodable(part))) {
    throw new QueueError(`queue: the address has a % that begins no encoded character: write it as %25. ${EXPECTED}`);
  }
  return { kind, url, hosts };
}

function isDecodable(part: string): boolean {
  try {
    return decodeURIComponent(part) !== undefined;
  } catch {
    return false;
  }
}

/** Name of the primary and number of the database in an address of Sentinels. */
function primaryOf({ pathname }: URL): { name: string; db: number } {
  const [name = '', db = '0'] = pathname.slice(1).split('/');
  return { name: decodeURIComponent(name), db: Number(db) };
}

/** Returns the options for ioredis: the address of a Redis, or the Sentinels that know it. `rediss+sentinel`: both with TLS. */
export function redisConnection(address: string): RedisOptions & { url?: string } {
  const { kind, url, hosts } = parsed(address);
  if (kind !== SENTINELS) return { url: address };
  const { username, password, protocol, searchParams } = url;
  const sentinelPassword = searchParams.get('sentinelPassword');
  return {
    ...primaryOf(url),
    sentinels: hosts.map(({ hostname, port }) => ({
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: Number(port || SENTINELS.port),
    })),
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    ...(sentinelPassword !== null && { sentinelPassword }),
    ...(protocol === 'rediss+sentinel:' && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
  };
}

/** Returns a warning for a Redis beyond loopback without a password or without TLS. */
export function queueWarning(address: string): string | undefined {
  const { words } = queuePlace(address);
  const { kind, url, hosts } = parsed(address);
  if (kind === POSTGRES || hosts.every(({ hostname }) => hostname === '' || isThisMachine(hostname))) return undefined;
  const hasTls = url.protocol.startsWith('rediss');
  const lacks: string[] = [];
  // ioredis also accepts the password as a query parameter.
  if (url.password === '' && !url.searchParams.get('password')) lacks.push(hasTls ? 'a password' : 'password');
  if (!hasTls) lacks.push('TLS');
  if (lacks.length === 0) return undefined;
  const better =
    kind === SENTINELS ? 'rediss+sentinel://user:password@host:26379/mymaster' : 'rediss://user:password@host:6379';
  return (
    `warning: queue: ${words} is used without ${lacks.join(' and ')}: other machines may read its jobs, which contain account ` +
    `numbers, or change them. Use a Redis with password and TLS: --queue ${better}.`
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
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID/,
    'Use a host name of its certificate in the address; Sentinels must announce such a name.',
  ],
  [
    /^All sentinels are unreachable/,
    'Start the Sentinels, or correct their addresses, the name of the primary, or ?sentinelPassword=, and repeat the command.',
  ],
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
