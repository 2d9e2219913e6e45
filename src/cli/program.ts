/** `runProgram`: runs one command line of `data-import-sdk`, and turns an error into one line and an exit code. */
import { Command, CommanderError } from 'commander';
import { printable } from '../migration/shared/printable.js';
import { VERSION } from '../version.js';
import { commandsFor, optionsOfAll } from './commands.js';
import type { Monitor, MonitorFlags } from './monitoring/events/monitor.js';
import { LAYOUT, withLayout } from './options/help.js';
import type { CommandContext } from './shared/command-context.js';
import { commandOf } from './shared/command-data.js';
import { programName, withoutSecrets } from './shared/command-text.js';
import { messageOf } from './shared/errors.js';
import { EXIT, type ExitCode } from './shared/exit-codes.js';
import { openOutput } from './shared/output.js';
import { openSignals } from './shared/signals.js';
import { openQuestions } from './terminal/question.js';

/** Resolves with the exit code. Never rejects: an error of the command is printed. `given`: parts that a test replaces. */
export async function runProgram(args: readonly string[], surroundings?: Partial<CommandContext>): Promise<number> {
  let code: number = EXIT.ok;
  let monitor: Monitor | undefined;
  let next: (() => string) | undefined;
  const stdout = openOutput(process.stdout);
  const stderr = openOutput(process.stderr);
  const signals = openSignals();
  const context: CommandContext = {
    exit: (given) => {
      code = given;
    },
    sent: (given) => {
      next = given;
    },
    out: (text) => stdout.write(printable(text)),
    err: (text) => void stderr.write(printable(text)),
    report: () => {},
    onSignal: signals.onSignal,
    ask: openQuestions(signals.hangUp),
    program: nameOfProgram(),
    command: { verb: '', parts: [] },
    ...surroundings,
  };
  const program = new Command('data-import-sdk')
    .description('Import energy customers and businesses into a supply and billing platform.')
    .version(VERSION, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .addHelpCommand(
      new Command('help').description('Show the help of a command.').argument('[command]').helpGroup('Tools:'),
    )
    .configureHelp(LAYOUT)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void context.out(text),
      writeErr: context.err,
      outputError: (text, write) => write(withFolderOption(withoutValue(text), program)),
    })
    .showHelpAfterError('(data-import-sdk --help lists the commands)')
    .hook('preAction', async (_, action) => {
      context.command = commandOf(withoutSecrets(args), withValue(action));
      const { applyEnvironment, refuseUnknownVariables } = await import('./options/environment.js');
      const { applyConfigFile } = await import('./options/config-file.js');
      await refuseUnknownVariables(action, optionsOfAll);
      applyEnvironment(action);
      await applyConfigFile(action, optionsOfAll);
      monitor = await monitorOf(action, context);
      const { unencryptedConnections } = await import('./open/unencrypted.js');
      for (const warning of await unencryptedConnections(action.opts())) context.err(warning);
    });
  for (const command of await commandsFor(args, context)) {
    program.addCommand(withLayout(command.copyInheritedSettings(program)).showHelpAfterError(usageOf(command)));
  }
  try {
    await program.parseAsync(withoutHelpOfUnknown(args, program), { from: 'user' });
  } catch (error) {
    code = await codeOf(error, context, next);
  }
  const failure = await stdout.failure();
  if (failure !== undefined) {
    context.err(
      `data-import-sdk: standard output cannot be written (${failure.code}). Free disk space or redirect the output, then repeat the command.\n`,
    );
    code = EXIT.internal;
  }
  await monitor?.ended(code as ExitCode);
  signals.close();
  return code;
}

/** Removes the value of an unknown option, which may be a secret. A token is no option, because other users of the machine can read those. */
function withoutValue(message: string): string {
  const [, name] = /^error: unknown option '(-[\w-]*)/.exec(message) ?? [];
  if (name === undefined || message.includes('. Give a setting')) return message;
  const meant = /^--?(token|api-?key|password)$/i.test(name)
    ? '. Give the token by DATA_IMPORT_TOKEN or --token-file, and other secrets by environment variables'
    : (/\n\(Did you mean .*\)/.exec(message)?.[0] ?? '');
  return `error: unknown option '${name}'${meant}\n`;
}

/** Names the option of the run folder, which users type as an argument. */
function withFolderOption(message: string, { commands }: Command): string {
  const [, name] = /^error: too many arguments for '([\w-]+)'\. Expected 0 /.exec(message) ?? [];
  const hasFolder = commands.find((command) => command.name() === name)?.options.some(({ long }) => long === '--run');
  return hasFolder === true ? message.replace('\n', ' Give the run folder with --run <folder>.\n') : message;
}

function usageOf(command: Command): string {
  const typed = `data-import-sdk ${command.name()}`;
  return `Usage: ${typed} ${command.usage()}\n(${typed} --help lists the options)`;
}

/** Returns only the command if it is unknown: with a word for help, Commander would print the help of the program. */
function withoutHelpOfUnknown(args: readonly string[], { commands }: Command): readonly string[] {
  const name = args[0] === 'help' ? args[1] : args[0];
  if (name === undefined || name === 'help' || name.startsWith('-')) return args;
  return commands.some((command) => command.name() === name) ? args : [name];
}

/** The monitor that the flags of a command ask for. Only the commands with a log have these flags. */
async function monitorOf(command: Command, context: CommandContext): Promise<Monitor | undefined> {
  const { logFormat, notify, notifyCommand }: MonitorFlags = command.opts();
  if (logFormat !== 'json' && notify === undefined && notifyCommand === undefined) return undefined;
  const { openMonitor } = await import('./monitoring/events/monitor.js');
  return openMonitor(command.name(), command.opts(), context);
}

function withValue({ options }: Command): string[] {
  return options.flatMap(({ long, required }) => (required && long ? [long] : []));
}

function nameOfProgram(): string {
  return programName(process.argv[1] ?? '', process.cwd(), process.env['npm_command']);
}

/** Prints the error. `next`: set once a session has sent a request. */
async function codeOf(error: unknown, { err }: CommandContext, next?: () => string): Promise<number> {
  // Commander has printed the message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  const { exitCodeOfError, isLedgerLost } = await import('./shared/error-causes.js');
  const code = exitCodeOfError(error);
  const message = messageOf(error);
  if (next === undefined || (code !== EXIT.usage && code !== EXIT.internal)) {
    err(`data-import-sdk: ${message}\n`);
    return code;
  }
  err(
    `data-import-sdk: ${message}\n${isLedgerLost(error) ? 'Next, once the ledger is there' : `${SENT} Next`}: ${next()}\n`,
  );
  return EXIT.internal;
}

const SENT =
  'Requests were sent. The ledger has their outcomes; for those that it does not have, the next session asks the service. ' +
  'Where that cannot tell, as for statements and payment instructions, the outcome is unknown: data-import-sdk resolve lists it.';
