/**
 * Exports `EventCounts`, which counts the events of a worker, and `otherWorkers`, which returns what the other workers have
 * reported since the last call. Both store only few numbers and short texts, because answers of a service may be of any size.
 */
import type { CompactEvent } from '../../throttle/compact-event.js';
import { noWork } from '../ledger/worker-rows.js';
import type { RunState } from './run-state.js';

const MOST_CODES = 100;
const MOST_CHARACTERS = 100;

export class EventCounts {
  readonly work = noWork();
  /** How often each event has occurred, by its JSON. */
  readonly counts: Record<string, number> = {};

  /** Counts an event for the other workers: of at most a hundred kinds, and after these without its codes. */
  count(event: CompactEvent): void {
    if (event.type === 'ended') this.work.ended++;
    if (event.type === 'answered' || event.type === 'otherAnswer') return;
    const isFull = Object.keys(this.counts).length >= MOST_CODES;
    const kind = JSON.stringify(cut(event));
    const counted = isFull && !(kind in this.counts) && event.type !== 'passed' ? JSON.stringify(bare(event)) : kind;
    this.counts[counted] = (this.counts[counted] ?? 0) + 1;
  }
}

/** Returns a copy with truncated texts. */
export function cut<Event extends CompactEvent>(event: Event): Event {
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
