/** docs/sandbox.md names every setting, with what it settles and its default. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SANDBOX_SETTINGS } from '../../src/sandbox/index.js';

const reference = readFileSync(new URL('../../docs/sandbox.md', import.meta.url), 'utf8');

/** As the table writes a value: strings in quotes, lists with a space after each comma. */
const written = (value: unknown) => JSON.stringify(value).replaceAll('"', "'").replaceAll(',', ', ');

test.each(SANDBOX_SETTINGS.map((setting) => [setting.name, setting] as const))(
  'the reference has the setting %s, what it settles and its default',
  (name, setting) => {
    const row = reference.split('\n').find((line) => line.startsWith(`| \`${name}\` |`));
    expect(row).toBeDefined();
    const [, , settles, byDefault] = (row ?? '').split('|').map((cell) => cell.trim());
    expect(settles?.split(/[ :]/)[0]).toBe(setting.settles);
    expect(byDefault).toContain(`\`${written(setting.default)}\``);
  },
);
