/**
 * `nextSteps`: what the user does next, one row for each state in which a session can leave records. Terminal, report page, help and
 * reference show these rows.
 */

import { ITEM_STEPS, type Ledger } from '../../migration/ledger/ledger.js';
import { NOT_SENT } from '../../migration/record/events/apply-to-existing.js';
import { BUSINESS_FAILED } from '../../migration/record/preconditions/waiting-for-business.js';
import { exitCodeOf, isCanary } from '../../migration/report/exit-code.js';
import type { CommandData } from '../../migration/report/folder/stored-command.js';
import type { EndingOf } from '../../migration/report/folder/write-report.js';
import type { NextStep, RunFacts } from '../../migration/report/report.js';
import { REJECTED_CSV } from '../../migration/report/result-files/rejected-csv.js';
import type { Summary } from '../../migration/report/summary/summary.js';
import { wrapped } from '../options/help.js';
import type { OptionTable } from '../options/option.js';
import { folderOptions } from '../options/run-options.js';
import type { CommandContext } from '../shared/command-context.js';
import { commandText } from '../shared/command-data.js';
import { shellWord } from '../shared/command-text.js';
import { forgetOptions, resolveOptions, retryOptions } from './run-flags.js';
import { printedFrom } from './session-command.js';

export interface Situation
  extends Pick<RunFacts, 'state' | 'continueWith' | 'runCommand' | 'runAgainWith' | 'configuration'> {
  summary: Summary;
  folder: string;
  /** How the user can start this program. */
  program: string;
  /** The command of the last session; undefined if a program has started all of them. */
  command: CommandData | undefined;
}

/** The commands of the rows, with the flags of the session that they have too. */
type Commands = ReturnType<typeof commandsOf>;

/** What the text of a row depends on. */
type Shown = Pick<Summary, 'resolvableWithoutLine' | 'errors'> & { changed: Pick<Summary['changed'], 'unsent'> };

interface Row {
  /** Printed after the number of records. */
  state: string;
  count: (summary: Summary) => number;
  /** What the user does. */
  text: string | ((summary: Shown) => string);
  /** The command to give after that, if there is one. */
  command?: keyof Commands | ((summary: Shown) => keyof Commands | undefined);
  /** Whether `run` has to be repeated. */
  isRunAgain?: true;
  /** Whether these records keep a session unfinished: repeating the command does not help. */
  isOpen?: true;
}

const ROWS: readonly Row[] = [
  {
    state: 'unknown',
    count: ({ unknown }) => unknown,
    text: '',
    command: 'resolve',
  },
  {
    state: 'rejected',
    count: (summary) => summary.rejected - linesWithoutRecord(summary),
    text: ({ errors }) =>
      `correct the lines in the input (rejected.jsonl lists them), and run again; --retry-rejected also sends unchanged lines. Or leave the input as it is, ${
        errors.some(isInSheet)
          ? 'fill in the column "new value" of rejected.csv, save it as CSV (or correct the entries of rejected.jsonl, and name that file), and:'
          : 'correct the entries of rejected.jsonl, and:'
      }`,
    command: ({ errors }) => (errors.some(isInSheet) ? 'retrySheet' : 'retryRejected'),
    isRunAgain: true,
  },
  {
    state: 'rejected, lines and rows without a record',
    count: linesWithoutRecord,
    text: 'correct them in their files (rejected.jsonl lists them), or correct the mapping or the query, and run again: retry cannot read them. Items for an account that exists by then are sent with --add-to-existing.',
    isRunAgain: true,
  },
  {
    state: 'with rejected items',
    count: (summary) => summary.incomplete - notSentTo(summary, () => true),
    text: ({ errors }) =>
      errors.some(isNamedInItems)
        ? 'correct the items in incomplete.jsonl, and leave the rest of the lines unchanged. Then:'
        : 'the service names no error in them. Ask the operator what the status of the answer means; if the items are right, send the file as it is:',
    command: 'retry',
  },
  {
    state: 'with items that were not sent',
    count: (summary) => notSentTo(summary, (error) => !isNeverSkipped(error)),
    text: 'if the accounts are yours, run again with --add-to-existing: it sends notes and transactions, and the service skips those that it has. New statements and payment instructions are sent too, but not in place of others that were sent: ask the operator to add those, then restore the lines.',
    isRunAgain: true,
  },
  {
    state: 'that existed before, with statements or payment instructions that were not sent',
    count: (summary) => notSentTo(summary, isNeverSkipped, 0),
    text: 'check these accounts in the service, which does not skip statements and payment instructions that it has. If it has them, remove them from the lines (incomplete.jsonl lists them), and run again. If they were not sent by another run, from another folder or by a person: run again with --add-all-to-existing.',
    isRunAgain: true,
  },
  {
    state: 'skipped: another line has the number and other content',
    count: ({ skipped, waiting, duplicates }) => skipped - waiting - duplicates,
    text: 'the first line with the number was taken, and its record may exist now (skipped.jsonl has that line under "taken"). If it is the right one, remove the lines that skipped.jsonl lists as contradicting_record, and run again; those listed as duplicate_record need nothing. If another one is right and the record was created, ask the operator: an import cannot change what exists.',
    isRunAgain: true,
  },
  {
    state: 'no longer in the input',
    count: ({ notInInput }) => notInInput,
    text: 'if lines were removed by mistake (not-in-input.jsonl lists them), put them back and run again. Otherwise:',
    command: 'forget',
    isRunAgain: true,
  },
  {
    state: 'unfinished, without a line in the input',
    count: ({ unfinishedWithoutLine }) => unfinishedWithoutLine,
    text: ({ resolvableWithoutLine }) =>
      `put the lines back into the input (unfinished.jsonl lists them), and run again: only the lines have what was not sent.${
        resolvableWithoutLine === 0
          ? ' If one was removed on purpose, resolve --accept removed --account <number> gives up what was not sent.'
          : ' If those with an unknown outcome were removed on purpose:'
      }`,
    command: ({ resolvableWithoutLine }) => (resolvableWithoutLine === 0 ? undefined : 'resolve'),
    isRunAgain: true,
    isOpen: true,
  },
  {
    state: 'confirmed with another amount than was sent',
    count: ({ otherAmounts }) => otherAmounts.count,
    text: 'ask the operator which amount is correct (ok.csv lists the transactions, also those of which the amount of the answer cannot be read). An import cannot change what exists.',
  },
  {
    state: 'changed after they were sent',
    count: ({ changed }) => changed.count,
    text: ({ changed }) =>
      `${changed.unsent > 0 ? 'first send the items that were not sent, as said above: accepting a line gives them up. For what differs after that: ' : ''}an import can add notes and transactions (--add-to-existing), and cannot change what exists (changed.jsonl names the fields of each line; the run keeps no copy of sent lines). If other fields differ, restore them as they were sent, and run again. Or ask the operator to change the records, and accept the lines:`,
    command: 'acceptChanged',
    isRunAgain: true,
    isOpen: true,
  },
  {
    state: 'on the service, and no longer in the input',
    count: ({ removed }) => removed.count,
    text: 'if their lines were removed by mistake, or have another number now (not-in-input.jsonl lists the records), restore the lines and run again: a record with another number is created a second time. If they are right so:',
    command: 'acceptRemoved',
    isRunAgain: true,
  },
];

/** Number of rejected lines of which rejected.jsonl has no record that a person could correct: only the file or the mapping can be. */
function linesWithoutRecord({ errors }: Summary): number {
  return errors.filter(isWithoutRecord).reduce((sum, { count }) => sum + count, 0);
}

function isWithoutRecord({ step, code, samples }: ErrorGroup): boolean {
  if (step !== 'read') return false;
  return WITHOUT_RECORD.has(code) || (IN_A_ROW.has(code) && samples.some((place) => ROW.test(place)));
}

/** Of a row, and of a line of which rejected.jsonl has only a part. */
const WITHOUT_RECORD: ReadonlySet<string> = new Set([
  ...['invalid_csv', 'map_failed', 'invalid_json_value', 'line_too_long', 'damaged_file'],
  ...['row_in_no_record', 'incomplete_record'],
]);
/** A row with them has no record either; a line of JSON can be corrected in rejected.jsonl. */
const IN_A_ROW: ReadonlySet<string> = new Set(['invalid_encoding', 'too_deep']);
const ROW = /\.csv(\.gz)?:\d+$/i;

/** Returns whether the error is about items that were refused, and has more than the status of an answer, such as that of a gateway. */
function isNamedInItems({ step, code }: ErrorGroup): boolean {
  const isRefused = code !== NOT_SENT.existed && code !== NOT_SENT.changed && !/^http_\d{3}$/.test(code);
  return isRefused && ITEM_STEPS.some((one) => one === step);
}

/** Returns whether the error is about a field of a record that was not created: rejected.csv has a row for it that can be filled in. */
function isInSheet(error: ErrorGroup): boolean {
  const isOfItems = ITEM_STEPS.some((one) => one === error.step);
  return error.attr !== '' && !isOfItems && error.code !== BUSINESS_FAILED.code && !isWithoutRecord(error);
}

/** Number of accounts with items that were not sent. Other items of them may have been rejected. */
function notSentTo(
  { errors, incomplete, changed }: Summary,
  isCounted: (error: ErrorGroup) => boolean,
  unsent = changed.unsent,
): number {
  const codes: readonly string[] = [NOT_SENT.existed, NOT_SENT.changed];
  const counts = errors.filter((error) => codes.includes(error.code) && isCounted(error)).map(({ count }) => count);
  return Math.min(incomplete, Math.max(0, ...counts) + unsent);
}

type ErrorGroup = Summary['errors'][number];

/** Items of accounts that existed before, which the service adds again if it has them. */
function isNeverSkipped({ code, step }: ErrorGroup): boolean {
  return code === NOT_SENT.existed && (step === 'statements' || step === 'paymentInstruction');
}

/** Returns a step for each state that needs the user, and the command to give after that. */
export function nextSteps(situation: Situation): NextStep[] {
  const { state, summary, continueWith } = situation;
  // The rest of the input follows, whatever the canary has left.
  if (state === 'finished' && isCanary(situation)) return [{ state: 'Next', text: '', command: continueWith }];
  // A decision of resolve can make records of a finished session unfinished again.
  const isEnded = state === 'finished' && summary.unfinished === 0;
  const rows = ROWS.filter((row) => row.count(summary) > 0 && (isEnded || row.isOpen));
  const commands = commandsOf(situation);
  const steps = rows.map((row) => ({ count: row.count(summary), state: row.state, ...stepOf(row, commands, summary) }));
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

function stepOf({ text, command }: Row, commands: Commands, summary: Shown): Pick<NextStep, 'text' | 'command'> {
  const name = typeof command === 'function' ? command(summary) : command;
  return {
    text: typeof text === 'string' ? text : text(summary),
    ...(name !== undefined && { command: commands[name] }),
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

/** Returns how a report states the end of the last session. `program`: how the user can start this program. */
export function endingBy(
  ledger: Pick<Ledger, 'fact'>,
  folder: string,
  context: Pick<CommandContext, 'program'>,
): EndingOf {
  return async (run, summary) => ({
    exitCode: exitCodeOf({ ...run, summary, isCanary: isCanary(run) }),
    next: nextSteps({ ...run, summary, folder, ...(await printedFrom(ledger, context)) }),
  });
}

/** More than one if the run has had several inputs. */
function commandsToRunAgain({
  runAgainWith,
  runCommand,
  continueWith,
}: Pick<Situation, 'runAgainWith' | 'runCommand' | 'continueWith'>): readonly string[] {
  if (runAgainWith.length > 0) return runAgainWith;
  return [runCommand === '' ? continueWith : runCommand].filter((command) => command !== '');
}

/** With the longest text of each row. */
const SHOWN_IN_HELP: Shown = {
  resolvableWithoutLine: 1,
  changed: { unsent: 0 },
  errors: [{ step: 'check', code: 'required', attr: 'account', count: 1, samples: [], remedy: '' }],
};

/** The rows as a part of the help of `run`, at most 80 columns wide. */
export function nextInHelp(): string {
  const commands = commandsOf({ program: 'data-import-sdk', folder: 'FOLDER', command: { verb: '', parts: [] } });
  const next = (row: Row) => wordsOf(stepOf(row, commands, SHOWN_IN_HELP)).replace('FOLDER', '<folder>');
  return ROWS.map((row) => `${wrapped(`${row.state}:`, 2)}\n${wrapped(next(row), 6)}`).join('\n');
}

function commandsOf({ program, command, folder }: Pick<Situation, 'program' | 'command' | 'folder'>) {
  const { run } = folderOptions;
  const { defaultWith } = run;
  const isDefault = folder === (isRehearsal({ command }) ? defaultWith.value : run.default);
  // A program has started the run.
  const settings = command ?? { verb: '', parts: isDefault ? [] : [{ flag: '--run', value: folder }] };
  const keptBy = (table: OptionTable) => settings.parts.filter(({ flag = '' }) => keeps(table, flag));
  const printed = (verb: string, ...parts: CommandData['parts']) => commandText(program, { verb, parts });
  const retryOf = (name: string) => printed('retry', { value: `${folder}/${name}` }, ...keptBy(retryOptions));
  return {
    resolve: printed('resolve', ...keptBy(resolveOptions)),
    retry: retryOf('incomplete.jsonl'),
    retryRejected: retryOf('rejected.jsonl'),
    retrySheet: retryOf(REJECTED_CSV),
    forget: printed('forget', ...keptBy(forgetOptions), { flag: '--not-in-input' }),
    acceptChanged: printed('resolve', ...keptBy(forgetOptions), { flag: '--accept', value: 'changed' }),
    acceptRemoved: printed('resolve', ...keptBy(forgetOptions), { flag: '--accept', value: 'removed' }),
  };
}

function isRehearsal({ command }: Pick<Situation, 'command'>): boolean {
  return command?.parts.some(({ flag }) => flag === '--sandbox') === true;
}

/** Whether a command with these options is printed with a flag of the session: unless the table says why not. */
function keeps(table: OptionTable, flag: string): boolean {
  return Object.values(table).some(({ flags, notKept }) => flags.split(' ')[0] === flag && notKept === undefined);
}
