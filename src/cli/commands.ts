/**
 * The commands of `data-import-sdk`: what `--help` says about each, and where its code is. `commandsFor` loads the one command of
 * a command line, so that `--help` loads none and `sandbox` does not wait for the code of a migration.
 */
import { Command, type Option } from 'commander';
import type { DefinedCommand } from './options/command.js';
import type { CommandContext } from './shared/command-context.js';

/** One line of `data-import-sdk --help`, and the code of the command. */
type Entry = readonly [summary: string, load: () => Promise<{ command: DefinedCommand }>];

/** Groups of `data-import-sdk --help`, in their order. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, Entry>>>> = {
  'Start here:': {
    init: ['Start a migration project from a CSV export.', () => import('./commands/init/init-command.js')],
    check: ['Find errors in an input, without the service.', () => import('./commands/input/check.js')],
    run: ['Import the records of an input, or resume the run.', () => import('./commands/run.js')],
    status: ['Show the state of a run, running or not.', () => import('./commands/control.js')],
    retry: ['Send the records of a file with corrections, and no others.', () => import('./commands/retry.js')],
  },
  'Before a run:': {
    sample: ['Write sample records as JSON Lines, some of them invalid.', () => import('./sandbox/sample-command.js')],
    profile: ['Show what is in an input, field by field.', () => import('./commands/input/profile.js')],
    plan: ['Count what run would send, and estimate the time.', () => import('./commands/plan.js')],
    columns: ['List the columns of a query and of its sources.', () => import('./commands/columns.js')],
    doctor: ['Check address, token, suppliers, team, disk and clock.', () => import('./commands/doctor.js')],
  },
  'During a run:': {
    pause: ['Start no new call in a run until it is resumed.', () => import('./commands/control.js')],
    resume: ['Continue a paused run.', () => import('./commands/control.js')],
    drain: ['End a run after the calls in flight.', () => import('./commands/control.js')],
    set: ['Change the concurrency or the rate of a run.', () => import('./commands/control.js')],
    worker: [
      'Join a distributed run (run --distributed) until it is over.',
      () => import('./distributed/worker-command.js'),
    ],
  },
  'After a run:': {
    report: ['Write the report of a run again, and print its summary.', () => import('./commands/report.js')],
    resolve: ['List unknown outcomes and resolve them.', () => import('./commands/resolve.js')],
    forget: ['Remove records that left the input from the run. Sends nothing.', () => import('./commands/forget.js')],
    verify: ['Compare the ledger of a run with the lists of the service.', () => import('./commands/verify/verify.js')],
  },
  'Tools:': {
    call: ['Make one call of the service, and print the answer as JSON.', () => import('./commands/call.js')],
    certify: ['Try a migration script of any language under disturbances.', () => import('./commands/certify.js')],
    learn: ['Find the settings of the sandbox that reproduce a recording.', () => import('./commands/learn.js')],
    sandbox: ['Serve the whole service on this machine, until Ctrl-C.', () => import('./sandbox/sandbox-command.js')],
  },
};

/**
 * Returns all commands in the order of the help. The one that the command line names, also after `help`, has its options and its
 * action; the others have only a name and a summary.
 */
export function commandsFor(args: readonly string[], context: CommandContext): Promise<Command[]> {
  const named = args.filter((word) => !word.startsWith('-')).find((word) => word !== 'help');
  return commandsIn(context, (name) => name === named);
}

/** Loads all commands, in the order of the help. */
export function allCommands(context: CommandContext): Promise<Command[]> {
  return commandsIn(context, () => true);
}

async function commandsIn(context: CommandContext, isLoaded: (name: string) => boolean): Promise<Command[]> {
  const all = Object.entries(GROUPS).flatMap(([heading, entries]) =>
    Object.entries(entries).map(async ([name, [summary, load]]) => {
      const command = isLoaded(name) ? (await load()).command(context, name) : new Command(name);
      return command.description(summary).helpGroup(heading);
    }),
  );
  return Promise.all(all);
}

/** The options of all commands that read a config file: one config file and one environment serve them all. */
export function optionsOfAll(): Promise<readonly Option[]> {
  options ??= readOptionsOfAll();
  return options;
}

/** A process of one command asks once; one that runs many commands need not build all of them each time. */
let options: Promise<readonly Option[]> | undefined;

async function readOptionsOfAll(): Promise<readonly Option[]> {
  const commands = await allCommands(INERT_CONTEXT);
  return commands
    .map(({ options }) => options)
    .filter((options) => options.some((option) => option.attributeName() === 'config'))
    .flat();
}

/** For commands that are inspected and not run. */
export const INERT_CONTEXT: CommandContext = {
  exit() {},
  sent() {},
  out() {},
  err() {},
  report() {},
  ask: undefined,
  program: 'data-import-sdk',
  command: { verb: '', parts: [] },
  onSignal: () => () => {},
};
