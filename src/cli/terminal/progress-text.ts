/** The progress of a run as text: `progressRows` for a screen, `progressLine` for a log. */
import { LINE_OUTCOMES, STEPS, type Step } from '../../migration/ledger/ledger.js';
import { countsInWords, duration, firstInWords, number, stepWord } from '../../migration/shared/format.js';
import { doneOf, type RunStatus } from './progress.js';
import { remainingMs } from './time-left.js';

/** A label and its text. */
export type ProgressRow = readonly [label: string, text: string];

/** `rates`: the latest rates, one a second. Rows that come and go are the last ones, so that the others do not move. */
export function progressRows(status: RunStatus, rates: readonly number[] = []): ProgressRow[] {
  const { passed, rate, standstill } = status;
  // The dry run of the first account is no step of the others.
  const steps = STEPS.filter((step) => (passed[step] ?? 0) > (step === 'dryRun' ? 1 : 0));
  const rejected = rejectedOf(status);
  return [
    ['records', `${barOf(status)}${recordsOf(status)}`],
    ...line('steps', steps.map((step) => `${SHORT[step] ?? stepWord(step)} ${number(passed[step] ?? 0)}`).join(' > ')),
    ['outcome', outcomeOf(status)],
    ...line('rejected', rejected),
    ['speed', `${sparkline(rates)}${number(rate)} records per second`],
    ['limits', limitsInWords(status)],
    ['time left', timeLeft(status)],
    ...line('failed', failedOf(status)),
    ...line('waiting', [standstill ?? '', waitingInWords(status)].filter((text) => text !== '').join(' · ')),
  ];
}

/** With a million records, the steps up to `process` fit into 80 columns. */
const SHORT: Readonly<Partial<Record<Step, string>>> = { check: 'check', create: 'business' };

const BAR_WIDTH = 20;

/** `████░░░░░░░░░░░░░░░░ `; empty until the input is counted. */
function barOf(status: RunStatus): string {
  if (status.total === undefined) return '';
  const share = status.total === 0 ? 1 : Math.min(1, doneOf(status) / status.total);
  const full = Math.floor(share * BAR_WIDTH);
  return `${'█'.repeat(full)}${'░'.repeat(BAR_WIDTH - full)} `;
}

const LEVELS = '▁▂▃▄▅▆▇█';

/** `▁▃▅█ `, in proportion to the highest rate; empty for fewer than two. */
function sparkline(rates: readonly number[]): string {
  if (rates.length < 2) return '';
  const most = Math.max(...rates, Number.MIN_VALUE);
  return `${rates.map((rate) => LEVELS[Math.round((rate / most) * (LEVELS.length - 1))]).join('')} `;
}

/** `process 24 of 1-32 (429 at 26, growing) · 64 at once · 20/s`: fits into 80 columns. */
function limitsInWords({ concurrency: { now, why, least, most }, limits: { concurrency, rps } }: RunStatus): string {
  return `process ${now} of ${least}-${most} (${why}) · ${concurrency} at once${rps === 0 ? '' : ` · ${rps}/s`}`;
}

/** The same on one line. */
export function progressLine(status: RunStatus): string {
  const { rate, concurrency, standstill } = status;
  const speed = `${number(rate)}/s · ${concurrencyInWords(concurrency)}`;
  const parts = [
    recordsOf(status),
    doneOf(status) === 0 ? '' : outcomeOf(status),
    rejectedOf(status),
    standstill ?? speed,
    failedOf(status),
    waitingInWords(status),
    ...(status.total === undefined ? [] : [`time left: ${timeLeft(status)}`]),
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

/** `process concurrency 2 (ramping up)` */
export function concurrencyInWords({ now, why }: Pick<RunStatus['concurrency'], 'now' | 'why'>): string {
  return `process concurrency ${now} (${why})`;
}

function failedOf({ failed: { count, last } }: RunStatus): string {
  if (count === 0) return '';
  return `${count === 1 ? '1 call' : `${number(count)} calls`} failed, the last ${last}`;
}

/** `2 records wait for requests that may still be running (42 s)`; empty for none. */
export function waitingInWords({ inFlight: { count, longestMs } }: Pick<RunStatus, 'inFlight'>): string {
  if (count === 0) return '';
  const records = count === 1 ? '1 record waits for a request' : `${number(count)} records wait for requests`;
  return `${records} that may still be running (${Math.ceil(Math.max(0, longestMs) / 1000)} s)`;
}

function recordsOf(status: RunStatus): string {
  const ended = doneOf(status);
  if (status.total === undefined) return `${number(ended)} done`;
  const share = status.total === 0 ? 100 : Math.floor((ended / status.total) * 100);
  return `${number(ended)} of ${number(status.total)} done (${share} %)`;
}

function outcomeOf({ ended }: RunStatus): string {
  return countsInWords(
    ended,
    LINE_OUTCOMES.filter((outcome) => outcome === 'created' || ended[outcome] > 0),
  );
}

const MOST_CODES = 5;

function rejectedOf({ rejectedByCode }: RunStatus): string {
  const codes = [...rejectedByCode].sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1));
  return firstInWords(
    codes.map(([code, count]) => `${number(count)} ${code}`),
    MOST_CODES,
  );
}

function timeLeft(status: RunStatus): string {
  if (status.standstill !== undefined) return 'unknown while no call starts';
  if (status.total === undefined) return 'unknown until the input is counted';
  if (doneOf(status) >= status.total) return 'none';
  const range = remainingMs(status);
  // The last records may wait longer than the work takes.
  const { longestMs } = status.inFlight;
  if (range === undefined) return longestMs > 0 ? `at least ${duration(longestMs)}` : 'too early for an estimate';
  const [from, to] = [duration(Math.max(longestMs, range.from)), duration(Math.max(longestMs, range.to))];
  return from === to ? `about ${from}` : `${from} to ${to}`;
}

function line(label: string, text: string): ProgressRow[] {
  return text === '' ? [] : [[label, text]];
}
