/** Exports `createMemoryLedger`, a ledger in memory, for tests and for runs that need not be resumed. */
import {
  idOf,
  type Ledger,
  type LedgerCounts,
  type LedgerFilter,
  type LedgerRecord,
  type Outcome,
  StaleRecordError,
  staleAt,
  unreadableLineOf,
} from './ledger.js';

/** Returns a ledger in memory. It is lost when the process ends, so the run cannot be resumed. For tests and rehearsals. */
export function createMemoryLedger(): Ledger {
  const records = new Map<string, LedgerRecord>();
  const businesses = new Map<string, string>();
  /** Ids of the records that have, or had, a number of the service. */
  const numbered = new Map<string, Set<string>>();
  const facts = new Map<string, string>();
  return {
    find: async (key) => records.get(idOf(key)),
    async write(record, contracts = []) {
      const key = idOf(record);
      if ((records.get(key)?.version ?? 0) !== record.version - 1) throw new StaleRecordError(record);
      records.set(key, record);
      const { kind, serviceNumber } = record;
      if (serviceNumber !== null) {
        const id = numberId(kind, serviceNumber);
        numbered.set(id, (numbered.get(id) ?? new Set()).add(key));
      }
      for (const contract of contracts) businesses.set(JSON.stringify([record.supplier, contract]), key);
    },
    async remove(record) {
      const key = idOf(record);
      if (records.get(key)?.version !== record.version) throw staleAt(record);
      records.delete(key);
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
    async *endedHashes() {
      for (const { hash, outcome, correctedFrom, difference } of records.values()) {
        const line = correctedFrom === null ? hash : unreadableLineOf(correctedFrom);
        if (outcome !== null && difference === null && line !== undefined) yield line;
      }
    },
    async *list(filter = {}) {
      for (const record of records.values()) if (matches(record, filter)) yield record;
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

const numberId = (kind: string, serviceNumber: string) => JSON.stringify([kind, serviceNumber]);

function matches(record: LedgerRecord, filter: LedgerFilter): boolean {
  const { kind, supplier, outcome, hasIntent, hasErrors, difference } = filter;
  return (
    (kind === undefined || record.kind === kind) &&
    (supplier === undefined || record.supplier === supplier) &&
    (outcome === undefined || record.outcome === outcome) &&
    (hasIntent === undefined || (record.intent !== null) === hasIntent) &&
    (hasErrors === undefined || record.errors.length > 0 === hasErrors) &&
    (difference === undefined || record.difference?.is === difference)
  );
}

function count(records: readonly LedgerRecord[]): LedgerCounts {
  const ended: Record<Outcome, number> = { created: 0, alreadyImported: 0, rejected: 0, skipped: 0, unknown: 0 };
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
