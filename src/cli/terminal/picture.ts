/** What a running migration shows, as lines of text: pure, so that the same words stand on a screen and in a log. */

import { type Outcome, STEPS, type Step } from '../../migration/ledger/ledger.js';
import type { WaitingRecords } from '../../migration/record/preconditions/in-flight-records.js';
import { duration, number, stepWord } from '../../migration/shared/format.js';

/** A run at one moment. */
export interface RunStatus {
  /** Since the run began, by its clock. */
  elapsedMs: number;
  /** Of that: paused, or outside its time window. */
  waitedMs: number;
  /** Records of the book; undefined while nobody has counted them. */
  total: number | undefined;
  /** Records that had ended before this run began. */
  endedBefore: number;
  ended: Readonly<Record<Outcome, number>>;
  /** How many records have each step behind them. */
  passed: Readonly<Partial<Record<Step, number>>>;
  /** Records ended a second, lately. */
  rate: number;
  /** Calls of process that are allowed at the same time, and why as many. */
  concurrency: { now: number; why: string };
  /** Why nothing is sent just now, and until when; undefined where something is. */
  standstill: string | undefined;
  /** Records whose requests may still be running on the service, and how long that can last. */
  inFlight: WaitingRecords;
  /** Calls without a usable answer so far, and the last one in words. */
  failed: { count: number; last: string };
  /** Records that were rejected so far, by code. */
  rejectedByCode: ReadonlyMap<string, number>;
}

/** A label and what it says. */
export type PictureLine = readonly [label: string, text: string];

export function pictureOf(status: RunStatus): PictureLine[] {
  const { passed, rate, concurrency, standstill } = status;
  const steps = STEPS.filter((step) => (passed[step] ?? 0) > 0);
  const rejected = rejectedOf(status);
  return [
    ['records', recordsOf(status)],
    ...line('steps', steps.map((step) => `${stepWord(step)} ${number(passed[step] ?? 0)}`).join(' > ')),
    ['outcome', outcomeOf(status)],
    ...line('rejected', rejected),
    ['pace', `${number(rate)} records a second; process ${concurrency.now} at a time (${concurrency.why})`],
    ...line('waiting', standstill ?? ''),
    ...line('failed', failedOf(status)),
    ...line('in flight', inFlightOf(status)),
    ['left', leftOf(status)],
  ];
}

/** The same in one line, for a log. */
export function sentenceOf(status: RunStatus): string {
  const { rate, concurrency, standstill } = status;
  const pace = `${number(rate)}/s, process ${concurrency.now} at a time (${concurrency.why})`;
  const parts = [
    recordsOf(status),
    outcomeOf(status),
    rejectedOf(status),
    standstill ?? pace,
    failedOf(status),
    inFlightOf(status),
    // Where nobody watches, nobody counts the book.
    ...(status.total === undefined ? [] : [`left: ${leftOf(status)}`]),
  ];
  return parts.filter((part) => part !== '').join('; ');
}

function failedOf({ failed: { count, last } }: RunStatus): string {
  if (count === 0) return '';
  return `${count === 1 ? '1 call' : `${number(count)} calls`} failed, the last ${last}`;
}

/** `2 records wait for requests that may still be running (42 s)`; empty for none. */
export function inFlightOf({ inFlight: { count, longestMs } }: Pick<RunStatus, 'inFlight'>): string {
  if (count === 0) return '';
  const records = count === 1 ? '1 record waits for a request' : `${number(count)} records wait for requests`;
  return `${records} that may still be running (${Math.ceil(Math.max(0, longestMs) / 1000)} s)`;
}

export function endedOf({ ended }: Pick<RunStatus, 'ended'>): number {
  return Object.values(ended).reduce((sum, count) => sum + count, 0);
}

/** Nobody can say before this: the first seconds are slow, and a few records are no measure. */
const FIRST_MS = 30_000;
const FIRST_SHARE = 0.01;
/** How much the future may differ from what was seen. */
const SLACK = 1.1;

/**
 * How long it still takes, as a range between the mean pace of this run and the pace of late. undefined where that
 * would mean nothing.
 */
export function remainingMs(status: RunStatus): { from: number; to: number } | undefined {
  const { elapsedMs, waitedMs, total, endedBefore, rate, standstill } = status;
  if (total === undefined || standstill !== undefined) return undefined;
  const ended = endedOf(status);
  const [work, done, active] = [total - endedBefore, ended - endedBefore, elapsedMs - waitedMs];
  if (active < FIRST_MS || done < work * FIRST_SHARE || done <= 0 || rate <= 0) return undefined;
  const paces = [done / active, rate / 1000];
  const left = Math.max(0, total - ended);
  return { from: left / Math.max(...paces) / SLACK, to: (left / Math.min(...paces)) * SLACK };
}

function recordsOf(status: RunStatus): string {
  const ended = endedOf(status);
  if (status.total === undefined) return `${number(ended)} ended`;
  const share = status.total === 0 ? 100 : Math.floor((ended / status.total) * 100);
  return `${number(ended)} of ${number(status.total)} (${share} %)`;
}

const OUTCOMES: readonly (readonly [Outcome, string])[] = [
  ['created', 'created'],
  ['alreadyImported', 'already imported'],
  ['rejected', 'rejected'],
  ['skipped', 'skipped'],
  ['unknown', 'unknown'],
];

function outcomeOf({ ended }: RunStatus): string {
  const shown = OUTCOMES.filter(([end]) => end === 'created' || ended[end] > 0);
  return shown.map(([end, words]) => `${number(ended[end])} ${words}`).join(', ');
}

const MOST_CODES = 5;

function rejectedOf({ rejectedByCode }: RunStatus): string {
  const codes = [...rejectedByCode].sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1));
  const shown = codes.slice(0, MOST_CODES).map(([code, count]) => `${number(count)} ${code}`);
  const rest = codes.length - shown.length;
  return [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
}

function leftOf(status: RunStatus): string {
  if (status.standstill !== undefined) return 'not while nothing is sent';
  if (status.total === undefined) return 'not known before the book is counted';
  if (endedOf(status) >= status.total) return 'nothing';
  const range = remainingMs(status);
  if (range === undefined) return 'too early to tell';
  const [from, to] = [duration(range.from), duration(range.to)];
  return from === to ? `about ${from}` : `${from} to ${to}`;
}

function line(label: string, text: string): PictureLine[] {
  return text === '' ? [] : [[label, text]];
}
