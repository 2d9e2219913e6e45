/** What was asked and answered, for people who look for what went wrong. Not part of the state. */
import type { FaultTarget } from '../state/fault-rules.js';
import { maskPersonalData } from './mask-personal-data.js';

/** One request to the sandbox, with its answer. */
export interface LogEntry {
  /** 1 for the first request, and so on. */
  id: number;
  /** By the sandbox's clock, as an ISO datetime with milliseconds. */
  at: string;
  /** The check of the acceptance page that the answer follows, such as `E6`; C1 where no operation was met, C6 for the token. */
  rule: string;
  /** null where the path or the method belongs to none. */
  operation: FaultTarget | null;
  /** HTTP method. */
  method: string;
  /** With its query string. */
  path: string;
  /** Import supplier code, where the request names one. */
  supplier: string | null;
  /** External account number, where the request names one. */
  account: string | null;
  /** The body as JSON; null where there was none or it could not be read. Personal data is masked. */
  request: unknown;
  /** null where the connection was closed without an answer. */
  status: number | null;
  /** The body of the answer; null where there was none. Personal data is masked. */
  answer: unknown;
  /** What the call changed, such as `staged`; null for nothing. */
  change: string | null;
  /** Entries of the register that the answer rests on: what the document does not show, and a setting decides. */
  assumed: readonly string[];
  /** Attrs of values that the document does not list (U7). */
  unlisted: readonly string[];
  /** Ids of the fault rules that met the call. */
  faults: readonly string[];
}

/**
 * As entries are kept: bodies as text. A text is one thing to the garbage collector, and what was parsed from it would
 * be hundreds that outlive their call.
 */
interface LogRecord extends Omit<LogEntry, 'request' | 'answer'> {
  request: string | null;
  answer: string | null;
}

export interface RequestLog {
  add(record: Omit<LogRecord, 'id'>): void;
  /** The entries that are kept, oldest first, as they may be shown. */
  entries(): LogEntry[];
  /** Up to `limit` entries whose id is above `after` (or below `before`), oldest first. */
  page(range: { after?: number; before?: number; limit: number; wanted?: (record: LogRecord) => boolean }): LogEntry[];
  /** Id of the newest entry, 0 for none. */
  readonly last: number;
  /** Id of the oldest entry that is kept. */
  readonly first: number;
  clear(): void;
}

/** What the logs of a sandbox may take together. */
export interface LogRoom {
  most: number;
  bytes: number;
}

/** Keeps the newest `limit` entries, and forgets the oldest ones where the logs that share the room take more than it has; never the newest one. */
export function createRequestLog(limit: number, room: LogRoom, showPersonalData: boolean): RequestLog {
  // A ring: entry `id` stands at `(id - 1) % limit`.
  let ring: LogRecord[] = [];
  let last = 0;
  let first = 1;
  const shown = (record: LogRecord): LogEntry => {
    // API keys and tokens are nobody's business, whoever wants to see personal data.
    const isShown = showPersonalData && record.operation !== 'token';
    const bodyOf = (text: string | null) => (isShown ? parsed(text) : maskPersonalData(parsed(text)));
    return { ...record, request: bodyOf(record.request), answer: bodyOf(record.answer) };
  };
  const at = (id: number) => ring[(id - 1) % limit] as LogRecord;
  const forgetFirst = () => {
    room.bytes -= sizeOf(at(first));
    delete ring[(first - 1) % limit];
    first++;
  };
  return {
    add(record) {
      if (limit === 0) return;
      if (last - first + 1 === limit) forgetFirst();
      last++;
      ring[(last - 1) % limit] = { id: last, ...record };
      room.bytes += sizeOf(record);
      while (room.bytes > room.most && first < last) forgetFirst();
    },
    entries() {
      const entries: LogEntry[] = [];
      for (let id = first; id <= last && limit > 0; id++) entries.push(shown(at(id)));
      return entries;
    },
    page({ after, before, limit: most, wanted = () => true }) {
      const found: LogEntry[] = [];
      if (limit === 0) return found;
      if (after !== undefined) {
        for (let id = Math.max(first, after + 1); id <= last && found.length < most; id++) {
          if (wanted(at(id))) found.push(shown(at(id)));
        }
        return found;
      }
      for (let id = Math.min(last, (before ?? last + 1) - 1); id >= first && found.length < most; id--) {
        if (wanted(at(id))) found.push(shown(at(id)));
      }
      return found.reverse();
    },
    get last() {
      return last;
    },
    get first() {
      return first;
    },
    clear() {
      while (first <= last) forgetFirst();
      ring = [];
      last = 0;
      first = 1;
    },
  };
}

/** As texts lie in memory, two bytes a character at most. */
function sizeOf({ path, request, answer, unlisted }: Omit<LogRecord, 'id'>): number {
  const texts = path.length + (request?.length ?? 0) + (answer?.length ?? 0);
  return 2 * unlisted.reduce((sum, attr) => sum + attr.length, texts);
}

/** An answer may be no JSON: a fault's page, or half of a body. */
function parsed(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
