/**
 * Exports `HeldRefusals`, which decides whether a refusal that names no field and no known code concerns one record, which is then
 * rejected, or may concern all records, which then stay unfinished (decision 66).
 */
import { idOf, type Ledger, type LedgerRecord, type Step } from '../../ledger/ledger.js';

/** Number of records up to which refusals at the end of the input count as refusals of these records: the halt rules stop a run at this number. */
const MOST_AT_END = 20;

/** The answers to one step of the records of one supplier. */
interface Answers {
  supplier: string;
  /** Number of times that the service accepted the step. */
  accepted: number;
  /** Whether it accepted the step in an earlier session. */
  wasAccepted: boolean;
  /** Number of records that were refused for the first time since then. */
  refusedSince: number;
  /** The refused records, with `accepted` at their first refusal. */
  refused: Map<string, number>;
}

/** The refusals of one session. */
export class HeldRefusals {
  readonly #answers = new Map<string, Answers>();
  /** Whether the service accepted the team of the run in an earlier session. */
  readonly #wasTeamAccepted: boolean;
  /** Whether the service has accepted a request of the run: its address is right. */
  isAddressProven: boolean;

  constructor(wasTeamAccepted = false) {
    this.#wasTeamAccepted = wasTeamAccepted;
    this.isAddressProven = wasTeamAccepted;
  }

  /**
   * Call it before the last pass: it adds what the service accepted in earlier sessions. A record that is refused in each session would
   * never end otherwise, if the session has no other record to send.
   */
  async addEarlier(ledger: Pick<Ledger, 'list'>): Promise<void> {
    if (!this.#wasTeamAccepted) return;
    for (const answers of this.#answers.values()) {
      const { supplier, accepted, wasAccepted, refused } = answers;
      if (refused.size === 0 || accepted > 0 || wasAccepted) continue;
      for await (const _created of ledger.list({ kind: 'account', supplier, outcome: 'created' })) {
        answers.wasAccepted = true;
        break;
      }
    }
  }

  accepted(record: LedgerRecord, step: Step): void {
    if (step !== 'check') this.isAddressProven = true;
    const answers = this.#of(record, step);
    answers.accepted++;
    answers.refusedSince = 0;
    answers.refused.delete(idOf(record));
  }

  /**
   * Returns whether the refusal concerns this record only. Each pass over the input sends a record once: it is refused again, and the
   * service has accepted the same step of another record of the supplier since its first refusal; or before it, also in an earlier
   * session, and the input has no record after the few refused ones.
   */
  isOfRecord(record: LedgerRecord, step: Step): boolean {
    const answers = this.#of(record, step);
    const { accepted, wasAccepted, refused } = answers;
    const id = idOf(record);
    const before = refused.get(id);
    if (before === undefined) {
      refused.set(id, accepted);
      answers.refusedSince++;
      return false;
    }
    return before < accepted || ((accepted > 0 || wasAccepted) && answers.refusedSince < MOST_AT_END);
  }

  #of({ supplier }: LedgerRecord, step: Step): Answers {
    const key = JSON.stringify([supplier, step]);
    const known = this.#answers.get(key) ?? {
      supplier,
      accepted: 0,
      wasAccepted: false,
      refusedSince: 0,
      refused: new Map(),
    };
    this.#answers.set(key, known);
    return known;
  }
}
