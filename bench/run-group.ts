/** `run-group <name> <seed> [quick]`: the process of one group, so that groups do not affect the figures of each other. */
import { reasonOf } from './frame/reason.js';
import { type SheetMessage, sheetFor } from './frame/sheet.js';
import { GROUPS } from './groups.js';
import { GROUP_NAMES, type GroupName } from './plan.js';

const [given, seed, quick] = process.argv.slice(2);
const name = GROUP_NAMES.find((one) => one === given);
const send = (message: SheetMessage) => void process.send?.(message);
// The parent process has ended.
process.once('disconnect', () => process.exit());
try {
  if (name === undefined) throw new Error(`${given}: expected one of ${GROUP_NAMES.join(', ')}`);
  await run(name);
} catch (error) {
  send({ failed: reasonOf(error) });
}
// Open connections of a contestant must not keep the process alive.
process.send?.({ line: '' } satisfies SheetMessage, () => process.exit());

function run<Name extends GroupName>(group: Name): Promise<void> {
  return GROUPS[group](sheetFor<Name>({ isQuick: quick === 'quick', seed: Number(seed) }, send));
}
