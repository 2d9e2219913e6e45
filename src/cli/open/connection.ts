/** `openConnection`: a client for the service that the flags name, or for the sandbox of a rehearsal inside this command. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { isObject } from '../../../schemas/objects.js';
import { DataImportClient } from '../../client.js';
import { InFlight } from '../../http/limits/in-flight.js';
import type { TokenSource } from '../../http/token/token.js';
import { fetchThrough, type NetworkDispatcher, networkDispatcher } from '../../http/transport/network-dispatcher.js';
import { type Fetch, recordCalls } from '../../learn/record.js';
import { SANDBOX_TARGET } from '../../migration/run/expect-target.js';
import { DEFAULTS } from '../../options.js';
import { defineProfile, type Profile } from '../../validation/profile.js';
import type { ConnectionFlags, RequestFlags } from '../options/connection-options.js';
import { asUsageError, notWritten, readJsonFile } from '../options/values.js';
import { openRehearsal, type Rehearsal } from '../sandbox/rehearsal.js';
import { UsageError } from '../shared/errors.js';
import { readText, tokenOf } from './token.js';

export interface Connection {
  client: DataImportClient;
  profile: Profile | undefined;
  /** With `--sandbox`. */
  rehearsal: Rehearsal | undefined;
  /** As the ledger stores it: the sandbox, or the address of the service. */
  target: string;
  /** As the report shows it. */
  address: string;
  close(): Promise<void>;
}

/** The caller closes the connection. Rejects with a `UsageError` if an address, a token or a file is missing or invalid. */
export async function openConnection(flags: ConnectionFlags): Promise<Connection> {
  const profile = await readProfile(flags.profile);
  const { baseUrl } = flags;
  if (flags.sandbox) return connectToSandbox(await openRehearsal(flags, profile), profile, flags);
  if (baseUrl === undefined) {
    throw new UsageError('no service: give --base-url (or DATA_IMPORT_BASE_URL), or --sandbox for a rehearsal.');
  }
  const token = await tokenOf(flags);
  const dispatcher = await dispatcherOf(flags);
  const recording = flags.record === undefined ? undefined : await openRecording(flags.record, dispatcher);
  const client = createClient(baseUrl, token, profile, flags, recording ?? (dispatcher && { dispatcher }));
  return {
    client,
    profile,
    rehearsal: undefined,
    target: client.baseUrl,
    address: baseUrl,
    async close() {
      await client.close();
      await dispatcher?.close();
      recording?.close();
    },
  };
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

/** The sandbox is reached over HTTP like the service, so that a rehearsal takes as long. */
async function connectToSandbox(
  rehearsal: Rehearsal,
  profile: Profile | undefined,
  flags: ConnectionFlags,
): Promise<Connection> {
  const { sandbox } = rehearsal;
  const server = await sandbox.listen();
  try {
    const recording = flags.record === undefined ? undefined : await openRecording(flags.record);
    const client = createClient(server.url, sandbox.token, profile, flags, recording);
    const close = async () => {
      await client.close();
      await server.close();
      recording?.close();
    };
    return { client, profile, rehearsal, target: SANDBOX_TARGET, address: 'the sandbox in this command', close };
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** How long a request without an answer may still be running, for a client with these flags. */
export function connectionRule({ timeout, inFlightGrace }: RequestFlags): InFlight {
  return new InFlight(
    (inFlightGrace ?? DEFAULTS.advanced.inFlightGraceMs / 1000) * 1000,
    (timeout ?? DEFAULTS.timeoutMs / 1000) * 1000,
  );
}

function createClient(
  baseUrl: string,
  token: TokenSource,
  profile: Profile | undefined,
  { tokenScheme, timeout, maxRetries, requestsAtOnce, inFlightGrace }: ConnectionFlags,
  transport: { fetch?: Fetch; dispatcher?: NetworkDispatcher } | undefined,
): DataImportClient {
  return asUsageError(
    () =>
      new DataImportClient({
        baseUrl,
        token,
        ...(transport?.fetch && { fetch: transport.fetch }),
        ...(transport?.dispatcher && { dispatcher: transport.dispatcher }),
        ...(profile && { profile }),
        ...(timeout !== undefined && { timeoutMs: timeout * 1000 }),
        ...(maxRetries !== undefined && { maxRetries }),
        ...(requestsAtOnce !== undefined && { concurrency: requestsAtOnce }),
        advanced: { tokenScheme, inFlightGraceMs: inFlightGrace === undefined ? undefined : inFlightGrace * 1000 },
      }),
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
