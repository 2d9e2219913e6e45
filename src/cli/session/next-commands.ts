/**
 * `nextSteps`: what the user does next, one row for each state in which a session can leave records. Terminal, report page, help and
 * reference show these rows.
 */

import type { Ledger } from '../../migration/ledger/ledger.js';
import { exitCodeOfSession } from '../../migration/report/exit-code.js';
import type { CommandData } from '../../migration/report/folder/stored-command.js';
import type { EndingOf } from '../../migration/report/folder/write-report.js';
import { LEFT, type NextCommand, type Shown } from '../../migration/report/left-to-do.js';
import type { NextStep, RunFacts } from '../../migration/report/report.js';
import type { LeftSummary } from '../../migration/report/summary/summary.js';
import { isCanary } from '../../migration/run/canary.js';
import { configOptions } from '../options/config-file.js';
import { wrapped } from '../options/help.js';
import type { OptionTable } from '../options/option.js';
import { folderOptions } from '../options/run-options.js';
import type { CommandContext } from '../shared/command-context.js';
import { commandText } from '../shared/command-data.js';
import { shellWord } from '../shared/command-text.js';
import { printedFrom } from './command-again.js';
import { forgetOptions, resolveOptions, retryOptions } from './run-flags.js';

export interface Situation
  extends Pick<RunFacts, 'state' | 'continueWith' | 'runCommand' | 'runAgainWith' | 'configuration'> {
  summary: LeftSummary;
  folder: string;
  /** How the user can start this program. */
  program: string;
  /** The command of the last session; undefined if a program has started all of them. */
  command: CommandData | undefined;
}

/** Returns a step for each state that needs the user, and the command to give after that. */
export function nextSteps(situation: Situation): NextStep[] {
  const { state, summary } = situation;
  const continueWith = commandHere(situation.continueWith, situation);
  // The rest of the input follows, whatever the canary has left.
  if (state === 'finished' && isCanary(situation)) return [{ state: 'Next', text: '', command: continueWith }];
  // Another session does not help records without a line: a person decides.
  const { unfinished, unfinishedWithoutLine } = summary;
  const isLeftToPerson = state === 'unfinished' && unfinished > 0 && unfinished === unfinishedWithoutLine;
  // A decision of resolve can make records of a finished session unfinished again.
  const isEnded = isLeftToPerson || (state === 'finished' && unfinished === 0);
  const rows = LEFT.filter((row) => row.count(summary) > 0 && (isEnded || row.isOpen));
  const steps = rows.map((row) => ({
    ...{ count: row.count(summary), state: row.state },
    ...stepOf(row, situation, summary),
  }));
  if (!isEnded && state === 'finished') {
    return [...steps, ...commandsToRunAgain(situation).map((command) => ({ state: 'Next', text: '', command }))];
  }
  if (!isEnded) {
    return continueWith === '' ? steps : [...steps, { state: 'Next', text: '', command: continueWith }];
  }
  if (!rows.some(({ isRunAgain }) => isRunAgain)) return steps;
  return [
    ...steps,
    ...commandsToRunAgain(situation).map((command) => ({ state: 'To run again', text: '', command })),
    ...(isRehearsal(situation) ? [{ state: '', text: rehearsalInWords(situation.folder) }] : []),
  ];
}

function stepOf(
  { text, command }: (typeof LEFT)[number],
  situation: CommandFacts,
  summary: Shown,
): Pick<NextStep, 'text' | 'command'> {
  const found = typeof command === 'function' ? command(summary) : command;
  return {
    text: typeof text === 'string' ? text : text(summary),
    ...(found !== undefined && { command: printed(found, situation) }),
  };
}

export function rehearsalInWords(folder: string): string {
  return `This is a rehearsal: to begin it anew, delete the folder ${shellWord(folder)}.`;
}

/** `Next (2 rejected): correct …: data-import-sdk retry …` */
export function nextInWords({ count, state, text, command = '' }: NextStep): string {
  const words = wordsOf({ text, command });
  if (state === '') return words;
  return `${count === undefined ? state : `Next (${count} ${state})`}: ${words}`;
}

function wordsOf({ text, command = '' }: Pick<NextStep, 'text' | 'command'>): string {
  return [text, command].filter((word) => word !== '').join(' ');
}

/** Returns the line about unknown outcomes for a folder that does not have the report of the run. */
export function resolveInWords(count: number, facts: CommandFacts): string {
  return nextInWords({ count, state: 'unknown', text: '', command: printed({ verb: 'resolve' }, facts) });
}

/** Returns how a report states the end of the last session. `program`: how the user can start this program. */
export function endingBy(
  ledger: Pick<Ledger, 'fact'>,
  folder: string,
  context: Pick<CommandContext, 'program'>,
): EndingOf {
  return async (run, summary) => ({
    exitCode: exitCodeOfSession(run, summary),
    next: nextSteps({ ...run, summary, folder, ...(await printedFrom(ledger, context)) }),
  });
}

/** More than one if the run has had several inputs. */
function commandsToRunAgain(situation: Situation): readonly string[] {
  const { runAgainWith, runCommand, continueWith } = situation;
  const commands = runAgainWith.length > 0 ? runAgainWith : [runCommand === '' ? continueWith : runCommand];
  return commands.filter((command) => command !== '').map((command) => commandHere(command, situation));
}

/** A text in quotes, an escaped quote, or the flag with its value, which may be in quotes. */
const QUOTED_OR_RUN = /\\'|'[^']*'|"[^"]*"| --run[= ](?:\\'|'[^']*'|"[^"]*"|[^\s'"])+/g;

/** Returns a stored command as it is given now; that of a program as it is. */
export function commandHere(text: string, situation: Pick<Situation, 'command' | 'folder'>): string {
  return situation.command === undefined || text === '' ? text : inFolder(text, situation);
}

/** Returns a command with the folder as it is given now: it can have been renamed or moved. */
function inFolder(text: string, { command, folder }: Pick<Situation, 'command' | 'folder'>): string {
  const { run } = folderOptions;
  const isDefault = folder === (isRehearsal({ command }) ? run.defaultWith.value : run.default);
  const ofFolder = isDefault ? '' : ` --run ${shellWord(folder)}`;
  let isReplaced = false;
  const replaced = text.replace(QUOTED_OR_RUN, (found) => {
    if (!found.startsWith(' ')) return found;
    isReplaced = true;
    return ofFolder;
  });
  return isReplaced ? replaced : replaced.replace(/( -- .*)?$/s, (operands: string) => `${ofFolder}${operands}`);
}

/** With the longest text of each row. */
const SHOWN_IN_HELP: Shown = {
  resolvableWithoutLine: 1,
  changed: { unsent: 0, others: 0 },
  lacking: { refused: 1, named: 0, unsent: 1, neverSkipped: 1, ofAnother: 1 },
  toCorrect: { lines: 0, inSheet: 1 },
};

/** The rows as a part of the help of `run`, at most 80 columns wide. */
export function nextInHelp(): string {
  const facts = { program: 'data-import-sdk', folder: 'FOLDER', command: { verb: '', parts: [] } };
  return LEFT.map((row) => {
    const next = wordsOf(stepOf(row, facts, SHOWN_IN_HELP)).replace('FOLDER', '<folder>');
    return `${wrapped(`${row.state}:`, 2)}\n${wrapped(next, 6)}`;
  }).join('\n');
}

type CommandFacts = Pick<Situation, 'program' | 'command' | 'folder'>;

/** Returns a command with the flags of the session that it has too. */
function printed({ verb, file, flag, toFillIn }: NextCommand, { program, command, folder }: CommandFacts): string {
  const table =
    flag === undefined ? { retry: retryOptions, resolve: resolveOptions, forget: forgetOptions }[verb] : forgetOptions;
  // Without a command, a program has started the run.
  const kept = (command?.parts ?? []).filter((part) => keeps(table, part.flag ?? ''));
  const files = file === undefined ? [] : [{ value: `${folder}/${file}` }];
  const text = commandText(program, { verb, parts: [...files, ...kept, ...(flag === undefined ? [] : [flag])] });
  return [inFolder(text, { command, folder }), ...(toFillIn === undefined ? [] : [toFillIn])].join(' ');
}

/** Returns `resolve` with these flags, and those of the command that it has too. */
export function resolveText(
  own: CommandData['parts'],
  { program, command }: Pick<CommandContext, 'program' | 'command'>,
): string {
  const kept = command.parts.filter((part) => keeps(resolveOptions, part.flag ?? ''));
  return commandText(program, { verb: 'resolve', parts: [...own, ...kept] });
}

function isRehearsal({ command }: Pick<Situation, 'command'>): boolean {
  return command?.parts.some(({ flag }) => flag === '--sandbox') === true;
}

/** Whether a command with these options is printed with a flag of the session: unless the table says why not. */
function keeps(table: OptionTable, flag: string): boolean {
  return Object.values({ ...configOptions, ...table } as OptionTable).some(
    ({ flags, notKept }) => flags.split(' ')[0] === flag && notKept === undefined,
  );
}
