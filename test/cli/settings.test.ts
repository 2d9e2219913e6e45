/** Settings that no flag gives: from the environment, and from the config file. */
import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { applyConfigFile, applyEnvironment, setting, withConfigFile } from '../../src/cli/settings.js';
import { openFolder, run } from './typed.js';

const { at } = openFolder();

/** What a command with this flag, this variable and this config file is told. */
async function told(words: string[], env: Record<string, string>, config: object = {}) {
  vi.unstubAllEnvs();
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  writeFileSync(at('config.json'), JSON.stringify(config));
  const command = withConfigFile(new Command('x').addOption(setting('--resend-after-500', 'again')));
  command.action(() => {});
  await command.parseAsync([...words, '--config', at('config.json')], { from: 'user' });
  applyEnvironment(command);
  await applyConfigFile(command, async () => new Set());
  return command.opts<{ resendAfter500?: boolean }>().resendAfter500 ?? false;
}

describe('a variable of a flag without a value', () => {
  test.each([
    ['true', true],
    ['1', true],
    ['yes', true],
    ['TRUE', true],
    ['false', false],
    ['0', false],
    ['no', false],
    ['', false],
  ])('%j is %j', async (value, expected) => {
    expect(await told([], { DATA_IMPORT_RESEND_AFTER500: value })).toBe(expected);
  });

  test('the flag counts more than it, and it counts more than the config file; empty, it is not given', async () => {
    expect(await told(['--resend-after-500'], { DATA_IMPORT_RESEND_AFTER500: 'false' })).toBe(true);
    expect(await told([], { DATA_IMPORT_RESEND_AFTER500: 'false' }, { resendAfter500: true })).toBe(false);
    expect(await told([], { DATA_IMPORT_RESEND_AFTER500: '' }, { resendAfter500: true })).toBe(true);
  });

  test('anything else ends in one line that names it, and code 2', async () => {
    vi.stubEnv('DATA_IMPORT_SANDBOX', 'off');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await run('verify')).toEqual({
      code: 2,
      out: '',
      err: 'data-import: DATA_IMPORT_SANDBOX: expected true or false (or 1, 0, yes, no; empty: not given).\n',
    });
  });

  test('DATA_IMPORT_SANDBOX=false does not rehearse', async () => {
    vi.stubEnv('DATA_IMPORT_SANDBOX', 'false');
    vi.stubEnv('DATA_IMPORT_BASE_URL', undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await run('call', 'imports.all', 'S')).toMatchObject({
      code: 2,
      err: expect.stringContaining('no service: give --base-url'),
    });
  });
});
