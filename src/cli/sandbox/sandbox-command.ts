/** `data-import sandbox`: the whole service on this machine, for code in any language. */
import { Command, InvalidArgumentError, Option } from 'commander';
import {
  createSandbox,
  type FaultRule,
  type PresetName,
  type Sandbox,
  type SandboxOptions,
  type SandboxServer,
  type SandboxSettings,
} from '../../sandbox/index.js';
import { StateFileError } from '../../sandbox/state/state-file.js';
import { readJsonFile, wholeNumber } from '../options/settings.js';
import type { CommandContext } from '../shared/command-context.js';
import { UsageError } from '../shared/errors.js';

interface Flags {
  port: number;
  host: string;
  file?: string;
  supplier?: string[];
  team?: string[];
  preset?: PresetName;
  settings?: string;
  set?: Record<string, unknown>;
  faults?: string;
  clock?: Date | 'machine';
  seed?: string;
  logLimit?: number;
  showPersonalData?: true;
  json?: true;
}

const EXAMPLES = `
Examples:
  data-import sandbox                                    on port 4010, with a console at /__sandbox/
  data-import sandbox --port 0 --json                    on any free port; one line of JSON says which
  data-import sandbox --file sandbox.jsonl               goes on where it was when it is started again, also after a kill
  data-import sandbox --set processConcurrency=8 --set retryAfterSeconds=2
  data-import sandbox --faults faults.json               [{"when": {"probability": 0.02}, "effect": {"status": 500}}]
`;

export function sandboxCommand({ out, onSignal }: CommandContext): Command {
  return new Command('sandbox')
    .description('Serve the whole service from memory, on this machine, until Ctrl-C.')
    .option('-p, --port <number>', 'port to listen on; 0 for any that is free', wholeNumber, 4010)
    .option('--host <name>', 'address to listen on; anything but this machine lets others in', '127.0.0.1')
    .option('--file <path>', 'keep the state in this file; what it holds counts, also for suppliers and teams')
    .option('--supplier <code>', 'an import supplier that exists (repeat for more; default SANDBOX_SUPPLIER)', several)
    .option('--team <name>', 'an operations team that exists (repeat for more; default SANDBOX_TEAM)', several)
    .addOption(
      new Option('--preset <name>', 'settings that go together').choices(['documented', 'strict', 'legacyErrors']),
    )
    .option('--settings <path>', 'settings as a JSON object in a file')
    .option('--set <name=value>', 'one setting; the value is JSON or a word (repeat for more)', setting)
    .option('--faults <path>', 'failures on demand: a JSON array of fault rules in a file')
    .option('--clock <datetime>', "where the clock stands, or 'machine' for one that runs", clock)
    .option('--seed <text>', 'what ids follow from')
    .option('--log-limit <number>', 'how many requests the log remembers', wholeNumber)
    .option('--show-personal-data', 'do not mask names, addresses and the like in log and console')
    .option('--json', 'say where it listens as one line of JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (flags: Flags) => {
      const { port, host: hostname, file } = flags;
      const options = await optionsOf(flags);
      const sandbox = meant(() => createSandbox(options));
      const server = await sandbox.listen({ port, hostname, ...(file !== undefined && { file }) }).catch(asUsage);
      out(flags.json ? `${JSON.stringify(whereabouts(sandbox, server))}\n` : describe(sandbox, server));
      await new Promise<void>((resolve) => {
        const stopListening = onSignal(() => {
          stopListening();
          resolve();
        });
      });
      await server.close();
    });
}

/** What is thrown here comes of what the user gave. */
function meant<Result>(task: () => Result): Result {
  try {
    return task();
  } catch (error) {
    return asUsage(error);
  }
}

function asUsage(error: unknown): never {
  const remedy =
    error instanceof StateFileError && error.isDamaged ? ' Give another file, or delete it to begin anew.' : '';
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
  throw new UsageError(`${flag}: ${path} holds something else than ${expected}.`);
}

function whereabouts(sandbox: Sandbox, { url, port }: SandboxServer) {
  const { token, apiKey } = sandbox;
  return { url, port, token, apiKey, graphqlUrl: url + sandbox.graphqlPath, consoleUrl: `${url}/__sandbox/` };
}

function describe(sandbox: Sandbox, server: SandboxServer): string {
  const { url, token, apiKey, graphqlUrl, consoleUrl } = whereabouts(sandbox, server);
  const suppliers = sandbox.state.suppliers.map(({ code, status }) => `${code} (${status})`).join(', ');
  return `The sandbox listens. Ctrl-C ends it.

  base URL   ${url}
  token      ${token}
  console    ${consoleUrl}
  GraphQL    ${graphqlUrl} (API key ${apiKey})
  suppliers  ${suppliers || 'none'}
  teams      ${sandbox.state.teams.join(', ') || 'none'}
  clock      ${sandbox.clock.now().toISOString()}${sandbox.state.clock.kind === 'fixed' ? ', stands still' : ''}
`;
}

function several(value: string, before: string[] = []): string[] {
  return [...before, value];
}

/** `name=value`, where the value is JSON or else a word. */
function setting(value: string, before: Record<string, unknown> = {}): Record<string, unknown> {
  const [, name, text] = /^(\w+)=(.*)$/s.exec(value) ?? [];
  if (name === undefined || text === undefined) throw new InvalidArgumentError('Expected name=value.');
  try {
    return { ...before, [name]: JSON.parse(text) };
  } catch {
    return { ...before, [name]: text };
  }
}

function clock(value: string): Date | 'machine' {
  if (value === 'machine') return value;
  const instant = new Date(value);
  if (Number.isFinite(instant.getTime())) return instant;
  throw new InvalidArgumentError("Expected a datetime such as 2026-01-15T09:00:00Z, or 'machine'.");
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
