/** Exports `createRequestLog` and `LogEntry`: the newest requests with their answers, for debugging. The log is not part of the state. */
import type { FaultTarget } from '../state/fault-rules.js';
import { maskPersonalData } from './mask-personal-data.js';

/** One request to the sandbox, with its answer. */
export interface LogEntry {
  /** 1 for the first request, and so on. */
  id: number;
  /** By the sandbox's clock, as an ISO datetime with milliseconds. */
  at: string;
  /** Check of the acceptance page for this answer, such as `E6`; C1 for an unknown path or method, C6 for the token. */
  rule: string;
  /** null if path and method belong to no operation. */
  operation: FaultTarget | null;
  /** HTTP method. */
  method: string;
  /** With its query string. */
  path: string;
  /** Import supplier code, if the request names one. */
  supplier: string | null;
  /** External account number, if the request names one. */
  account: string | null;
  /** The body as JSON; null if it was missing or unreadable. Personal data is masked. */
  request: unknown;
  /** null if the connection was closed without an answer. */
  status: number | null;
  /** The body of the answer; null if it has none. Personal data is masked. */
  answer: unknown;
  /** Change of the state, such as `staged`; null for none. */
  change: string | null;
  /** Entries of the register of open questions whose settings decided the answer, such as `U14`. */
  assumed: readonly string[];
  /** Attrs of undocumented values (U7). */
  unlisted: readonly string[];
  /** Ids of the fault rules that affected the call. */
  faults: readonly string[];
}

/** An entry with its times by the machine's clock, which differ between two runs: for the console only. */
export interface TimedEntry extends LogEntry {
  /** ISO datetime with milliseconds. */
  received_at: string;
  /** From the request to its answer, in ms. */
  took_ms: number;
}

/**
 * An entry as it is kept, with bodies as text: the garbage collector handles one string faster than hundreds of parsed
 * objects.
 */
export interface LogRecord extends Omit<TimedEntry, 'request' | 'answer'> {
  request: string | null;
  answer: string | null;
}

export interface PageOfLog {
  after?: number | undefined;
  before?: number | undefined;
  offset: number;
  limit: number;
}

/** Memory limit that the logs of a sandbox share. */
export interface LogRoom {
  most: number;
  bytes: number;
}

/** Returns a log of the newest `limit` entries. It drops the oldest ones, but never the newest, while the logs together exceed the memory limit. */
export function createRequestLog(limit: number, room: LogRoom, showPersonalData: boolean) {
  const records = new Map<number, LogRecord>();
  let last = 0;
  let first = 1;
  const shown = (record: LogRecord): TimedEntry => {
    // API keys and tokens stay masked even with `showPersonalData`.
    const isUnmasked = showPersonalData && record.operation !== 'token';
    const bodyOf = (text: string | null) =>
      isUnmasked ? parseJsonOrText(text) : maskPersonalData(parseJsonOrText(text));
    return { ...record, request: bodyOf(record.request), answer: bodyOf(record.answer) };
  };
  const dropFirst = () => {
    room.bytes -= sizeOf(records.get(first) as LogRecord);
    records.delete(first);
    first++;
  };
  return {
    add(record: Omit<LogRecord, 'id'>): void {
      if (limit === 0) return;
      if (records.size === limit) dropFirst();
      last++;
      records.set(last, { id: last, ...record });
      room.bytes += sizeOf(record);
      while (room.bytes > room.most && records.size > 1) dropFirst();
    },
    /** Returns the kept entries, oldest first, masked, without the times of the machine. */
    entries: (): LogEntry[] =>
      [...records.values()].map((record) => {
        const { received_at: _received, took_ms: _took, ...entry } = shown(record);
        return entry;
      }),
    /**
     * Returns how many entries are wanted, of those with an id above `after` (or below `before`), and `limit` of them, oldest first: the
     * oldest (without `after` the newest), without the first `offset` of these.
     */
    page(
      { after, before = Number.POSITIVE_INFINITY, offset, limit: most }: PageOfLog,
      isWanted: (record: LogRecord) => boolean,
    ): { total: number; entries: TimedEntry[] } {
      const isInRange = ({ id }: LogRecord) => (after === undefined ? id < before : id > after);
      const wanted = [...records.values()].filter((record) => isInRange(record) && isWanted(record));
      const end = after === undefined ? Math.max(0, wanted.length - offset) : offset + most;
      const entries = wanted.slice(Math.max(0, end - most), end).map(shown);
      return { total: wanted.length, entries };
    },
    /** Id of the newest entry, 0 for none. */
    get last(): number {
      return last;
    },
    /** Id of the oldest entry that is kept. */
    get first(): number {
      return first;
    },
    clear(): void {
      while (first <= last) dropFirst();
      last = 0;
      first = 1;
    },
  };
}

export type RequestLog = ReturnType<typeof createRequestLog>;

/** Returns the bytes in memory: at most two per character. */
function sizeOf({ path, request, answer, unlisted }: Omit<LogRecord, 'id'>): number {
  const texts = path.length + (request?.length ?? 0) + (answer?.length ?? 0);
  return 2 * unlisted.reduce((sum, attr) => sum + attr.length, texts);
}

/** Returns the text itself if it is not JSON, such as a page or a truncated body of a fault. */
function parseJsonOrText(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
