/** Parses the arguments of `npm run bench`. */
import { parseArgs } from 'node:util';
import { GROUP_NAMES, type GroupName, planOf } from '../plan.js';

export interface Command {
  groups: readonly GroupName[];
  isQuick: boolean;
  seed: number;
}

/** Throws an error that names the invalid argument. */
export function commandOf(args: string[]): Command {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { quick: { type: 'boolean', default: false }, seed: { type: 'string', default: '1' } },
  });
  const seed = Number(values.seed);
  if (values.seed === '' || !Number.isSafeInteger(seed) || seed < 0) {
    throw new Error(`bench: --seed: found ${JSON.stringify(values.seed)}; expected a whole number from 0.`);
  }
  const unknown = positionals.find((name) => !GROUP_NAMES.some((one) => one === name));
  if (unknown !== undefined) {
    throw new Error(`bench: found the group ${JSON.stringify(unknown)}; expected some of ${GROUP_NAMES.join(', ')}.`);
  }
  const isAsked = (name: GroupName) =>
    positionals.length === 0 ? planOf(name).isLong !== true : positionals.includes(name);
  return { groups: GROUP_NAMES.filter(isAsked), isQuick: values.quick, seed };
}
