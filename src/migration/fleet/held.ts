/** The records that this member has, and whether the ledger's server knows whether it has any. */
import type { LedgerRecord, RecordKey } from '../ledger/ledger.js';

export interface Held {
  has(key: RecordKey): boolean;
  keep(record: LedgerRecord): void;
  /** What was kept and is written again; what has ended is not held any more. */
  written(record: LedgerRecord): void;
  drop(key: RecordKey): void;
  all(): (RecordKey & { version: number })[];
  clear(): void;
  /**
   * Before a claim: the number under which the server is to note it, or undefined where it knows already that this member
   * has records. After it, the number that was noted.
   */
  begin(): number | undefined;
  end(noted: number | undefined): void;
  /** For a beat: the number of the last claim, where nothing of it is left. */
  settled(): number | undefined;
}

export function createHeld(): Held {
  const versions = new Map<string, RecordKey & { version: number }>();
  let [claims, noted, settled, underWay] = [0, 0, 0, 0];
  const keyOf = ({ supplier, kind, number }: RecordKey) => JSON.stringify([supplier, kind, number]);
  const keep = ({ supplier, kind, number, version }: LedgerRecord) =>
    void versions.set(keyOf({ supplier, kind, number }), { supplier, kind, number, version });
  return {
    has: (key) => versions.has(keyOf(key)),
    keep,
    written(record) {
      const key = keyOf(record);
      if (!versions.has(key)) return;
      if (record.end === null) keep(record);
      else versions.delete(key);
    },
    drop: (key) => void versions.delete(keyOf(key)),
    all: () => [...versions.values()],
    clear() {
      versions.clear();
      // Another member by now, of whom nothing is noted yet.
      claims++;
    },
    begin() {
      underWay++;
      if (claims === settled) claims++;
      return claims === noted ? undefined : claims;
    },
    end(number) {
      underWay--;
      noted = Math.max(noted, number ?? 0);
    },
    settled() {
      if (underWay > 0 || versions.size > 0) return undefined;
      settled = claims;
      return settled;
    },
  };
}
