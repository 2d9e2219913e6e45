/**
 * Exports `HeldRefusals`, which decides whether a refusal that names no field and no known code concerns one record, which is then
 * rejected, or may concern all records, which then stay unfinished (decision 66).
 */
import { idOf, type LedgerRecord, type Step } from '../../ledger/ledger.js';

/** Number of records up to which refusals at the end of the input count as refusals of these records: the halt rules stop a run at this number. */
const MOST_AT_END = 20;

/** The answers to one step of the records of one supplier. */
interface Answers {
  /** Number of times that the service accepted the step. */
  accepted: number;
  /** Number of records that were refused for the first time since then. */
  refusedSince: number;
  /** The refused records, with `accepted` at their first refusal. */
  refused: Map<string, number>;
}

/** The refusals of one session. */
export class HeldRefusals {
  readonly #answers = new Map<string, Answers>();
  /** Whether the service has accepted a request of the run: its address is right. */
  isAddressProven: boolean;

  constructor(isAddressProven = false) {
    this.isAddressProven = isAddressProven;
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
   * service has accepted the same step of another record of the supplier since its first refusal; or before it, and the input has no
   * record after the few refused ones.
   */
  isOfRecord(record: LedgerRecord, step: Step): boolean {
    const answers = this.#of(record, step);
    const { accepted, refused } = answers;
    const id = idOf(record);
    const before = refused.get(id);
    if (before === undefined) {
      refused.set(id, accepted);
      answers.refusedSince++;
      return false;
    }
    return before < accepted || (accepted > 0 && answers.refusedSince < MOST_AT_END);
  }

  #of({ supplier }: LedgerRecord, step: Step): Answers {
    const key = JSON.stringify([supplier, step]);
    const known = this.#answers.get(key) ?? { accepted: 0, refusedSince: 0, refused: new Map() };
    this.#answers.set(key, known);
    return known;
  }
}
