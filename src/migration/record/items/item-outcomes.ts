/** Exports `ItemOutcomes`, the outcomes of the items that a step sent. */

/** Outcomes of the items that a step sent, by their positions in the record. An item in none of the lists was added. */
export interface ItemOutcomes {
  /** Items that the service had already. */
  alreadyImported?: readonly number[];
  /** Items that the service refused. */
  rejected?: readonly number[];
  /** Items that may have been added. */
  unknown?: readonly number[];
  /** Items that were not sent, because the step ended before. */
  notSent?: readonly number[];
  /** Items that the service has with another date than was sent. */
  moved?: readonly number[];
  /** Items that the service has with another amount than was sent, or that were sent without one, and this amount as a decimal in text, or `?` if it cannot be read. */
  otherAmounts?: readonly { position: number; amount: string }[];
}
