/**
 * `openConnection`: a client, with the token that the flags and the environment name, for the service of the flags or for the sandbox of a
 * rehearsal inside this command.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { setTimeout as after } from 'node:timers/promises';
import { isObject } from '../../../schemas/objects.js';
import { DataImportClient } from '../../client.js';
import { TokenError } from '../../errors/client-errors.js';
import { InFlight } from '../../http/limits/in-flight.js';
import { graphqlToken } from '../../http/token/graphql-token.js';
import { isToken, type TokenSource, whyNoToken } from '../../http/token/token.js';
import { fetchThrough, type NetworkDispatcher, networkDispatcher } from '../../http/transport/network-dispatcher.js';
import { recordCalls } from '../../learn/record.js';
import { SANDBOX_TARGET } from '../../migration/run/expect-target.js';
import { DEFAULTS } from '../../options.js';
import { defineProfile, type Profile } from '../../validation/profile.js';
import type { ConnectionFlags, RequestFlags } from '../options/connection-options.js';
import { TOKEN_VARIABLE } from '../options/environment.js';
import { asUsageError, notWritten, readJsonFile, readNamed } from '../options/values.js';
import { loadState, openRehearsal } from '../sandbox/rehearsal.js';
import { UsageError } from '../shared/errors.js';

export type Connection = Awaited<ReturnType<typeof openConnection>>;

/**
 * The caller closes the connection. Rejects with a `UsageError` if an address, a token or a file is missing or invalid. `folder`: of the run
 * whose state the sandbox of a rehearsal has, for a command that only reads it.
 */
export async function openConnection(flags: ConnectionFlags, folder?: string) {
  const { baseUrl, record, tokenScheme, timeout, maxRetries, requestsAtOnce, inFlightGrace } = flags;
  const profile = await readProfile(flags.profile);
  const rehearsal = flags.sandbox && (await openRehearsal(flags, profile));
  // The sandbox is reached over HTTP like the service, so that a rehearsal takes as long.
  const server = await rehearsal?.sandbox.listen();
  try {
    if (rehearsal !== undefined && folder !== undefined) loadState(rehearsal, folder);
    const address = server?.url ?? baseUrl;
    if (address === undefined) {
      throw new UsageError('no service: give --base-url (or DATA_IMPORT_BASE_URL), or --sandbox for a rehearsal.');
    }
    const token = rehearsal?.sandbox.token ?? (await tokenOf(flags));
    const dispatcher = rehearsal === undefined ? await dispatcherOf(flags) : undefined;
    const recording = record === undefined ? undefined : await openRecording(record, dispatcher);
    const client = asUsageError(
      () =>
        new DataImportClient({
          ...{ baseUrl: address, token },
          ...(recording ? { fetch: recording.fetch } : dispatcher && { dispatcher }),
          ...(profile && { profile }),
          ...(timeout !== undefined && { timeoutMs: timeout * 1000 }),
          ...(maxRetries !== undefined && { maxRetries }),
          ...(requestsAtOnce !== undefined && { concurrency: requestsAtOnce }),
          advanced: { tokenScheme, inFlightGraceMs: inFlightGrace === undefined ? undefined : inFlightGrace * 1000 },
        }),
    );
    return {
      /** `rehearsal`: with `--sandbox`. */
      ...{ client, profile, rehearsal },
      /** As the ledger stores it: the sandbox, or the address of the service. */
      target: rehearsal === undefined ? client.baseUrl : SANDBOX_TARGET,
      /** As the report shows it. */
      address: rehearsal === undefined ? address : 'the sandbox in this command',
      async close(): Promise<void> {
        await client.close();
        await server?.close();
        await dispatcher?.close();
        recording?.close();
      },
    };
  } catch (error) {
    await server?.close();
    throw error;
  }
}

/** A `fetch` that also writes the calls. Rejects with a `UsageError` if the file exists or cannot be written. */
async function openRecording(path: string, dispatcher?: NetworkDispatcher) {
  let file: number;
  try {
    file = openSync(path, 'wx');
  } catch (error) {
    throw notWritten('--record', path, error, 'exists already; a recording is of one command');
  }
  const send = await fetchThrough(dispatcher);
  return { fetch: recordCalls((line) => writeSync(file, line), { fetch: send }), close: () => closeSync(file) };
}

/** Environment variables with the address of a proxy. */
export const PROXY_VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'];

/** Returns the connections through a proxy of the environment or with certificates; undefined for the client's own. */
async function dispatcherOf({ ca, clientCert, clientKey }: RequestFlags): Promise<NetworkDispatcher | undefined> {
  const env = process.env;
  const proxies = PROXY_VARIABLES.filter((name) => env[name]);
  const wrong = proxies.find((name) => !/^https?:\/\//i.test(env[name] ?? ''));
  if (wrong !== undefined) {
    throw new UsageError(
      `${wrong}: expected the address of an HTTP proxy with its scheme, such as http://proxy.example.com:3128.`,
    );
  }
  const isProxied = proxies.length > 0;
  const hasTls = ca !== undefined || clientCert !== undefined;
  if (!isProxied && !hasTls) return undefined;
  const tls = {
    ...(ca !== undefined && { ca: await readText(ca, '--ca') }),
    ...(clientCert !== undefined && { cert: await readText(clientCert, '--client-cert') }),
    ...(clientKey !== undefined && { key: await readText(clientKey, '--client-key') }),
    passphrase: env['DATA_IMPORT_CLIENT_KEY_PASSPHRASE'],
  };
  try {
    return await networkDispatcher({ ...(isProxied && { proxy: 'environment' }), ...(hasTls && { tls }) });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(error.message.replace('tls: ca has', `--ca: ${ca} has`), { cause: error });
  }
}

/** How long a request without an answer may still be running, for a client with these flags. */
export function connectionRule({ timeout, inFlightGrace }: RequestFlags): InFlight {
  return new InFlight(
    (inFlightGrace ?? DEFAULTS.advanced.inFlightGraceMs / 1000) * 1000,
    (timeout ?? DEFAULTS.timeoutMs / 1000) * 1000,
  );
}

/** Reads a deployment profile, also for commands without a connection. Rejects with a `UsageError` for an invalid file. */
export async function readProfile(path: string | undefined): Promise<Profile | undefined> {
  if (path === undefined) return undefined;
  const given = await readJsonFile(path, '--profile', 'a profile as JSON');
  // A file of `learn` has the settings of the sandbox too, with the profile among them.
  const profile = isObject(given) && 'profile' in given ? (given['profile'] ?? {}) : given;
  return asUsageError(() => defineProfile(profile as Profile));
}

/** The token that the flags and the environment name; that of a file is read again after a 401. */
async function tokenOf(flags: ConnectionFlags): Promise<TokenSource> {
  const { tokenFile, graphqlUrl, graphqlDocument, graphqlSelect } = flags;
  if (tokenFile !== undefined) return tokenOfFile(tokenFile);
  const token = process.env[TOKEN_VARIABLE];
  if (token) return token;
  const apiKey = process.env['DATA_IMPORT_API_KEY'];
  if (!apiKey) {
    throw new UsageError('no token: give DATA_IMPORT_TOKEN, --token-file, or DATA_IMPORT_API_KEY with --graphql-url.');
  }
  if (graphqlUrl === undefined || graphqlDocument === undefined || graphqlSelect === undefined) {
    throw new UsageError('DATA_IMPORT_API_KEY needs --graphql-url, --graphql-document and --graphql-select as well.');
  }
  const document = await readText(graphqlDocument, '--graphql-document');
  return asUsageError(() =>
    graphqlToken({ url: graphqlUrl, apiKey, document, select: (data) => at(data, graphqlSelect) }),
  );
}

/**
 * The token of a file, which is read again when it expires and after a 401: another program may write a new one into it. While there is no
 * valid one, it is awaited for as long as an answer of the service is.
 */
async function tokenOfFile(path: string): Promise<TokenSource> {
  const token = (await readText(path, '--token-file')).trim();
  if (!isToken(token)) {
    throw new UsageError(
      `--token-file: ${path}: expected a token of visible ASCII characters, found ${whyNoToken(token)}.`,
    );
  }
  // A pipe can be read only once.
  if (!(await stat(path)).isFile()) return token;
  let isFirst = true;
  return async ({ signal, failed }) => {
    if (isFirst) {
      isFirst = false;
      return token;
    }
    // The program that renews the token may be writing the file.
    for (;;) {
      const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => error);
      const next = typeof text === 'string' ? text.trim() : '';
      if (isToken(next)) return next;
      const why =
        typeof text === 'string' ? `expected a token, found ${whyNoToken(next)}` : `it cannot be read (${text.code})`;
      failed?.(
        new TokenError(`--token-file: ${path}: ${why}. Write a valid token into it, then repeat the command.`, {
          code: 'token_file',
        }),
      );
      await after(READ_AGAIN_MS, undefined, { signal });
    }
  };
}

const READ_AGAIN_MS = 100;

function at(data: unknown, path: string): string {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], data) as string;
}

/** The text of the file of a flag. Rejects with a `UsageError` that names the flag. */
async function readText(path: string, flag: string): Promise<string> {
  return (await readNamed(path, `${flag}: ${path}`, 'the path of a text file')).toString();
}
