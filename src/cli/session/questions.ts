/**
 * `mayBeginFirstRun`: shows what will be sent before the first record goes to another machine, and asks for consent; `isToSendRenumbered` and
 * `isToContinueCopied`.
 */
import { isLoopback } from '../../http/transport/address.js';
import { countInput, type InputCounts } from '../../migration/input/count-input.js';
import type { Input } from '../../migration/input/source.js';
import type { Ledger } from '../../migration/ledger/ledger.js';
import { type CopiedLedger, copiedInWords } from '../../migration/run/copied-ledger.js';
import { SANDBOX_TARGET } from '../../migration/run/expect-target.js';
import { type RenumberedRecord, renumberedInWords } from '../../migration/run/renumbered-error.js';
import { counted, firstInWords, itemsInWords } from '../../migration/shared/format.js';
import type { CommandContext } from '../shared/command-context.js';

export interface FirstRun {
  target: string;
  team: string;
  input: Input;
  ledger: Pick<Ledger, 'counts'>;
  /** How many lines the session takes; undefined: all. */
  canary: number | undefined;
  /** With `--yes`: the input is not counted and no question is asked. */
  isAgreed: boolean;
  /** Ends the count and the question: the function then rejects. */
  signal: AbortSignal;
}

/** Milliseconds between two messages that the input is being counted. */
const LONG_MS = 2000;

/**
 * Returns whether the run may begin. Prints the counts of the input, and asks at a terminal. Does neither if the ledger has a
 * record or the service is on this machine. `now`: milliseconds.
 */
export async function mayBeginFirstRun(
  { target, team, input, ledger, canary, isAgreed, signal }: FirstRun,
  { err, ask }: Pick<CommandContext, 'err' | 'ask'>,
  now: () => number = () => performance.now(),
): Promise<boolean> {
  if (isAgreed || target === SANDBOX_TARGET || isLoopback(new URL(target).hostname)) return true;
  if ((await ledger.counts()).total > 0) return true;
  let printedAt = now();
  const counts = await countInput(input, (lines) => {
    signal.throwIfAborted();
    if (now() - printedAt < LONG_MS) return;
    printedAt = now();
    err(`Counting the input: ${counted(lines, 'line')} so far. --yes skips this.\n`);
  });
  const text = `${inWords(counts, { target, team, canary }).join('\n')}\n`;
  err(text);
  return ask === undefined || isYes(await ask('Send them? [y/N] ', { before: text, signal }));
}

/** Asks at a terminal whether new records are sent that seem to exist under other numbers; false without one. */
export async function isToSendRenumbered(
  records: readonly RenumberedRecord[],
  { err, ask }: Pick<CommandContext, 'err' | 'ask'>,
  signal: AbortSignal,
): Promise<boolean> {
  if (ask === undefined) return false;
  const text = `${renumberedInWords(records)}\n`;
  err(text);
  return isYes(await ask('Send them? [y/N] ', { before: text, signal }));
}

/**
 * Prints that the ledger was copied or restored, and asks at a terminal whether the run continues; false without one. `isAgreed` answers
 * unless something could be sent twice: `--yes` may be in a command that was written long before.
 */
export async function isToContinueCopied(
  copied: CopiedLedger,
  { err, ask }: Pick<CommandContext, 'err' | 'ask'>,
  { isAgreed, signal }: Pick<FirstRun, 'isAgreed' | 'signal'>,
): Promise<boolean> {
  const text = `${copiedInWords(copied)}\n`;
  err(text);
  if (isAgreed && copied.unsent === 0) return true;
  return ask !== undefined && isYes(await ask('Continue with this ledger? [y/N] ', { before: text, signal }));
}

export function isYes(answer: string): boolean {
  return /^y(es)?$/i.test(answer.trim());
}

function inWords(
  { populates, businesses, accounts, items, unread, suppliers }: InputCounts,
  { target, team, canary }: Pick<FirstRun, 'target' | 'team' | 'canary'>,
): string[] {
  const others = unread === 0 ? '' : `; ${counted(unread, 'line has', 'lines have')} no record`;
  const rows: [label: string, text: string][] = [
    ['import suppliers', suppliersInWords(suppliers)],
    ['team', team],
    [
      'records',
      `${populates > 0 ? `${counted(populates, 'pre-population')}, ` : ''}${counted(businesses, 'business', 'businesses')}, ${counted(accounts, 'account')}${others}`,
    ],
    ['items', itemsInWords(items)],
    ...(canary === undefined ? [] : [['now', `the first ${counted(canary, 'line')} (--canary)`] as [string, string]]),
  ];
  return [`The first run into ${target}:`, ...rows.map(([label, text]) => `  ${label.padEnd(18)}${text}`)];
}

const MOST_SUPPLIERS = 5;

function suppliersInWords(suppliers: InputCounts['suppliers']): string {
  const named = [...suppliers].map(([code, count]) => `${code} (${counted(count, 'record')})`);
  return firstInWords(named, MOST_SUPPLIERS) || 'none';
}
