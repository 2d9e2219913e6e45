/** What sessions and workers of one run share about how long its requests may run (U30). */
import { expect, test } from 'vitest';
import { InFlight } from '../../../src/http/limits/in-flight.js';
import { createMemoryLedger } from '../../../src/migration/ledger/memory.js';
import { refreshInFlight, rememberInFlight } from '../../../src/migration/record/preconditions/quiet-time.js';

test('U30 the longest time limit among the workers of a run counts for all of them', async () => {
  const ledger = createMemoryLedger();
  const [patient, hasty] = [new InFlight(60_000, 300_000), new InFlight(60_000, 10_000)];
  await rememberInFlight(ledger, hasty);
  await rememberInFlight(ledger, patient);
  expect(hasty.quietTimeMs()).toBe(60_000);
  await refreshInFlight(ledger, hasty);
  expect([hasty.quietTimeMs(), patient.quietTimeMs()]).toEqual([300_000, 300_000]);
});

test('U30 what one worker learns never lowers what another one has stored', async () => {
  const ledger = createMemoryLedger();
  const [one, other] = [new InFlight(60_000, 10_000), new InFlight(60_000, 10_000)];
  const [oneLearned, otherLearned] = [await rememberInFlight(ledger, one), await rememberInFlight(ledger, other)];
  one.observe(50_000);
  other.observe(30_000);
  oneLearned();
  otherLearned();
  await refreshInFlight(ledger, other);
  expect(await ledger.fact('process_runs_for_ms')).toBe('150000');
  expect(other.quietTimeMs()).toBe(150_000);
});
