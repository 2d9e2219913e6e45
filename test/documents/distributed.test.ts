/** docs/distributed.md names the flags that there are. */
import { expect, test } from 'vitest';
import { commandsFor, INERT_CONTEXT } from '../../src/cli/commands.js';
import { textOf } from './documents.js';

const text = textOf('docs/distributed.md');

test('every flag is one of run or worker', async () => {
  const commands = await Promise.all(['run', 'worker'].map((name) => commandsFor([name], INERT_CONTEXT)));
  const known = new Set(commands.flat().flatMap(({ options }) => options.map(({ long }) => long)));
  const named = [...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([flag]) => flag);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((flag) => !known.has(flag))).toEqual([]);
});

test.each(['run', 'worker'])('every row of the flags of %s is one of its flags, with its default', async (name) => {
  const command = (await commandsFor([name], INERT_CONTEXT)).find((one) => one.name() === name);
  const rows = [...text.matchAll(/^\| `(--\S+)[^`]*` \| (both|run|worker) \|([^|]*)\|/gm)];
  expect(rows).toHaveLength(8);
  for (const [, flag, of, byDefault = ''] of rows) {
    if (of !== 'both' && of !== name) continue;
    const option = command?.options.find(({ long }) => long === flag);
    expect(option?.long).toBe(flag);
    if (option?.defaultValue !== undefined)
      expect(byDefault.trim()).toMatch(new RegExp(`^\`?${option.defaultValue}\`?$`));
  }
});
