/**
 * Exports `ReportTally`, which collects the next report of a worker, and `OtherWorkers`, which returns what the other workers have
 * reported since the last call. Both store only few numbers and short texts, because answers of a service may be of any size.
 */
import type { CompactEvent } from '../../throttle/compact-event.js';
import { endedIn, noTotals, type RunState, type WorkerReport, type WorkerTotals } from './run-state.js';

const MOST_NUMBERS = 50;
const MOST_CODES = 100;
const MOST_CHARACTERS = 100;

type Tallied = Pick<WorkerReport, 'answers' | 'latenciesMs' | 'events'> & {
  failures: { sentAt: number; cause: string }[];
  heldMs: { all: number; process: number };
};

const nothing = (): Tallied => ({
  ...{ answers: 0, latenciesMs: [], failures: [], events: [], heldMs: { all: 0, process: 0 } },
});

export class ReportTally {
  readonly totals: WorkerTotals = noTotals();
  #next = nothing();

  /** Counts a usable answer to a `process` or dry-run call. */
  answered(createdMs?: number): void {
    this.#next.answers++;
    const { latenciesMs } = this.#next;
    if (createdMs !== undefined && latenciesMs.length < MOST_NUMBERS) latenciesMs.push(Math.round(createdMs));
  }

  /** Counts such a call without a usable answer. */
  failed(cause: string, sentAt: number): void {
    if (this.#next.failures.length < MOST_NUMBERS) this.#next.failures.push({ sentAt, cause });
  }

  held(ms: number, scope: 'all' | 'process'): void {
    this.#next.heldMs[scope] = Math.max(this.#next.heldMs[scope], ms);
  }

  /** Counts an event in the totals only. */
  count(event: CompactEvent): void {
    const { totals } = this;
    if (event.type === 'passed') totals.passed[event.step] = (totals.passed[event.step] ?? 0) + event.count;
    if (event.type === 'failed') {
      totals.failed++;
      totals.lastFailure = cut(event);
    }
    if (event.type !== 'ended') return;
    const { outcome, codes } = event;
    totals.ended[outcome] = (totals.ended[outcome] ?? 0) + 1;
    for (const code of outcome === 'rejected' ? codes.map(short) : []) {
      const known = totals.codes.find(([name]) => name === code);
      if (known !== undefined) known[1]++;
      else if (totals.codes.length < MOST_CODES) totals.codes.push([code, 1]);
    }
  }

  /** Adds an event for the halt rules. Equal answers are stored once, with their number. */
  report(event: CompactEvent): void {
    const { events } = this.#next;
    if (event.type === 'passed') return;
    const last = event.type === 'answered' ? events.findLast((one) => isOfCall(one, event.call)) : undefined;
    if (event.type === 'answered' && last?.type === 'answered') last.count += event.count;
    else events.push(cut(event));
  }

  /** Removes and returns the collected report. The caller puts it back if it cannot be stored, so that halt rules and limit get it. */
  take(): Tallied {
    const taken = this.#next;
    this.#next = nothing();
    return taken;
  }

  putBack(taken: Tallied): void {
    const { answers, latenciesMs, failures, events, heldMs } = this.#next;
    this.#next = {
      answers: taken.answers + answers,
      latenciesMs: [...taken.latenciesMs, ...latenciesMs].slice(-MOST_NUMBERS),
      failures: [...taken.failures, ...failures].slice(-MOST_NUMBERS),
      events: [...taken.events, ...events],
      heldMs: {
        all: Math.max(taken.heldMs.all, heldMs.all),
        process: Math.max(taken.heldMs.process, heldMs.process),
      },
    };
  }
}

function short(text: string): string {
  return text.slice(0, MOST_CHARACTERS);
}

function isOfCall(event: CompactEvent, call: string): boolean {
  return event.type === 'failed' || (event.type === 'answered' && event.call === call);
}

/** Returns a copy with truncated texts. */
function cut<Event extends CompactEvent>(event: Event): Event {
  const parts = Object.entries(event).map(([name, part]) => {
    if (Array.isArray(part)) return [name, part.slice(0, MOST_CODES).map(short)];
    return [name, typeof part === 'string' ? short(part) : part];
  });
  return Object.fromEntries(parts) as Event;
}

/** Computes the events of other workers from the differences of their reported totals. */
export class OtherWorkers {
  readonly #workerId: string;
  readonly #seen = new Map<string, WorkerTotals>();

  /** `workerId`: this worker, which is excluded. */
  constructor(workerId: string) {
    this.#workerId = workerId;
  }

  /** Returns the events of other workers since the last call, and how many requests they sent. */
  since({ workers }: Pick<RunState, 'workers'>): { events: CompactEvent[]; requests: number } {
    const events: CompactEvent[] = [];
    let requests = 0;
    for (const [id, { totals }] of Object.entries(workers)) {
      if (id === this.#workerId) continue;
      const before = this.#seen.get(id) ?? noTotals();
      this.#seen.set(id, totals);
      requests += totals.requests - before.requests;
      events.push(...eventsBetween(before, totals));
    }
    return { events, requests };
  }
}

function eventsBetween(before: WorkerTotals, after: WorkerTotals): CompactEvent[] {
  const passed = increases(before.passed, after.passed).map(
    ([step, count]): CompactEvent => ({ type: 'passed', step, count }),
  );
  const failures = Math.max(0, after.failed - before.failed);
  const failed: CompactEvent[] = after.lastFailure === null ? [] : Array(failures).fill(after.lastFailure);
  if (endedIn(after) === endedIn(before)) return [...passed, ...failed];
  const codes = increases(Object.fromEntries(before.codes), Object.fromEntries(after.codes)).flatMap(
    ([code, more]): string[] => Array(more).fill(code),
  );
  const ended = increases(before.ended, after.ended).flatMap(([outcome, more]) =>
    Array.from({ length: more }, (_, index): CompactEvent => {
      // One code for each event; the last event has all remaining codes.
      const own = outcome === 'rejected' ? codes.splice(0, index === more - 1 ? codes.length : 1) : [];
      return { type: 'ended', outcome, codes: [...new Set(own)] };
    }),
  );
  return [...passed, ...failed, ...ended];
}

function increases<Name extends string>(
  before: Partial<Record<Name, number>>,
  after: Partial<Record<Name, number>>,
): [Name, number][] {
  const counts = Object.entries(after) as [Name, number][];
  return counts
    .map(([name, count]): [Name, number] => [name, count - (before[name] ?? 0)])
    .filter(([, more]) => more > 0);
}
