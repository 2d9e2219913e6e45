/** How commands reach the service: its address, a token, and what the client is told; or a sandbox of their own. */
import { readFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { DataImportClient } from '../../client.js';
import { graphqlToken } from '../../http/graphql-token.js';
import { InFlight } from '../../http/in-flight.js';
import type { TokenSource } from '../../http/token.js';
import { SANDBOX_TARGET } from '../../migration/run/target.js';
import { DEFAULTS } from '../../options.js';
import { defineProfile, type Profile } from '../../validation/profile.js';
import { atLeastOne, isTyped, readJsonFile, setting, wholeNumber } from '../options/settings.js';
import { openRehearsal, type Rehearsal, type RehearsalFlags, withRehearsalSettings } from '../sandbox/rehearsal.js';
import { UsageError } from '../shared/errors.js';

export interface ServiceFlags {
  baseUrl?: string;
  tokenFile?: string;
  tokenScheme?: string;
  graphqlUrl?: string;
  graphqlDocument?: string;
  graphqlSelect?: string;
  timeout?: number;
  maxRetries?: number;
  requestsAtOnce?: number;
  inFlightGrace?: number;
}

export interface ConnectionFlags extends ServiceFlags, RehearsalFlags {
  sandbox?: true;
  profile?: string;
}

export function withConnection(command: Command): Command {
  const rehearse = setting('--sandbox', 'rehearse: into a sandbox inside this command, instead of the service');
  const profile = setting('--profile <path>', 'what your deployment demands beyond the document, as JSON');
  command.hook('preAction', (_, action) => {
    if (action.getOptionValue('sandbox') && isTyped(action, 'baseUrl')) {
      throw new UsageError(
        '--base-url and --sandbox (or DATA_IMPORT_SANDBOX) contradict each other: a rehearsal reaches no service. Leave one of them away.',
      );
    }
  });
  return withRequests(withService(withRehearsalSettings(command.addOption(rehearse))).addOption(profile));
}

/** Where the service is, and a token for it. */
export function withService(command: Command): Command {
  return command
    .addOption(setting('--base-url <url>', 'address of the service, without /v1/data-import/'))
    .addOption(setting('--token-file <path>', 'file with the token (or the token itself in DATA_IMPORT_TOKEN)'))
    .addOption(setting('--token-scheme <word>', "word before the token; '' for none (default: Token)"))
    .addOption(setting('--graphql-url <url>', 'where a token is to be had for the API key in DATA_IMPORT_API_KEY'))
    .addOption(setting('--graphql-document <path>', 'file with the mutation; it uses $apiKey'))
    .addOption(setting('--graphql-select <path>', 'where the token stands in its data, such as obtainToken.token'));
}

/** How the client sends. */
export function withRequests(command: Command): Command {
  return command
    .addOption(setting('--timeout <seconds>', 'for one request and its answer (default: 60)').argParser(seconds))
    .addOption(
      setting('--max-retries <number>', 'how often a failed request is sent again (default: 3)').argParser(wholeNumber),
    )
    .addOption(
      setting(
        '--in-flight-grace <seconds>',
        'how long the service may still work on a process request without an answer, before it is repeated (default: 60); at least --timeout, and three times the slowest answer',
      ).argParser(graceSeconds),
    )
    .addOption(setting('--requests-at-once <number>', 'requests under way (default: 64)').argParser(atLeastOne));
}

export interface Connection {
  client: DataImportClient;
  profile: Profile | undefined;
  /** With `--sandbox`. */
  rehearsal: Rehearsal | undefined;
  /** For the ledger: a rehearsal, or the address of the service. */
  target: string;
  /** What the run is said to go to. */
  address: string;
  close(): Promise<void>;
}

/** Rejects with a UsageError where there is nothing to connect to. */
export async function openConnection(
  flags: ConnectionFlags,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Connection> {
  const profile = flags.profile === undefined ? undefined : await readProfile(flags.profile);
  const { baseUrl } = flags;
  if (flags.sandbox) {
    const rehearsal = await openRehearsal(flags);
    const { sandbox } = rehearsal;
    // Over HTTP like the service, and so as fast and as slow.
    const server = await sandbox.listen();
    try {
      const client = createClient(server.url, sandbox.token, profile, flags);
      const close = async () => {
        await client.close();
        await server.close();
      };
      return { client, profile, rehearsal, target: SANDBOX_TARGET, address: 'the sandbox in this command', close };
    } catch (error) {
      await server.close();
      throw error;
    }
  }
  if (baseUrl === undefined) {
    throw new UsageError('no service: give --base-url (or DATA_IMPORT_BASE_URL), or --sandbox to rehearse.');
  }
  const client = createClient(baseUrl, await tokenOf(flags, env), profile, flags);
  return {
    client,
    profile,
    rehearsal: undefined,
    target: client.baseUrl,
    address: baseUrl,
    close: () => client.close(),
  };
}

/** A timer counts in milliseconds. */
function seconds(value: string): number {
  if (/^\d+(\.\d+)?$/.test(value) && Number(value) >= 0.001) return Number(value);
  throw new InvalidArgumentError('Expected seconds, from 0.001 up.');
}

function graceSeconds(value: string): number {
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value);
  throw new InvalidArgumentError('Expected seconds, from 0 up.');
}

/** How long a request without an answer may still be running, as a client with these flags has it. */
export function connectionRule({ timeout, inFlightGrace }: ServiceFlags): InFlight {
  return new InFlight(
    (inFlightGrace ?? DEFAULTS.inFlightGraceMs / 1000) * 1000,
    (timeout ?? DEFAULTS.timeoutMs / 1000) * 1000,
  );
}

/** The client's word for what a flag gave. */
const FLAG_OF: Readonly<Record<string, string>> = { baseUrl: '--base-url', tokenScheme: '--token-scheme' };

function createClient(
  baseUrl: string,
  token: TokenSource,
  profile: Profile | undefined,
  { tokenScheme, timeout, maxRetries, requestsAtOnce, inFlightGrace }: ConnectionFlags,
): DataImportClient {
  return meant(
    () =>
      new DataImportClient({
        baseUrl,
        token,
        ...(profile && { profile }),
        ...(tokenScheme !== undefined && { tokenScheme }),
        ...(timeout !== undefined && { timeoutMs: timeout * 1000 }),
        ...(maxRetries !== undefined && { maxRetries }),
        ...(requestsAtOnce !== undefined && { concurrency: requestsAtOnce }),
        ...(inFlightGrace !== undefined && { inFlightGraceMs: inFlightGrace * 1000 }),
      }),
  );
}

async function tokenOf(flags: ConnectionFlags, env: NodeJS.ProcessEnv): Promise<TokenSource> {
  const { tokenFile, graphqlUrl, graphqlDocument, graphqlSelect } = flags;
  if (tokenFile !== undefined) return (await readText(tokenFile, '--token-file')).trim();
  const token = env['DATA_IMPORT_TOKEN'];
  if (token) return token;
  const apiKey = env['DATA_IMPORT_API_KEY'];
  if (!apiKey) {
    throw new UsageError('no token: give DATA_IMPORT_TOKEN, --token-file, or DATA_IMPORT_API_KEY with --graphql-url.');
  }
  if (graphqlUrl === undefined || graphqlDocument === undefined || graphqlSelect === undefined) {
    throw new UsageError('DATA_IMPORT_API_KEY needs --graphql-url, --graphql-document and --graphql-select as well.');
  }
  const document = await readText(graphqlDocument, '--graphql-document');
  return meant(() => graphqlToken({ url: graphqlUrl, apiKey, document, select: (data) => at(data, graphqlSelect) }));
}

function at(data: unknown, path: string): string {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], data) as string;
}

async function readText(path: string, flag: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${flag}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`, {
      cause: error,
    });
  }
}

/** Also for commands that connect to nothing. */
export async function readProfile(path: string): Promise<Profile> {
  const profile = await readJsonFile(path, '--profile', 'a profile as JSON');
  return meant(() => defineProfile(profile as Profile));
}

/** What is thrown here comes of what the user gave. */
export function meant<Result>(task: () => Result): Result {
  try {
    return task();
  } catch (error) {
    const message = (error as Error).message.replace(/^\w+(?=: )/, (name) => FLAG_OF[name] ?? name);
    throw new UsageError(message, { cause: error });
  }
}
