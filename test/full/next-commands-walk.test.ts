/** The same as in test/cli, 500 times. */
import { testWalks } from '../support/next-commands-walk.js';

testWalks(500, [
  'rejected',
  'with rejected items',
  'with items that were not sent',
  'that existed before, with statements or payment instructions that were not sent',
  'skipped: another line has the number and other content',
  'no longer in the input',
  'unfinished, without a line in the input',
  'changed after they were sent',
]);
