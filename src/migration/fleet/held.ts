/** The records that this member has, and whether the ledger's server knows whether it has any. */
import type { LedgerRecord, RecordKey } from '../ledger/ledger.js';
import { idOf } from '../ledger/record-id.js';

type Versioned = RecordKey & { version: number };

export interface Held {
  has(key: RecordKey): boolean;
  keep(claimed: LedgerRecord): void;
  /** What is held is the next version now, or has ended. Not what another claim of this process has meanwhile. */
  written(record: LedgerRecord): void;
  /** As it was at that version. */
  drop(record: Versioned): void;
  all(): Versioned[];
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
  const records = new Map<string, Versioned>();
  let [claims, noted, settled, underWay] = [0, 0, 0, 0];
  const keep = ({ supplier, kind, number, version }: Versioned) => {
    records.set(idOf({ supplier, kind, number }), { supplier, kind, number, version });
  };
  const drop = (record: Versioned) => {
    const key = idOf(record);
    if (records.get(key)?.version === record.version) records.delete(key);
  };
  return {
    has: (key) => records.has(idOf(key)),
    keep,
    written(record) {
      if (records.get(idOf(record))?.version !== record.version - 1) return;
      keep(record);
      if (record.end !== null) drop(record);
    },
    drop,
    all: () => [...records.values()],
    clear() {
      records.clear();
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
      if (underWay > 0 || records.size > 0) return undefined;
      settled = claims;
      return settled;
    },
  };
}
