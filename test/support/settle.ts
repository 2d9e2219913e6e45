/** Exports `settle`, which finds the outcomes of a person's answer and stores it, as the command `resolve` does. */
import type { Ledger } from '../../src/migration/ledger/ledger.js';
import { type Answered, type Choice, outcomesOf, storeAnswers } from '../../src/migration/operations/resolve.js';
import type { InFlightRecords } from '../../src/migration/record/preconditions/in-flight-records.js';

export async function settle(
  ledger: Ledger,
  choice: Choice,
  as: 'done' | 'notDone',
  now: () => Date,
  inFlight?: InFlightRecords,
  serviceNumber?: string,
): Promise<Answered[]> {
  const answers = await outcomesOf({ choice, as, serviceNumber }, { ledger, ...(inFlight && { inFlight }) });
  await storeAnswers(answers, ledger, now);
  return answers;
}
