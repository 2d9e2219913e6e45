/** Exports `createMemoryLedger`, a ledger in memory, for tests and for runs that need not be resumed. */
import { zeros } from '../shared/zero-counts.js';
import {
  ITEM_STEPS,
  idOf,
  isImported,
  type Ledger,
  type LedgerCounts,
  type LedgerFilter,
  type LedgerRecord,
  OUTCOMES,
  type ReadStoredLine,
  StaleRecordError,
  type StoredLine,
  staleAt,
} from './ledger.js';

/** Returns a ledger in memory. It is lost when the process ends, so the run cannot be resumed. For tests and rehearsals. */
export function createMemoryLedger(): Ledger {
  const records = new Map<string, LedgerRecord>();
  const businesses = new Map<string, string>();
  /** Ids of the records that have, or had, a number of the service. */
  const numbered = new Map<string, Set<string>>();
  const facts = new Map<string, string>();
  const lines = new Map<string, (StoredLine & { reading: number })[]>();
  return {
    find: async (key) => records.get(idOf(key)),
    async write(record, contracts = [], isOver = false) {
      const key = idOf(record);
      if ((records.get(key)?.version ?? 0) !== record.version - 1) throw new StaleRecordError(record);
      records.set(key, record);
      const { kind, serviceNumber } = record;
      if (serviceNumber !== null) {
        const id = numberId(kind, serviceNumber);
        numbered.set(id, (numbered.get(id) ?? new Set()).add(key));
      }
      for (const contract of contracts) businesses.set(JSON.stringify([record.supplier, contract]), key);
      if (isOver) lines.delete(key);
    },
    async remove(record) {
      const key = idOf(record);
      if (records.get(key)?.version !== record.version) throw staleAt(record);
      records.delete(key);
      lines.delete(key);
      for (const [contract, declaring] of businesses) if (declaring === key) businesses.delete(contract);
    },
    async isNumberOfOther({ serviceNumber, ...key }) {
      const ids = numbered.get(numberId(key.kind, serviceNumber)) ?? [];
      return [...ids].some((id) => id !== idOf(key) && records.get(id)?.serviceNumber === serviceNumber);
    },
    business: async (supplier, contract) => {
      const key = businesses.get(JSON.stringify([supplier, contract]));
      return key === undefined ? undefined : records.get(key);
    },
    async *list(filter = {}) {
      for (const record of records.values()) if (matches(record, filter)) yield record;
    },
    async addLines(reading, found) {
      for (const line of found) {
        const id = idOf(line);
        const others = lines.get(id)?.filter(({ hash }) => hash !== line.hash) ?? [];
        lines.set(id, [...others, { ...line, reading }]);
      }
    },
    async *lines(reading, kind) {
      for (const stored of [...lines.values()].flat()) {
        if (stored.reading === reading && stored.kind === kind) yield parsed(stored);
      }
    },
    async line(key, hash) {
      const of = lines.get(idOf(key))?.filter((line) => hash === undefined || line.hash === hash);
      const last = of?.at(-1);
      return last && parsed(last);
    },
    async eraseLines(keys) {
      for (const key of keys) lines.delete(idOf(key));
    },
    async eraseLinesBefore(reading) {
      for (const [id, stored] of lines) {
        const hash = records.get(id)?.hash;
        const kept = stored.filter((line) => line.reading >= reading || line.hash === hash);
        if (kept.length === 0) lines.delete(id);
        else lines.set(id, kept);
      }
    },
    counts: async ({ kind } = {}) =>
      count([...records.values()].filter((record) => kind === undefined || record.kind === kind)),
    fact: async (name) => facts.get(name),
    setFact: async (name, value) => void facts.set(name, value),
    async raiseFact(name, value) {
      const greatest = Math.max(value, Number(facts.get(name) ?? value));
      facts.set(name, String(greatest));
      return greatest;
    },
    close: async () => {},
  };
}

const parsed = (line: StoredLine): ReadStoredLine => ({ ...line, record: JSON.parse(line.text) });

const numberId = (kind: string, serviceNumber: string) => JSON.stringify([kind, serviceNumber]);

function matches(record: LedgerRecord, filter: LedgerFilter): boolean {
  const { kind, supplier, outcome, hasErrors, isCorrected, difference, isSettled } = filter;
  return (
    (kind === undefined || record.kind === kind) &&
    (supplier === undefined || record.supplier === supplier) &&
    (outcome === undefined || record.outcome === outcome) &&
    (hasErrors === undefined || record.errors.length > 0 === hasErrors) &&
    (isCorrected === undefined || (record.correctedFrom !== null) === isCorrected) &&
    (difference === undefined || record.difference?.is === difference) &&
    (isSettled === undefined || isSettledRecord(record) === isSettled)
  );
}

function isSettledRecord(record: LedgerRecord): boolean {
  const { errors, unknown, difference, items } = record;
  if (!isImported(record) || errors.length + unknown.length > 0 || difference !== null) return false;
  return ITEM_STEPS.every((step) => items[step].every(({ confirmed }) => confirmed === null));
}

function count(records: readonly LedgerRecord[]): LedgerCounts {
  const ended = zeros(OUTCOMES);
  for (const { outcome } of records) if (outcome !== null) ended[outcome]++;
  const open = records.filter(({ outcome }) => outcome === null);
  return {
    total: records.length,
    unfinished: open.length,
    intents: open.filter(({ intent }) => intent !== null).length,
    writes: records.reduce((sum, { version }) => sum + version, 0),
    ended,
  };
}
