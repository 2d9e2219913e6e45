/**
 * Exports `EventCounts`, which counts the events of a worker, and `otherWorkers`, which returns what the other workers have
 * reported since the last call. Both store only few numbers and short texts, because answers of a service may be of any size.
 */
import type { CompactEvent } from '../../throttle/compact-event.js';
import { noWork } from '../ledger/worker-rows.js';
import type { RunState } from './run-state.js';

/** Of kinds of events, of codes of an event, and of characters of a text. */
const MOST = 100;

export class EventCounts {
  readonly work = noWork();
  /** How often each event has occurred, by its JSON. */
  readonly counts: Record<string, number> = {};

  /** Counts an event for the other workers: of at most a hundred kinds, and after these without the texts of the service. */
  count(event: CompactEvent): void {
    if (event.type === 'ended') this.work.ended++;
    if (event.type === 'answered' || event.type === 'otherAnswer') return;
    let kind = shortText(event);
    if (!(kind in this.counts) && Object.keys(this.counts).length >= MOST && event.type !== 'passed') {
      const { type } = event;
      kind = JSON.stringify(type === 'ended' ? { ...event, codes: [] } : { type, call: event.call, supplier: '' });
    }
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
  }
}

/** Returns a copy with truncated texts. */
export function cut(event: CompactEvent): CompactEvent {
  return JSON.parse(shortText(event));
}

function shortText(event: CompactEvent): string {
  const short = (_: string, part: unknown) =>
    Array.isArray(part) || typeof part === 'string' ? part.slice(0, MOST) : part;
  return JSON.stringify(event, short);
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
