/**
 * Exports `ReportTally`, which collects the next report of a worker, and `otherWorkers`, which returns what the other workers have
 * reported since the last call. Both store only few numbers and short texts, because answers of a service may be of any size.
 */
import type { CompactEvent } from '../../throttle/compact-event.js';
import { noWork } from '../ledger/worker-rows.js';
import type { RunState, WorkerReport } from './run-state.js';

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
  readonly work = noWork();
  /** How often each event has occurred, by its JSON. */
  readonly counts: Record<string, number> = {};
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

  /** Counts an event for the other workers: of at most a hundred kinds, and after these without its codes. */
  count(event: CompactEvent): void {
    if (event.type === 'ended') this.work.ended++;
    if (event.type === 'answered' || event.type === 'otherAnswer') return;
    const isFull = Object.keys(this.counts).length >= MOST_CODES;
    const kind = JSON.stringify(cut(event));
    const counted = isFull && !(kind in this.counts) && event.type !== 'passed' ? JSON.stringify(bare(event)) : kind;
    this.counts[counted] = (this.counts[counted] ?? 0) + 1;
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

function isOfCall(event: CompactEvent, call: string): boolean {
  return event.type === 'failed' || (event.type === 'answered' && event.call === call);
}

/** Returns a copy with truncated texts. */
function cut<Event extends CompactEvent>(event: Event): Event {
  const short = (text: string) => text.slice(0, MOST_CHARACTERS);
  const parts = Object.entries(event).map(([name, part]) => {
    if (Array.isArray(part)) return [name, part.slice(0, MOST_CODES).map(short)];
    return [name, typeof part === 'string' ? short(part) : part];
  });
  return Object.fromEntries(parts) as Event;
}

/** Returns the event without texts of the service. */
function bare(event: Extract<CompactEvent, { type: 'ended' | 'failed' }>): CompactEvent {
  if (event.type === 'ended') return { ...event, codes: [] };
  return { type: 'failed', call: event.call, supplier: '' };
}

/** Returns a function that returns the events of the other workers since its last call, and how many requests they sent. */
export function otherWorkers(workerId: string) {
  let seen: RunState['workers'] = {};
  return ({ workers }: Pick<RunState, 'workers'>): { events: CompactEvent[]; requests: number } => {
    const events: CompactEvent[] = [];
    let requests = 0;
    for (const [id, { work, counts }] of Object.entries(workers)) {
      if (id === workerId) continue;
      requests += work.requests - (seen[id]?.work.requests ?? 0);
      for (const [event, count] of Object.entries(counts)) {
        for (let left = count - (seen[id]?.counts[event] ?? 0); left > 0; left--) events.push(JSON.parse(event));
      }
    }
    seen = { ...seen, ...workers };
    return { events, requests };
  };
}
