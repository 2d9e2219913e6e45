/** docs/distributed.md names the flags that there are. */
import { expect, test } from 'vitest';
import { commandsFor, INERT_CONTEXT } from '../../src/cli/commands.js';
import { textOf } from './documents.js';

const text = textOf('docs/distributed.md');

test('every flag is one of run or worker', async () => {
  const commands = await Promise.all(['run', 'worker'].map((name) => commandsFor([name], INERT_CONTEXT)));
  const known = new Set(commands.flat().flatMap(({ options }) => options.map(({ long }) => long)));
  const named = [...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([flag]) => flag);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((flag) => !known.has(flag))).toEqual([]);
});
