/** The commands of `data-import-sdk`: `commandsFor` loads those of a command line, `optionsOfAll` lists every option. */
import type { Command, Option } from 'commander';
import type { CommandContext } from './shared/command-context.js';

type Loader = (context: CommandContext) => Promise<Command[]>;

/** Groups of `data-import-sdk --help`, in their order. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Start here:': ['init', 'check', 'run', 'status', 'retry'],
  'Before a run:': ['sample', 'profile', 'plan', 'columns', 'doctor'],
  'During a run:': ['pause', 'resume', 'drain', 'set', 'worker'],
  'After a run:': ['report', 'resolve', 'forget', 'verify'],
  'Tools:': ['call', 'sandbox'],
};

/** Each command is loaded when it is needed: `sandbox` does not wait for the code of a migration. */
const LOADERS: Readonly<Record<string, Loader>> = {
  init: async (context) => [(await import('./commands/init/init-command.js')).initCommand(context)],
  sample: async (context) => [(await import('./sandbox/sample-command.js')).sampleCommand(context)],
  check: async (context) => [(await import('./commands/input/check.js')).checkCommand(context)],
  profile: async (context) => [(await import('./commands/input/profile.js')).profileCommand(context)],
  plan: async (context) => [(await import('./commands/plan.js')).planCommand(context)],
  columns: async (context) => [(await import('./commands/columns.js')).columnsCommand(context)],
  doctor: async (context) => [(await import('./commands/doctor.js')).doctorCommand(context)],
  run: async (context) => [(await import('./commands/run.js')).runCommand(context)],
  worker: async (context) => [(await import('./distributed/worker-command.js')).workerCommand(context)],
  retry: async (context) => [(await import('./commands/retry.js')).retryCommand(context)],
  forget: async (context) => [(await import('./commands/forget.js')).forgetCommand(context)],
  resolve: async (context) => [(await import('./commands/resolve.js')).resolveCommand(context)],
  control: async (context) => (await import('./commands/control.js')).controlCommands(context),
  report: async (context) => [(await import('./commands/report.js')).reportCommand(context)],
  verify: async (context) => [(await import('./commands/verify/verify.js')).verifyCommand(context)],
  call: async (context) => [(await import('./commands/call.js')).callCommand(context)],
  sandbox: async (context) => [(await import('./sandbox/sandbox-command.js')).sandboxCommand(context)],
};

/** The command that the first word names; all commands if it names none, as for `--help`. In the order of the help. */
export async function commandsFor([name = '']: readonly string[], context: CommandContext): Promise<Command[]> {
  const loaders = Object.hasOwn(LOADERS, name) ? [LOADERS[name]] : Object.values(LOADERS);
  const loaded = (await Promise.all(loaders.map((load) => load?.(context) ?? []))).flat();
  return Object.entries(GROUPS).flatMap(([heading, names]) =>
    names.flatMap((one) => loaded.filter((command) => command.name() === one)).map((one) => one.helpGroup(heading)),
  );
}

/** The options of all commands: one config file and one environment serve them all. */
export async function optionsOfAll(): Promise<readonly Option[]> {
  const commands = await commandsFor([], INERT_CONTEXT);
  return commands.flatMap(({ options }) => options);
}

/** For commands that are inspected and not run. */
export const INERT_CONTEXT: CommandContext = {
  exit() {},
  out() {},
  err() {},
  report() {},
  ask: undefined,
  commandLine: [],
  onSignal: () => () => {},
};
