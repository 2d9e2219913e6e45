/** The commands of `data-import`, in the order of the help. */
import type { Command, Option } from 'commander';
import type { Surroundings } from './shared/command-context.js';

/** Each is loaded only where it is asked for: a sandbox need not wait for what a migration needs. */
const COMMANDS: Readonly<Record<string, (around: Surroundings) => Promise<Command[]>>> = {
  sample: async (around) => [(await import('./sandbox/sample-command.js')).sampleCommand(around)],
  check: async (around) => [(await import('./commands/check.js')).checkCommand(around)],
  plan: async (around) => [(await import('./commands/plan.js')).planCommand(around)],
  doctor: async (around) => [(await import('./commands/doctor.js')).doctorCommand(around)],
  run: async (around) => [(await import('./commands/run.js')).runCommand(around)],
  worker: async (around) => [(await import('./distributed/worker-command.js')).workerCommand(around)],
  retry: async (around) => [(await import('./commands/retry.js')).retryCommand(around)],
  forget: async (around) => [(await import('./commands/forget.js')).forgetCommand(around)],
  resolve: async (around) => [(await import('./commands/resolve.js')).resolveCommand(around)],
  steer: async (around) => (await import('./commands/control.js')).steeringCommands(around),
  report: async (around) => [(await import('./commands/report.js')).reportCommand(around)],
  verify: async (around) => [(await import('./commands/verify.js')).verifyCommand(around)],
  call: async (around) => [(await import('./commands/call.js')).callCommand(around)],
  sandbox: async (around) => [(await import('./sandbox/sandbox-command.js')).sandboxCommand(around)],
};

/** The one that is meant; all of them where that is not plain, as for the help. */
export async function commandsFor([name = '']: readonly string[], around: Surroundings): Promise<Command[]> {
  const meant = Object.hasOwn(COMMANDS, name) ? [COMMANDS[name]] : Object.values(COMMANDS);
  return (await Promise.all(meant.map((load) => load?.(around) ?? []))).flat();
}

/** The options of all commands: one config file and one environment serve them all. */
export async function optionsOfAll(): Promise<readonly Option[]> {
  const commands = await commandsFor([], NOWHERE);
  return commands.flatMap(({ options }) => options);
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
