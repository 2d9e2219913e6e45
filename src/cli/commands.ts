/** The commands of `data-import`, in the order of the help. */
import type { Command } from 'commander';
import type { Surroundings } from './surroundings.js';

/** Each is loaded only where it is asked for: a sandbox need not wait for what a migration needs. */
const COMMANDS: Readonly<Record<string, (around: Surroundings) => Promise<Command[]>>> = {
  sample: async (around) => [(await import('./sample.js')).sampleCommand(around)],
  check: async (around) => [(await import('./check.js')).checkCommand(around)],
  plan: async (around) => [(await import('./plan.js')).planCommand(around)],
  run: async (around) => [(await import('./run.js')).runCommand(around)],
  worker: async (around) => [(await import('./worker.js')).workerCommand(around)],
  retry: async (around) => [(await import('./retry.js')).retryCommand(around)],
  resolve: async (around) => [(await import('./resolve.js')).resolveCommand(around)],
  steer: async (around) => (await import('./steer.js')).steeringCommands(around),
  report: async (around) => [(await import('./report.js')).reportCommand(around)],
  verify: async (around) => [(await import('./verify.js')).verifyCommand(around)],
  call: async (around) => [(await import('./call.js')).callCommand(around)],
  sandbox: async (around) => [(await import('./sandbox.js')).sandboxCommand(around)],
};

/** The one that is meant; all of them where that is not plain, as for the help. */
export async function commandsFor([name = '']: readonly string[], around: Surroundings): Promise<Command[]> {
  const meant = Object.hasOwn(COMMANDS, name) ? [COMMANDS[name]] : Object.values(COMMANDS);
  return (await Promise.all(meant.map((load) => load?.(around) ?? []))).flat();
}

/** What any of them can be told: one config file serves them all. */
export async function settingsOfAll(): Promise<ReadonlySet<string>> {
  const commands = await commandsFor([], NOWHERE);
  return new Set(commands.flatMap(({ options }) => options.map((option) => option.attributeName())));
}

/** Where commands are looked at, and never run. */
export const NOWHERE: Surroundings = {
  exit() {},
  out() {},
  err() {},
  ask: undefined,
  commandLine: [],
  onSignal: () => () => {},
};
