/** Exports `settle`, which finds the outcomes of a person's answer and stores it, as the command `resolve` does. */
import { InFlight } from '../../src/http/limits/in-flight.js';
import type { Ledger } from '../../src/migration/ledger/ledger.js';
import {
  type Answered,
  type Choice,
  outcomesOf,
  storeAnswers,
  unknownsOf,
} from '../../src/migration/operations/resolve.js';
import { InFlightRecords } from '../../src/migration/record/preconditions/quiet-time.js';

export async function settle(
  ledger: Ledger,
  choice: Choice,
  as: 'done' | 'notDone',
  now: () => Date,
  /** By default the service has started after all of them, so that none of its requests is still running. */
  inFlight = new InFlightRecords(new InFlight(60_000, 60_000), now, new Date(8.64e15)),
  serviceNumber?: string,
): Promise<Answered[]> {
  const answers = await outcomesOf(
    { choice, as, serviceNumber },
    { ledger, inFlight, unknowns: await unknownsOf(ledger) },
  );
  await storeAnswers(answers, ledger, now);
  return answers;
}
