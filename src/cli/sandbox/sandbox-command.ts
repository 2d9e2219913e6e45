/** `data-import-sdk sandbox`: serves the whole service on this machine, for code in any language. */
import { InvalidArgumentError } from 'commander';
import { isObject } from '../../../schemas/objects.js';
import {
  createSandbox,
  type FaultRule,
  type Sandbox,
  type SandboxOptions,
  type SandboxServer,
  type SandboxSettings,
} from '../../sandbox/index.js';
import { StateFileError } from '../../sandbox/state/state-file.js';
import { ChangedJsonError, parseJson } from '../../validation/parse-json.js';
import { defineCommand } from '../options/command.js';
import { flagsInGroup, type OptionTable, type OptionValues } from '../options/option.js';
import { attempt, clockTime, readJsonFile, repeated, wholeNumber } from '../options/values.js';
import { UsageError } from '../shared/errors.js';

const options = {
  ...flagsInGroup('Service', {
    port: {
      flags: '-p, --port <number>',
      help: 'port; 0 for any free port',
      parse: wholeNumber,
      default: 4010,
    },
    host: {
      flags: '--host <name>',
      help: 'address to listen on',
      details: 'An address other than that of this machine lets other machines connect.',
      default: '127.0.0.1',
    },
    supplier: {
      flags: '--supplier <code>',
      help: 'supplier; repeat for more',
      shownDefault: 'SANDBOX_SUPPLIER',
      parse: repeated,
    },
    team: {
      flags: '--team <name>',
      help: 'operations team; repeat for more',
      shownDefault: 'SANDBOX_TEAM',
      parse: repeated,
    },
    preset: {
      flags: '--preset <name>',
      help: 'documented, strict or legacyErrors',
      details: 'Settings that belong together.',
      choices: ['documented', 'strict', 'legacyErrors'],
    },
    settings: { flags: '--settings <path>', help: 'settings as a JSON object' },
    set: {
      flags: '--set <name=value>',
      help: 'one setting; repeat for more',
      details: 'The value is JSON or a word.',
      parse: setting,
    },
    faults: { flags: '--faults <path>', help: 'fault rules as a JSON array' },
    clock: { flags: '--clock <datetime>', help: "fixed time of the clock, or 'machine'", parse: clock },
    seed: { flags: '--seed <text>', help: 'seed of the ids' },
  }),
  ...flagsInGroup('Output', {
    file: {
      flags: '--file <path>',
      help: 'file that keeps the state',
      details: 'A state in the file takes precedence over --supplier and --team.',
    },
    logLimit: { flags: '--log-limit <number>', help: 'requests to keep in the log', parse: wholeNumber },
    showPersonalData: {
      flags: '--show-personal-data',
      help: 'do not mask personal data',
      details: 'In the log and the console.',
    },
    json: { flags: '--json', help: 'print the address as one line of JSON' },
  }),
} as const satisfies OptionTable;

type Flags = OptionValues<typeof options>;

export const command = defineCommand({
  options,
  hasSettings: false,
  async action(flags, { out, onSignal }) {
    const { port, host: hostname, file } = flags;
    const sandboxOptions = await optionsOf(flags);
    const sandbox = attempt(() => createSandbox(sandboxOptions), asUsage);
    const server = await sandbox.listen({ port, hostname, ...(file !== undefined && { file }) }).catch(asUsage);
    out(flags.json ? `${JSON.stringify(addresses(sandbox, server))}\n` : describe(sandbox, server));
    await new Promise<void>((resolve) => {
      const stopListening = onSignal(() => {
        stopListening();
        resolve();
      });
    });
    await server.close();
  },
});

/** An error of these options is an error of the user. */
function asUsage(error: unknown): never {
  const remedy =
    error instanceof StateFileError && error.isDamaged
      ? ' Give another file, or delete it to start with an empty state.'
      : '';
  const message = (error as Error).message.replace(/^(createSandbox|sandbox\.listen|sandbox): /, '');
  throw new UsageError(message + remedy, { cause: error });
}

async function optionsOf(flags: Flags): Promise<SandboxOptions> {
  const { supplier, team, preset, clock, seed, logLimit, showPersonalData } = flags;
  const settings =
    flags.settings === undefined ? {} : await readJson(flags.settings, '--settings', isObject, 'a JSON object');
  const faults =
    flags.faults === undefined ? [] : await readJson(flags.faults, '--faults', Array.isArray, 'a JSON array');
  return {
    ...(supplier && { suppliers: supplier.map((code) => ({ code })) }),
    ...(team && { teams: team }),
    ...(preset && { preset }),
    ...(clock && { clock }),
    ...(seed !== undefined && { seed }),
    ...(logLimit !== undefined && { logLimit }),
    ...(showPersonalData && { showPersonalData }),
    settings: { ...(settings as Partial<SandboxSettings>), ...flags.set },
    faults: faults as FaultRule[],
  };
}

async function readJson(
  path: string,
  flag: string,
  accepts: (value: unknown) => boolean,
  expected: string,
): Promise<unknown> {
  const value = await readJsonFile(path, flag, expected);
  if (accepts(value)) return value;
  throw new UsageError(`${flag}: ${path} does not contain ${expected}.`);
}

function addresses(sandbox: Sandbox, { url, port }: SandboxServer) {
  const { token, apiKey } = sandbox;
  return { url, port, token, apiKey, graphqlUrl: url + sandbox.graphqlPath, consoleUrl: `${url}/__sandbox/` };
}

function describe(sandbox: Sandbox, server: SandboxServer): string {
  const { url, token, apiKey, graphqlUrl, consoleUrl } = addresses(sandbox, server);
  const suppliers = sandbox.state.suppliers.map(({ code, status }) => `${code} (${status})`).join(', ');
  return `The sandbox is listening. Ctrl-C stops it.

  base URL   ${url}
  token      ${token}
  console    ${consoleUrl}
  GraphQL    ${graphqlUrl} (API key ${apiKey})
  suppliers  ${suppliers || 'none'}
  teams      ${sandbox.state.teams.join(', ') || 'none'}
  clock      ${sandbox.clock.now().toISOString()}${sandbox.state.clock.kind === 'fixed' ? ', fixed' : ''}
`;
}

/** Reads `name=value`; the value is JSON, or otherwise a word. */
function setting(value: string, before: Record<string, unknown> = {}): Record<string, unknown> {
  const [, name, text] = /^(\w+)=(.*)$/s.exec(value) ?? [];
  if (name === undefined || text === undefined) throw new InvalidArgumentError('Expected name=value.');
  try {
    return { ...before, [name]: parseJson(text) };
  } catch (error) {
    if (error instanceof ChangedJsonError) throw new InvalidArgumentError(`${name}: ${error.message}.`);
    return { ...before, [name]: text };
  }
}

function clock(value: string): Date | 'machine' {
  const time = clockTime(value);
  if (time !== undefined) return time;
  throw new InvalidArgumentError("Expected a datetime such as 2026-01-15T09:00:00Z, or 'machine'.");
}
