/** Runs `data-import`: what becomes of a command line, and of an error: one line, and an exit code. */
import { createInterface } from 'node:readline/promises';
import { Command, CommanderError } from 'commander';
import { MappingError } from '../migration/input/input-error.js';
import { MissingPackageError } from '../migration/shared/missing-package.js';
import { printable } from '../migration/shared/printable.js';
import { VERSION } from '../version.js';
import { commandsFor, optionsOfAll } from './commands.js';
import { applyConfigFile, applyEnvironment, refuseUnknownVariables } from './options/settings.js';
import type { CommandContext, EndingSignal } from './shared/command-context.js';
import { programName, shellWord, withoutPasswords } from './shared/command-text.js';
import { isNotAccepted, UsageError } from './shared/errors.js';
import { EXIT } from './shared/exit-codes.js';
import { openOutput } from './shared/output.js';

/** Runs one command line to its end; resolves with the exit code. */
export async function runProgram(args: readonly string[], surroundings?: Partial<CommandContext>): Promise<number> {
  let code: number = EXIT.ok;
  const stdout = openOutput(process.stdout);
  const stderr = openOutput(process.stderr);
  const context: CommandContext = {
    exit: (given) => {
      code = given;
    },
    out: (text) => stdout.write(shown(process.stdout, text)),
    err: (text) => void stderr.write(shown(process.stderr, text)),
    onSignal,
    ask: process.stdin.isTTY && process.stderr.isTTY ? ask : undefined,
    commandLine: [nameOfProgram(), ...args.map((word) => shellWord(withoutPasswords(word)))],
    ...surroundings,
  };
  const program = new Command('data-import')
    .description('Move energy customers and businesses into the supply and billing platform, or rehearse it.')
    .version(VERSION, '-v, --version')
    .exitOverride()
    .configureOutput({ writeOut: (text) => void context.out(text), writeErr: context.err })
    .showHelpAfterError('(data-import <command> --help says more)')
    .hook('preAction', async (_, action) => {
      await refuseUnknownVariables(action, optionsOfAll);
      applyEnvironment(action);
      await applyConfigFile(action, optionsOfAll);
    });
  for (const command of await commandsFor(args, context)) {
    program.addCommand(command.copyInheritedSettings(program));
  }
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    code = codeOf(error, context);
  }
  const failure = await stdout.failure();
  if (failure === undefined) return code;
  context.err(
    `data-import: standard output cannot be written (${failure.code}). Make room, or send it elsewhere, and give the same command again.\n`,
  );
  return EXIT.internal;
}

function nameOfProgram(): string {
  return programName(process.argv[1] ?? '', process.cwd(), process.env['npm_command']);
}

function codeOf(error: unknown, { err }: CommandContext): number {
  // Commander has said already what is wrong.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  err(`data-import: ${(error as Error).message}\n`);
  if (isNotAccepted(error)) return EXIT.notAccepted;
  return OF_USAGE.some((kind) => error instanceof kind) ? EXIT.usage : EXIT.internal;
}

/** Something that the user gives or installs: the same command again would end in the same way. */
const OF_USAGE = [UsageError, MappingError, MissingPackageError];

/** A number or a code may hold what a terminal obeys; a program gets it as it is. */
function shown({ isTTY }: NodeJS.WriteStream, text: string): string {
  return isTTY ? printable(text) : text;
}

const SIGNALS: readonly EndingSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

function onSignal(listener: (signal: EndingSignal) => void): () => void {
  for (const signal of SIGNALS) process.on(signal, listener);
  return () => {
    for (const signal of SIGNALS) process.off(signal, listener);
  };
}

/** On stderr, as everything that is not the outcome. Ctrl-C and Ctrl-D are no answer. */
async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const left = new Promise<undefined>((resolve) => terminal.once('close', () => resolve(undefined)));
  const answer = await Promise.race([terminal.question(printable(question)), left]);
  if (answer === undefined) process.stderr.write('\n');
  terminal.close();
  return answer ?? '';
}
