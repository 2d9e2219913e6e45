/** Records that a distributed run does not send: refused before its first request. */
import { expect, test } from 'vitest';
import { expectDistributable } from '../../../src/migration/distributed/expect-distributable.js';
import { inputFromRecords } from '../../../src/migration/input/records-input.js';
import { account, business } from '../rehearsal.js';

const instruction = { vendor: 'V', reference: 'R-1', type: 'CARD' };

test('payment instructions of a business are refused with the line and the remedy', async () => {
  const records = [
    account('A-1', {}, { payment_instructions: [instruction] }),
    { ...business('B-1', 'C-1'), payment_instructions: [instruction] },
  ];
  await expect(expectDistributable(inputFromRecords(records))).rejects.toThrow(
    'input:2: a distributed run does not send payment instructions of a business. Run the input without --distributed, or send these records first in another run folder.',
  );
});

test('those of accounts are distributed as before', async () => {
  await expect(
    expectDistributable(inputFromRecords([account('A-1', {}, { payment_instructions: [instruction] })])),
  ).resolves.toBeUndefined();
});
