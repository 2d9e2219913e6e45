/** The same as in test/cli, 200 times; `WALKS=500` for more. */
import { testWalks } from '../support/next-commands-walk.js';

testWalks(Number(process.env['WALKS'] ?? 200), [
  'unknown',
  'rejected',
  'with rejected items',
  'with items that were not sent',
  'that existed before, with statements or payment instructions that were not sent',
  'skipped: another line has the number and other content',
  'no longer in the input',
  'changed after they were sent',
]);
