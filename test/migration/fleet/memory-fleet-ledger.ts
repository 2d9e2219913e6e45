/**
 * What the ledger of a fleet promises, in memory: members of one process share it. Leases end when a test says so, and
 * never by a clock.
 */
import type {
  Claimed,
  FleetLedger,
  Lease,
  LinePlace,
  Member,
  MemberWork,
} from '../../../src/migration/fleet/fleet-ledger.js';
import { type LedgerRecord, type RecordKey, StaleRecordError } from '../../../src/migration/ledger/ledger.js';
import { createMemoryLedger } from '../../../src/migration/ledger/memory.js';
import { all as allOf } from '../ledger/records.js';

interface Held {
  owner: string | null;
}

export interface MemoryFleet {
  join(name: string): MemoryMember;
}

export interface MemoryMember extends FleetLedger {
  /** Its lease ends: others may take over what it has; it comes back with another one. */
  loseLease(): void;
}

export function memoryFleet(): MemoryFleet {
  const ledger = createMemoryLedger();
  const lines = new Map<string, LinePlace>();
  const held = new Map<string, Held>();
  const members: Member[] = [];
  let leader: string | undefined;
  const keyOf = ({ supplier, kind, number }: RecordKey) => JSON.stringify([supplier, kind, number]);
  const isThere = (id: string) => members.some((member) => member.id === id && member.isThere);
  const all = () => allOf(ledger.list());

  async function waits({ supplier, contract }: LedgerRecord): Promise<boolean> {
    const business = contract === null ? undefined : await ledger.business(supplier, contract);
    return business !== undefined && business.end !== 'created' && business.end !== 'alreadyThere';
  }
  const isFree = (record: LedgerRecord, by?: string) => {
    const owner = held.get(keyOf(record))?.owner ?? null;
    return owner === null || owner === by || !isThere(owner);
  };

  function join(name: string): MemoryMember {
    let [generation, controller] = [0, new AbortController()];
    const work: MemberWork = { ended: 0, requests: 0, throttled: 0, takenOver: 0 };
    let id = enter();
    function enter(): string {
      const next = `${name}-${generation}`;
      members.push({ id: next, name, host: 'host', pid: 1, joinedAt: '', leftAt: null, isThere: true, work });
      return next;
    }
    const leave = () => {
      for (const member of members) if (member.id === id) Object.assign(member, { isThere: false, leftAt: '' });
      if (leader === id) leader = undefined;
    };
    const lease: Lease = {
      get id() {
        return id;
      },
      get generation() {
        return generation;
      },
      isValid: (asked) => asked === generation,
      signal: () => controller.signal,
      work,
      leave: async () => leave(),
    };
    return {
      ...ledger,
      lease,
      connectionString: 'memory',
      schema: 'memory',
      ledgerId: 'memory',
      loseLease() {
        leave();
        controller.abort();
        generation++;
        controller = new AbortController();
        id = enter();
      },
      async write(record, contracts) {
        await ledger.write(record, contracts);
        held.set(keyOf(record), { owner: record.end === null ? id : null });
      },
      async register(record, contracts, line) {
        lines.set(record.hash, line);
        if (record.version > 0) return record;
        const written = { ...record, version: 1 };
        // Of two that register one record, the first has done it.
        await ledger.write(written, contracts).catch(() => {});
        return written;
      },
      async claim(bell, evenWhileItWaits = false): Promise<Claimed | undefined> {
        const record = await ledger.find(bell);
        if (record === undefined || record.version !== bell.version || record.end !== null) return undefined;
        if (!isFree(record) || (!evenWhileItWaits && (await waits(record)))) return undefined;
        const before = held.get(keyOf(record))?.owner ?? null;
        const claimed = { ...record, version: record.version + 1 };
        try {
          await ledger.write(claimed);
        } catch (error) {
          if (error instanceof StaleRecordError) return undefined;
          throw error;
        }
        held.set(keyOf(record), { owner: id });
        return { record: claimed, line: lines.get(record.hash), isTakenOver: before !== null };
      },
      async release(record) {
        const found = await ledger.find(record);
        if (found?.version === record.version && held.get(keyOf(record))?.owner === id) {
          held.set(keyOf(record), { owner: null });
        }
      },
      async unclaimed(after, most) {
        const found: LedgerRecord[] = [];
        let last = after;
        for (const [index, record] of (await all()).entries()) {
          if (index < after || found.length === most) continue;
          if (record.end !== null || !isFree(record) || (await waits(record))) continue;
          found.push(record);
          last = index + 1;
        }
        const bells = found.map(({ supplier, kind, number, version }) => ({ supplier, kind, number, version }));
        return { bells, last };
      },
      async hasWork() {
        for (const record of await all()) if (record.end === null && !(await waits(record))) return true;
        return false;
      },
      async isClaimed() {
        return (await all()).some((record) => record.end === null && !isFree(record));
      },
      members: async () => structuredClone(members),
      async leads() {
        leader ??= id;
        return leader === id;
      },
      async forgetLines() {
        lines.clear();
      },
      close: async () => leave(),
    };
  }
  return { join };
}
