/**
 * The commands of `data-import-sdk`: what `--help` says about each, and where its code is. `commandsFor` loads the one command of
 * a command line, so that `--help` loads none and `sandbox` does not wait for the code of a migration.
 */
import { Command, type Option } from 'commander';
import type { CommandContext } from './shared/command-context.js';

interface Entry {
  /** One line of `data-import-sdk --help`. */
  summary: string;
  load(context: CommandContext): Promise<Command>;
}

/** Groups of `data-import-sdk --help`, in their order. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, Entry>>>> = {
  'Start here:': {
    init: {
      summary: 'Start a migration project from a CSV export.',
      load: async (context) => (await import('./commands/init/init-command.js')).initCommand(context),
    },
    check: {
      summary: 'Find errors in an input, without the service.',
      load: async (context) => (await import('./commands/input/check.js')).checkCommand(context),
    },
    run: {
      summary: 'Import the records of an input, or resume the run.',
      load: async (context) => (await import('./commands/run.js')).runCommand(context),
    },
    status: {
      summary: 'Show the state of a run, running or not.',
      load: async (context) => (await import('./commands/control.js')).statusCommand(context),
    },
    retry: {
      summary: 'Send corrected records again, and nothing else.',
      load: async (context) => (await import('./commands/retry.js')).retryCommand(context),
    },
  },
  'Before a run:': {
    sample: {
      summary: 'Write sample records as JSON Lines, some of them invalid.',
      load: async (context) => (await import('./sandbox/sample-command.js')).sampleCommand(context),
    },
    profile: {
      summary: 'Show what is in an input, field by field.',
      load: async (context) => (await import('./commands/input/profile.js')).profileCommand(context),
    },
    plan: {
      summary: 'Count what run would send, and estimate the time.',
      load: async (context) => (await import('./commands/plan.js')).planCommand(context),
    },
    columns: {
      summary: 'List the columns of a query and of its sources.',
      load: async (context) => (await import('./commands/columns.js')).columnsCommand(context),
    },
    doctor: {
      summary: 'Check address, token, suppliers, team, disk and clock.',
      load: async (context) => (await import('./commands/doctor.js')).doctorCommand(context),
    },
  },
  'During a run:': {
    pause: {
      summary: 'Start no new call in a run until it is resumed.',
      load: async (context) => (await import('./commands/control.js')).pauseCommand(context),
    },
    resume: {
      summary: 'Continue a paused run.',
      load: async (context) => (await import('./commands/control.js')).resumeCommand(context),
    },
    drain: {
      summary: 'End a run after the calls in flight.',
      load: async (context) => (await import('./commands/control.js')).drainCommand(context),
    },
    set: {
      summary: 'Change the concurrency or the rate of a run.',
      load: async (context) => (await import('./commands/control.js')).setCommand(context),
    },
    worker: {
      summary: 'Join a distributed run (run --distributed) until it is over.',
      load: async (context) => (await import('./distributed/worker-command.js')).workerCommand(context),
    },
  },
  'After a run:': {
    report: {
      summary: 'Write the report of a run again, and print its summary.',
      load: async (context) => (await import('./commands/report.js')).reportCommand(context),
    },
    resolve: {
      summary: 'List unknown outcomes and resolve them.',
      load: async (context) => (await import('./commands/resolve.js')).resolveCommand(context),
    },
    forget: {
      summary: 'Remove records that left the input from the run. Sends nothing.',
      load: async (context) => (await import('./commands/forget.js')).forgetCommand(context),
    },
    verify: {
      summary: 'Compare the ledger of a run with the lists of the service.',
      load: async (context) => (await import('./commands/verify/verify.js')).verifyCommand(context),
    },
  },
  'Tools:': {
    call: {
      summary: 'Make one call of the service, and print the answer as JSON.',
      load: async (context) => (await import('./commands/call.js')).callCommand(context),
    },
    certify: {
      summary: 'Try a migration script of any language under disturbances.',
      load: async (context) => (await import('./commands/certify.js')).certifyCommand(context),
    },
    learn: {
      summary: 'Find the settings of the sandbox that reproduce a recording.',
      load: async (context) => (await import('./commands/learn.js')).learnCommand(context),
    },
    sandbox: {
      summary: 'Serve the whole service on this machine, until Ctrl-C.',
      load: async (context) => (await import('./sandbox/sandbox-command.js')).sandboxCommand(context),
    },
  },
};

/**
 * Returns all commands in the order of the help. The one that the command line names, also after `help`, has its options and its
 * action; the others have only a name and a summary.
 */
export async function commandsFor(args: readonly string[], context: CommandContext): Promise<Command[]> {
  const named = args.filter((word) => !word.startsWith('-')).find((word) => word !== 'help');
  return eachCommand(async (name, { load }) => (name === named ? await load(context) : new Command(name)));
}

/** Loads all commands, in the order of the help. */
export async function allCommands(context: CommandContext): Promise<Command[]> {
  return eachCommand((_, { load }) => load(context));
}

async function eachCommand(commandOf: (name: string, entry: Entry) => Promise<Command>): Promise<Command[]> {
  const all = Object.entries(GROUPS).flatMap(([heading, entries]) =>
    Object.entries(entries).map(async ([name, entry]) =>
      (await commandOf(name, entry)).description(entry.summary).helpGroup(heading),
    ),
  );
  return Promise.all(all);
}

/** The options of all commands: one config file and one environment serve them all. */
export async function optionsOfAll(): Promise<readonly Option[]> {
  const commands = await allCommands(INERT_CONTEXT);
  return commands.flatMap(({ options }) => options);
}

/** For commands that are inspected and not run. */
export const INERT_CONTEXT: CommandContext = {
  exit() {},
  out() {},
  err() {},
  report() {},
  ask: undefined,
  program: 'data-import-sdk',
  command: { verb: '', parts: [] },
  onSignal: () => () => {},
};
