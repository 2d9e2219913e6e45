/**
 * Exports `LEFT`, the table of what a session can leave for a person: its number and words, its result files, the exit code, and what to
 * do next. The terminal, the report page, the exit code, the help and the reference derive from it.
 */
import type { CommandData } from './folder/stored-command.js';
import { REJECTED_CSV } from './result-files/write-rejected-csv.js';
import type { LeftSummary } from './summary/summary.js';

/** A command to give, with the flags of the session that it has too. `file`: of the run folder. `flag`: only for commands without a service. */
export interface NextCommand {
  verb: 'resolve' | 'retry' | 'forget';
  file?: string;
  flag?: CommandData['parts'][number];
  /** Printed after the flag. The user fills in the value. */
  toFillIn?: string;
}

/** What the text of a row depends on. */
export type Shown = Pick<LeftSummary, 'resolvableWithoutLine' | 'lacking'> & {
  toCorrect: Pick<LeftSummary['toCorrect'], 'lines' | 'inSheet'>;
  changed: Pick<LeftSummary['changed'], 'unsent' | 'others'>;
};

interface Left {
  /** In the title of the report, for one and for several. A further state of the records above has none. */
  words?: readonly [one: string, several?: string];
  /** Number of all with these words, if they are in several states. Default: `count`. */
  all?: (summary: LeftSummary) => number;
  /** The exit code of a finished session. Default: that of rejected records. */
  exit?: 'unknown';
  /** The result files with them. `count`: if a file has others too. */
  files?: readonly (readonly [name: string, content: string, count?: (summary: LeftSummary) => number])[];
  /** Printed after the number of records. */
  state: string;
  count: (summary: LeftSummary) => number;
  /** What the user does. */
  text: string | ((summary: Shown) => string);
  /** The command to give after that, if there is one. */
  command?: NextCommand | ((summary: Shown) => NextCommand | undefined);
  /** Whether `run` has to be repeated. */
  isRunAgain?: true;
  /** Whether these records keep a session unfinished: repeating the command does not help. */
  isOpen?: true;
}

const RESOLVE: NextCommand = { verb: 'resolve' };

function accept(value: 'changed' | 'removed'): NextCommand {
  return { ...RESOLVE, flag: { flag: '--accept', value } };
}

/** One that a person has to look at. */
function acceptOne(value: 'changed' | 'removed'): NextCommand {
  return { ...accept(value), toFillIn: "--account '<number>'" };
}

/** Such a line has no record that `forget` could remove. */
const OF_FILE_GONE = 'A line of a file that is gone for good: delete its entry in rejected.jsonl, and run again.';

const NOT_IN_INPUT = ['not-in-input.jsonl', 'records whose line is no longer in the input'] as const;

/** The most urgent first. */
export const LEFT: readonly Left[] = [
  {
    words: ['unknown outcome'],
    exit: 'unknown',
    files: [
      ['unknown.csv', 'unknown outcomes, and a column for your answers', ({ unknowns }) => unknowns.length],
      ['unknown.jsonl', 'the same for programs'],
    ],
    state: 'unknown',
    count: ({ unknown }) => unknown,
    text: '',
    command: RESOLVE,
  },
  {
    words: ['record to correct', 'records to correct'],
    all: ({ rejected }) => rejected,
    files: [
      [REJECTED_CSV, 'rejected records with the reasons, for a spreadsheet'],
      ['rejected.jsonl', 'the same with the lines of the input, for retry'],
    ],
    state: 'rejected',
    count: ({ toCorrect }) => toCorrect.listed,
    text: ({ toCorrect: { lines, inSheet } }) =>
      `correct the lines in the input (rejected.jsonl lists them), and run again; --retry-rejected also sends unchanged lines.${
        lines > 0 ? ` ${OF_FILE_GONE}` : ''
      } Or leave the input as it is, ${
        inSheet > 0
          ? 'fill in the column "new value" of rejected.csv, save it as CSV (or correct the entries of rejected.jsonl, and name that file), and:'
          : 'correct the entries of rejected.jsonl, and:'
      }`,
    command: ({ toCorrect }) => ({ verb: 'retry', file: toCorrect.inSheet > 0 ? REJECTED_CSV : 'rejected.jsonl' }),
    isRunAgain: true,
  },
  {
    state: 'rejected, lines and rows without a record',
    count: ({ toCorrect }) => toCorrect.inFiles,
    text: `correct them in their files (rejected.jsonl lists them), or correct the mapping or the query, and run again: retry cannot read them. Items for an account that exists by then are sent with --add-to-existing. ${OF_FILE_GONE}`,
    isRunAgain: true,
  },
  {
    words: ['unfinished', 'unfinished'],
    all: ({ unfinished }) => unfinished,
    files: [['unfinished.jsonl', 'records without an outcome']],
    state: 'unfinished, without a line in the input',
    count: ({ unfinishedWithoutLine }) => unfinishedWithoutLine,
    text: ({ resolvableWithoutLine }) =>
      `put the lines back into the input (unfinished.jsonl lists them), and run again: only the lines have what was not sent.${
        resolvableWithoutLine === 0
          ? ' If one was removed on purpose, give up what was not sent:'
          : ' If they were removed on purpose, first settle those with an unknown outcome:'
      }`,
    command: ({ resolvableWithoutLine }) => (resolvableWithoutLine === 0 ? acceptOne('removed') : RESOLVE),
    isRunAgain: true,
    isOpen: true,
  },
  {
    words: ['account lacks items', 'accounts lack items'],
    all: ({ incomplete }) => incomplete,
    files: [['incomplete.jsonl', 'accounts that lack items']],
    state: 'with rejected items',
    count: ({ lacking }) => lacking.refused,
    text: ({ lacking }) =>
      lacking.named > 0
        ? 'correct the items in incomplete.jsonl, and leave the rest of the lines unchanged. Then:'
        : 'the service names no error in them. Ask the operator what the status of the answer means; if the items are right, send the file as it is:',
    command: { verb: 'retry', file: 'incomplete.jsonl' },
  },
  {
    state: 'with items that were not sent',
    count: ({ lacking }) => lacking.unsent,
    text: 'if the accounts are yours, run again with --add-to-existing: it sends notes and transactions, and the service skips those that it has. New statements and payment instructions are sent too.',
    isRunAgain: true,
  },
  {
    state: 'that existed before, with statements or payment instructions that were not sent',
    count: ({ lacking }) => lacking.neverSkipped,
    text: 'check these accounts in the service, which does not skip statements and payment instructions that it has. If it has them, remove them from the lines (incomplete.jsonl lists them), and run again. If they were not sent by another run, from another folder or by a person: run again with --add-all-to-existing.',
    isRunAgain: true,
  },
  {
    state: 'known to the service by another number, with items that were not sent',
    count: ({ lacking }) => lacking.ofAnother,
    text: 'ask the operator which number counts. If it is the other one, correct the number in the lines (incomplete.jsonl lists them), and run again. If it is that of the line, have the operator change it, and move the lines into another input: run that with --add-to-existing, and another folder in --run. To leave it as it is, take its line out of this input, run again, and accept that:',
    command: acceptOne('removed'),
    isRunAgain: true,
  },
  {
    words: ['record skipped', 'records skipped'],
    all: ({ waiting, contradicting }) => waiting + contradicting,
    files: [['skipped.jsonl', 'records that were not sent', ({ skipped }) => skipped]],
    state: 'skipped: another line has the number and other content',
    count: ({ contradicting }) => contradicting,
    text: 'the first line with the number was taken, and its record may exist now (skipped.jsonl has that line under "taken"). If it is the right one, remove the lines that skipped.jsonl lists as contradicting_record (of a file that is gone for good: their entries in skipped.jsonl), and run again; those listed as duplicate_record need nothing. If another one is right and the record was created, ask the operator: an import cannot change what exists.',
    isRunAgain: true,
  },
  {
    words: ['record was never sent', 'records were never sent'],
    files: [NOT_IN_INPUT],
    state: 'no longer in the input',
    count: ({ notInInput }) => notInInput,
    text: 'if lines were removed by mistake (not-in-input.jsonl lists them), put them back and run again. Otherwise:',
    command: { verb: 'forget', flag: { flag: '--not-in-input' } },
    isRunAgain: true,
  },
  {
    words: ['other amount'],
    state: 'confirmed with another amount than was sent',
    count: ({ otherAmounts }) => otherAmounts.count,
    text: 'ask the operator which amount is correct (ok.csv lists the transactions, also those of which the amount of the answer cannot be read). An import cannot change what exists.',
  },
  {
    state: 'changed, and of another customer than the record',
    count: ({ changed }) => changed.others,
    text: 'items of these lines, if they have any, are sent only with --changed-sources and --add-to-existing, because they are booked on the account of the former customer. If the export counts its rows or gives numbers again, put the former numbers back (changed.jsonl lists the lines), and run again. If it is the same customer, with a corrected name, or the account now belongs to the new one, ask the operator to change the record, and accept the line:',
    command: acceptOne('changed'),
    isRunAgain: true,
    isOpen: true,
  },
  {
    words: ['line differs from the one that was sent', 'lines differ from those that were sent'],
    files: [['changed.jsonl', 'lines that differ from those that were sent']],
    state: 'changed after they were sent',
    all: ({ changed }) => changed.count,
    count: ({ changed }) => changed.count - changed.others,
    text: ({ changed }) =>
      `${changed.unsent > 0 ? 'first send the items that were not sent, as said above: accepting a line gives them up. For what differs after that: ' : ''}an import can add items (--add-to-existing), and cannot change what exists (changed.jsonl names the fields of each line; the run keeps no copy of sent lines). While a line lacks an item that was sent, its new ones may be other versions of it and are not sent: put the sent items back, also if the export has only new ones, and run again. If other fields differ, restore them as they were sent, and run again. Or ask the operator to change the records, also to add what was not sent, and accept the lines:`,
    command: accept('changed'),
    isRunAgain: true,
    isOpen: true,
  },
  {
    words: ['record no longer in the input', 'records no longer in the input'],
    files: [NOT_IN_INPUT],
    state: 'on the service, and no longer in the input',
    count: ({ removed }) => removed.count,
    text: 'if their lines were removed by mistake, or have another number now (not-in-input.jsonl lists the records), restore the lines and run again: a record with another number is created a second time. If they are right so:',
    command: accept('removed'),
    isRunAgain: true,
  },
];
