/** Options of the connection: the service, its token, the requests, and the sandbox of a rehearsal. */
import { DEFAULTS } from '../../options.js';
import { inGroup, type OptionTable, type OptionValues } from './option.js';
import { atLeastOne, seconds, secondsFromZero, wholeNumber } from './values.js';

export const serviceOptions = inGroup('Service', {
  baseUrl: { flags: '--base-url <url>', trust: 'address', help: 'service address, without /v1/data-import/' },
  tokenFile: {
    flags: '--token-file <path>',
    trust: 'notWithAddress',
    help: 'file with the token',
    details:
      'As a flag it takes precedence over DATA_IMPORT_TOKEN. It is read again when the token expires and after a 401, so another program can renew it.',
  },
  tokenScheme: {
    flags: '--token-scheme <word>',
    isRare: true,
    help: 'word before the token',
    details: "'' for none.",
    shownDefault: DEFAULTS.advanced.tokenScheme,
  },
  graphqlUrl: {
    flags: '--graphql-url <url>',
    isRare: true,
    trust: 'address',
    help: 'where an API key is exchanged for a token',
    details: 'The API key is in DATA_IMPORT_API_KEY.',
  },
  graphqlDocument: {
    flags: '--graphql-document <path>',
    isRare: true,
    trust: 'notWithAddress',
    help: 'file with that mutation; it uses $apiKey',
  },
  graphqlSelect: {
    flags: '--graphql-select <path>',
    isRare: true,
    help: 'path of the token in the answer',
    details: 'Such as obtainToken.token.',
  },
  ca: {
    flags: '--ca <path>',
    isRare: true,
    help: 'certificates to trust (PEM)',
    details: 'In place of those that Node.js trusts. The variable NODE_EXTRA_CA_CERTS adds certificates to those.',
  },
  clientCert: {
    flags: '--client-cert <path>',
    isRare: true,
    help: 'certificate of this client (PEM)',
    details: 'For a service that asks for one (mTLS).',
    needs: 'clientKey',
  },
  clientKey: {
    flags: '--client-key <path>',
    isRare: true,
    help: 'private key of that certificate (PEM)',
    details: 'The passphrase of an encrypted key is in DATA_IMPORT_CLIENT_KEY_PASSPHRASE.',
    needs: 'clientCert',
  },
});

export const requestOptions = {
  timeout: {
    flags: '--timeout <seconds>',
    group: 'Service',
    help: 'time limit of one request',
    shownDefault: String(DEFAULTS.timeoutMs / 1000),
    parse: seconds,
  },
  maxRetries: {
    flags: '--max-retries <number>',
    group: 'Service',
    help: 'retries of a failed request',
    shownDefault: String(DEFAULTS.maxRetries),
    parse: wholeNumber,
  },
  requestsAtOnce: {
    flags: '--requests-at-once <number>',
    group: 'Speed',
    isRare: true,
    help: 'HTTP connections to the service',
    details:
      'Each request in flight has one. --concurrency limits the calls of a run, each of which may send several requests.',
    shownDefault: String(DEFAULTS.concurrency),
    parse: atLeastOne,
  },
  inFlightGrace: {
    flags: '--in-flight-grace <seconds>',
    group: 'Safety',
    isRare: true,
    help: 'wait after a lost answer',
    details:
      'How long the service may still work on a process request that got no answer; only then is it repeated. At least --timeout, and three times the slowest answer.',
    shownDefault: String(DEFAULTS.advanced.inFlightGraceMs / 1000),
    parse: secondsFromZero,
  },
} as const satisfies OptionTable;

/** For commands that reach the service or the sandbox of a rehearsal. */
export const connectionOptions = {
  sandbox: {
    flags: '--sandbox',
    group: 'Service',
    help: 'use a sandbox inside this command',
    details: 'A rehearsal: nothing is sent to a service.',
    excludes: {
      option: 'baseUrl',
      message:
        '--base-url and --sandbox (or DATA_IMPORT_SANDBOX) contradict each other: a rehearsal uses no service. Leave out one of them.',
    },
  },
  sandboxSettings: {
    flags: '--sandbox-settings <path>',
    group: 'Service',
    isRare: true,
    help: 'settings of that sandbox as JSON',
    details: 'docs/sandbox.md lists them.',
    needs: 'sandbox',
  },
  ...serviceOptions,
  profile: {
    flags: '--profile <path>',
    group: 'Service',
    help: 'deployment profile as JSON',
    details: "The operator's rules beyond the API specification.",
  },
  record: {
    flags: '--record <path>',
    group: 'Output',
    isRare: true,
    help: 'write the calls, with masked values, for learn',
    details: 'A new file for each command: it must not exist.',
    isFlagOnly: true,
    notKept: 'A recording is of one command.',
  },
  ...requestOptions,
} as const satisfies OptionTable;

export type RequestFlags = OptionValues<typeof serviceOptions> & OptionValues<typeof requestOptions>;
export type ConnectionFlags = OptionValues<typeof connectionOptions>;
