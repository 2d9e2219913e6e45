/** The commands of `data-import`, in the order of the help. */
import type { Command, Option } from 'commander';
import type { CommandContext } from './shared/command-context.js';

/** Each is loaded only where it is asked for: a sandbox need not wait for what a migration needs. */
const COMMANDS: Readonly<Record<string, (context: CommandContext) => Promise<Command[]>>> = {
  sample: async (context) => [(await import('./sandbox/sample-command.js')).sampleCommand(context)],
  check: async (context) => [(await import('./commands/check.js')).checkCommand(context)],
  plan: async (context) => [(await import('./commands/plan.js')).planCommand(context)],
  doctor: async (context) => [(await import('./commands/doctor.js')).doctorCommand(context)],
  run: async (context) => [(await import('./commands/run.js')).runCommand(context)],
  worker: async (context) => [(await import('./distributed/worker-command.js')).workerCommand(context)],
  retry: async (context) => [(await import('./commands/retry.js')).retryCommand(context)],
  forget: async (context) => [(await import('./commands/forget.js')).forgetCommand(context)],
  resolve: async (context) => [(await import('./commands/resolve.js')).resolveCommand(context)],
  steer: async (context) => (await import('./commands/control.js')).steeringCommands(context),
  report: async (context) => [(await import('./commands/report.js')).reportCommand(context)],
  verify: async (context) => [(await import('./commands/verify.js')).verifyCommand(context)],
  call: async (context) => [(await import('./commands/call.js')).callCommand(context)],
  sandbox: async (context) => [(await import('./sandbox/sandbox-command.js')).sandboxCommand(context)],
};

/** The one that is meant; all of them where that is not plain, as for the help. */
export async function commandsFor([name = '']: readonly string[], context: CommandContext): Promise<Command[]> {
  const meant = Object.hasOwn(COMMANDS, name) ? [COMMANDS[name]] : Object.values(COMMANDS);
  return (await Promise.all(meant.map((load) => load?.(context) ?? []))).flat();
}

/** The options of all commands: one config file and one environment serve them all. */
export async function optionsOfAll(): Promise<readonly Option[]> {
  const commands = await commandsFor([], INERT_CONTEXT);
  return commands.flatMap(({ options }) => options);
}

/** Where commands are looked at, and never run. */
export const INERT_CONTEXT: CommandContext = {
  exit() {},
  out() {},
  err() {},
  ask: undefined,
  commandLine: [],
  onSignal: () => () => {},
};
