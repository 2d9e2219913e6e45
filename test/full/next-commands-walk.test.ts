/** The same as in test/cli, 500 times. */
import { testWalks } from '../support/next-commands-walk.js';

testWalks(500, [
  'rejected',
  'with items that were refused',
  'with items that were not sent',
  'skipped for the number of another line',
  'no longer in the input',
  'open without a line in the input',
  'changed after they were sent',
]);
