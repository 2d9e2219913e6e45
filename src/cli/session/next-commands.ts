/**
 * What to do next: one row for each state in which a session can leave records. Terminal, help and reference are made of
 * these rows, so that a user who follows the printed command comes to an end.
 */

import { NOT_SENT } from '../../migration/record/apply-event.js';
import type { EndState } from '../../migration/report/report.js';
import type { Summary } from '../../migration/report/summary/summary.js';
import { shellWord } from '../shared/command-text.js';

export interface Situation {
  state: EndState | 'running' | 'brokenOff';
  summary: Summary;
  /** The command that continues the session. */
  continueWith: string;
  /** The command of the last session that was given the input itself. */
  runCommand: string;
  /** The command of the last session of `retry`; empty where the run had none. */
  retryCommand: string;
  /** The commands whose inputs have the records that are left; none where an earlier version noted none. */
  runAgainWith: readonly string[];
  folder: string;
}

/** The commands that the rows name, with the flags of the session as far as they have them. */
interface Commands {
  resolve: string;
  retry: string;
  /** The last `retry`, which has the corrected lines of unfinished records. */
  continueRetry: string;
  forget: string;
}

interface Row {
  /** The state, as it is counted. */
  state: string;
  count: (summary: Summary) => number;
  /** What the user does, with the command to give. */
  next: (commands: Commands) => string;
  /** Whether the same command follows. */
  isRunAgain?: true;
  /** Whether it keeps a session from its end, so that repeating the command does not help. */
  isOpen?: true;
}

const UNFINISHED_RETRY: Row = {
  state: 'unfinished, with a corrected line',
  count: ({ openOfRetry }) => openOfRetry,
  next: ({ continueRetry }) => `retry has their corrected lines and was interrupted. Continue it: ${continueRetry}`,
  isOpen: true,
};

const ROWS: readonly Row[] = [
  {
    state: 'unknown',
    count: ({ unknown }) => unknown,
    next: ({ resolve }) => resolve,
  },
  {
    state: 'rejected',
    count: ({ rejected }) => rejected,
    next: () =>
      'correct the lines in the input (rejected.jsonl names them), and run again. --retry-rejected also sends those that stay as they are.',
    isRunAgain: true,
  },
  {
    state: 'with items that were refused',
    count: (summary) => summary.incomplete - notSentTo(summary, () => true),
    next: ({ retry }) => `correct these items in incomplete.jsonl, and leave the rest of the lines. Then: ${retry}`,
  },
  {
    state: 'with items that were not sent',
    count: (summary) => notSentTo(summary, (error) => !isNeverSkipped(error)),
    next: () =>
      'where the accounts are yours, run again with --add-to-existing: it sends notes and transactions, and the service skips those that it has. Statements and payment instructions that it leaves belong to accounts that got others from this run: ask the operator to add them, then put the lines back as they were sent.',
    isRunAgain: true,
  },
  {
    state: 'that existed before, with statements or payment instructions that were not sent',
    count: (summary) => notSentTo(summary, isNeverSkipped, 0),
    next: () =>
      'look at these accounts on the service, which does not skip statements and payment instructions that it has. Where they are there, take them out of the lines (incomplete.jsonl names them), and run again. Only where nobody has sent them, neither another run, nor from another folder, nor by hand: run again with --add-all-to-existing.',
    isRunAgain: true,
  },
  {
    state: 'skipped for the number of another line',
    count: ({ skipped, waiting }) => skipped - waiting,
    next: () => 'take the lines out of the input (skipped.jsonl names them), and run again.',
    isRunAgain: true,
  },
  {
    state: 'no longer in the input',
    count: ({ notInInput }) => notInInput,
    next: ({ forget }) =>
      `where lines were taken out by mistake (not-in-input.jsonl names them), put them back and run again; else: ${forget}`,
    isRunAgain: true,
  },
  {
    state: 'open without a line in the input',
    count: ({ unfinishedWithoutLine }) => unfinishedWithoutLine,
    next: ({ resolve }) =>
      `put the lines back into the input (unfinished.jsonl names them), and run again; where they were taken out on purpose: ${resolve}`,
    isRunAgain: true,
    isOpen: true,
  },
  UNFINISHED_RETRY,
  {
    state: 'changed after they were sent',
    count: ({ changed }) => changed.count,
    next: () =>
      'an import cannot change what exists: put the lines back as they were sent (changed.jsonl names them), and run again.',
    isRunAgain: true,
    isOpen: true,
  },
];

/** Accounts that lack items which were not sent to them; others of them may have been refused as well. */
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

/** Items of accounts that existed before, which the service adds again where it has them. */
function isNeverSkipped({ code, step }: ErrorGroup): boolean {
  return code === NOT_SENT.existed && (step === 'statements' || step === 'paymentInstruction');
}

/** A line for each state that needs the user, and the command that follows. */
export function nextCommands(situation: Situation): string[] {
  const { state, summary, continueWith, runCommand, retryCommand, folder } = situation;
  // After a decision of resolve, records of a session that came to its end are open again.
  const isEnded = state === 'finished' && summary.unfinished === 0;
  const isOfRetry = continueWith === retryCommand;
  const rows = ROWS.filter(
    (row) => row.count(summary) > 0 && (isEnded || row.isOpen) && !(row === UNFINISHED_RETRY && isOfRetry),
  );
  const run = runCommand === '' ? continueWith : runCommand;
  const commands = rows.length === 0 ? NONE : commandsOf(run, folder, retryCommand);
  const lines = rows.map((row) => `Next (${row.count(summary)} ${row.state}): ${row.next(commands)}`);
  if (!isEnded && state === 'finished') {
    return [...lines, ...commandsToRunAgain(situation).map((command) => `Next: ${command}`)];
  }
  // Another session over the input does not continue records that have a corrected line.
  const isOnlyOfRetry = !isOfRetry && state === 'unfinished' && summary.openOfRetry === summary.unfinished;
  if (!isEnded) return continueWith === '' || isOnlyOfRetry ? lines : [...lines, `Next: ${continueWith}`];
  if (!rows.some(({ isRunAgain }) => isRunAgain)) return lines;
  return [...lines, ...commandsToRunAgain(situation).map((command) => `To run again: ${command}`)];
}

/** Several where the run has had several inputs. */
function commandsToRunAgain({
  runAgainWith,
  runCommand,
  continueWith,
}: Pick<Situation, 'runAgainWith' | 'runCommand' | 'continueWith'>): readonly string[] {
  if (runAgainWith.length > 0) return runAgainWith;
  return [runCommand === '' ? continueWith : runCommand].filter((command) => command !== '');
}

const NONE: Commands = { resolve: '', retry: '', continueRetry: '', forget: '' };

/** The rows, for the help of `run`. */
export function nextInHelp(): string {
  const commands = {
    resolve: 'data-import resolve',
    retry: 'data-import retry <folder>/incomplete.jsonl',
    continueRetry: 'data-import retry <file with the corrected lines>',
    forget: 'data-import forget --not-in-input',
  };
  return ROWS.map(({ state, next }) => `  ${state}:\n      ${next(commands)}`).join('\n');
}

function commandsOf(run: string, folder: string, continueRetry: string): Commands {
  const incomplete = shellWord(`${folder}/incomplete.jsonl`);
  return {
    resolve: asCommand('resolve', run, [...OF_RUN, ...OF_CONNECTION]),
    retry: asCommand(`retry ${incomplete}`, run, [...OF_RUN, ...OF_CONNECTION, ...OF_WORK]),
    continueRetry,
    forget: `${asCommand('forget', run, OF_RUN)} --not-in-input`,
  };
}

/** Flags that other commands have as well, of the run, of its connection and of how records are sent. */
const OF_RUN = ['--run', '--sandbox', '--database', '--database-schema', '--config'];
const OF_CONNECTION = [
  ...['--sandbox-settings', '--base-url', '--token-file', '--token-scheme'],
  ...['--graphql-url', '--graphql-document', '--graphql-select', '--profile', '--in-flight-grace'],
];
const OF_WORK = ['--team', '--dry-run', '--validate', '--no-force-current-statement', '--no-check-previously-added'];

/** Another command, with those flags of a run that it has. */
function asCommand(command: string, from: string, flags: readonly string[]): string {
  const words = wordsOf(from);
  const at = words.findIndex((word) => word === 'run' || word === 'retry');
  if (at < 0) return `data-import ${command}`;
  const kept = words.slice(at + 1).filter((word, index, rest) => {
    const before = rest[index - 1] ?? '';
    return (
      flags.includes(word.split('=')[0] ?? '') ||
      (!word.startsWith('--') && flags.includes(before) && !WITHOUT_VALUE.has(before))
    );
  });
  return [...words.slice(0, at), command, ...kept].join(' ');
}

const WITHOUT_VALUE: ReadonlySet<string> = new Set([
  ...['--sandbox', '--validate', '--no-force-current-statement', '--no-check-previously-added'],
]);

/** Words of a printed command, in their quotes. */
function wordsOf(command: string): string[] {
  return command.match(/(?:'[^']*'|"(?:\\.|[^"])*"|\\.|[^\s'"\\]|\\)+/g) ?? [];
}
