/** A process that answers a doorbell: `hold` takes bells and never ends with them; `close` leaves when it is told to. */
import { once } from 'node:events';
import { openDoorbell } from '../../src/migration/fleet/doorbell.js';

const [queue = '', ledgerId = '', how = '', atOnce = '4'] = process.argv.slice(2);
const say = (line: string) => process.stdout.write(`${line}\n`);

const doorbell = await openDoorbell({ queue, ledgerId, name: 'process', onNote: say });
doorbell.answer(async ({ number, version }) => {
  say(`took ${number} ${version}`);
  if (how === 'hold') await new Promise<void>(() => {});
}, Number(atOnce));
say('answers');
if (how === 'close') {
  await once(process.stdin, 'data');
  process.stdin.destroy();
  await doorbell.close();
  say('closed');
}
