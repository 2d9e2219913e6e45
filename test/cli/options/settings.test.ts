/** Options that no flag sets: from the environment and from the config file. */
import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { applyConfigFile, configOptions } from '../../../src/cli/options/config-file.js';
import { applyEnvironment } from '../../../src/cli/options/environment.js';
import { addOptions, type OptionTable } from '../../../src/cli/options/option.js';
import { openFolder, refusal, refused, run } from '../typed.js';

const { at } = openFolder();

const TABLE = {
  ...configOptions,
  resendAfter500: { flags: '--resend-after-500', group: 'Safety', help: 'again' },
  checkPreviouslyAdded: { flags: '--no-check-previously-added', group: 'Safety', help: 'off' },
} as const satisfies OptionTable;

/** The values that a command reads from these words, variables and this config file. */
async function readValues(words: string[], env: Record<string, string>, config: object = {}) {
  vi.unstubAllEnvs();
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  writeFileSync(at('config.json'), JSON.stringify(config));
  const command = addOptions(new Command('x'), TABLE);
  command.action(() => {});
  await command.parseAsync([...words, '--config', at('config.json')], { from: 'user' });
  applyEnvironment(command);
  await applyConfigFile(command, async () => []);
  return command.opts<{ resendAfter500?: boolean; checkPreviouslyAdded: boolean }>();
}

const readValue = async (...given: Parameters<typeof readValues>) =>
  (await readValues(...given)).resendAfter500 ?? false;

describe('the variable of a flag without a value', () => {
  test.each([
    ['true', true],
    ['1', true],
    ['yes', true],
    ['TRUE', true],
    ['false', false],
    ['0', false],
    ['no', false],
    ['', false],
  ])('%j is read as %j', async (value, expected) => {
    expect(await readValue([], { DATA_IMPORT_RESEND_AFTER500: value })).toBe(expected);
  });

  test('is overridden by the flag, overrides the config file, and counts as not given if it is empty', async () => {
    expect(await readValue(['--resend-after-500'], { DATA_IMPORT_RESEND_AFTER500: 'false' })).toBe(true);
    expect(await readValue([], { DATA_IMPORT_RESEND_AFTER500: 'false' }, { resendAfter500: true })).toBe(false);
    expect(await readValue([], { DATA_IMPORT_RESEND_AFTER500: '' }, { resendAfter500: true })).toBe(true);
  });

  test('ends the command with one line and code 2 for any other text', async () => {
    vi.stubEnv('DATA_IMPORT_SANDBOX', 'off');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await run('verify')).toEqual(
      refusal('DATA_IMPORT_SANDBOX: expected true or false (or 1, 0, yes, no; empty: not given).'),
    );
  });

  test('DATA_IMPORT_SANDBOX=false starts no rehearsal', async () => {
    vi.stubEnv('DATA_IMPORT_SANDBOX', 'false');
    vi.stubEnv('DATA_IMPORT_BASE_URL', undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await run('call', 'imports.all', 'S')).toMatchObject(refused('no service: give --base-url'));
  });
});

describe('a flag that begins with --no-', () => {
  const readNegated = async (...given: Parameters<typeof readValues>) =>
    (await readValues(...given)).checkPreviouslyAdded;
  const VARIABLE = 'DATA_IMPORT_CHECK_PREVIOUSLY_ADDED';

  test.each([
    ['true', true],
    ['1', true],
    ['false', false],
    ['no', false],
    ['', true],
  ])('has a variable without the "no", of which %j is read as %j', async (value, expected) => {
    expect(await readNegated([], { [VARIABLE]: value })).toBe(expected);
  });

  test('has a key of the config file without the "no", which the variable overrides', async () => {
    expect(await readNegated([], {}, { checkPreviouslyAdded: false })).toBe(false);
    expect(await readNegated([], {}, { checkPreviouslyAdded: true })).toBe(true);
    expect(await readNegated([], { [VARIABLE]: 'true' }, { checkPreviouslyAdded: false })).toBe(true);
    expect(await readNegated([], { [VARIABLE]: '' }, { checkPreviouslyAdded: false })).toBe(false);
    expect(await readNegated(['--no-check-previously-added'], { [VARIABLE]: 'true' })).toBe(false);
  });
});

describe('a value of the config file', () => {
  const inFile = (config: object) => {
    writeFileSync(at('values.json'), JSON.stringify(config));
    return run('run', at('none.jsonl'), '--config', at('values.json'));
  };

  test.each([
    [{ transactionsAtOnce: 0 }, 'transactionsAtOnce: found 0. Expected a whole number from 1 up.'],
    [{ transactionsAtOnce: 1.5 }, 'transactionsAtOnce: found 1.5. Expected a whole number from 1 up.'],
    [{ concurrency: 0 }, 'concurrency: found 0. Expected a whole number from 1 up.'],
    [{ resendAfter500: 'no' }, 'resendAfter500: found text, expected true or false.'],
    [{ sandbox: 'false' }, 'sandbox: found text, expected true or false.'],
    [{ sandbox: 1 }, 'sandbox: found a number, expected true or false.'],
    [{ color: null }, 'color: found null, expected true or false.'],
    [{ dryRun: true }, 'dryRun: found true, expected text in quotes or a number.'],
    [{ dryRun: 0 }, 'dryRun: found 0. Expected none, first, all, or a whole number n for every nth account.'],
    [{ dryRun: -1 }, 'dryRun: found -1. Expected none, first, all, or a whole number n for every nth account.'],
    [{ canary: -1 }, 'canary: found -1. Expected a whole number.'],
    [{ canary: { a: 1 } }, 'canary: found an object, expected text in quotes or a number.'],
    [{ run: 5 }, 'run: found a number, expected text in quotes.'],
    [{ team: ['a'] }, 'team: found a list, expected text in quotes.'],
    [{ window: 5 }, 'window: found a number, expected text in quotes.'],
    [{ rps: -1 }, 'rps: found -1. Expected a number above 0 in digits, such as 20 or 0.5.'],
  ])('%j ends in one line and code 2', async (config, message) => {
    expect(await inFile(config)).toEqual(refusal(`${at('values.json')}: ${message}`));
  });

  test.each([
    [{ taem: 'EAST' }, 'there is no setting taem; did you mean team?'],
    [
      { noForceCurrentStatement: true },
      'there is no setting noForceCurrentStatement; did you mean forceCurrentStatement? Its value false is --no-force-current-statement.',
    ],
  ])('%j is no setting: the message has the one that may be meant', async (config, message) => {
    expect(await inFile(config)).toEqual(refusal(`${at('values.json')}: ${message}`));
  });

  test.each(['port', 'host', 'preset', 'faults', 'out', 'region'])(
    '%s, an option only of commands that read no config file, is no setting',
    async (name) => {
      expect(await inFile({ [name]: 'x' })).toMatchObject(refused(`there is no setting ${name}; `));
    },
  );

  test('is read as the flag reads it, also if it is a number', async () => {
    expect(
      await inFile({
        ...{ rps: 20, canary: 3, dryRun: 20, transactionsAtOnce: '50', processConcurrency: 8, timeout: 1.5 },
        ...{ sandbox: true, validate: false, color: false, health: 9465 },
      }),
    ).toMatchObject(refused('none.jsonl'));
  });

  test('is ignored if it needs another option that is missing: the file serves other commands too', async () => {
    const { code, err } = await inFile({
      timeZone: 'UTC',
      name: 'x',
      databaseSchema: 'x',
    });
    expect(code).toBe(2);
    expect(err).toContain('none.jsonl');
    expect(err).not.toContain('has no effect');
  });

  test('false leaves out a flag', async () => {
    expect(await readValue([], {}, { resendAfter500: false })).toBe(false);
    expect(await readValue([], {}, { resendAfter500: true })).toBe(true);
  });
});

test.each(['--concurrency', '--requests-at-once', '--transactions-at-once'])('%s 0 is rejected', async (flag) => {
  const { code, err } = await run('run', at('none.jsonl'), flag, '0');
  expect(code).toBe(2);
  expect(err).toMatch(new RegExp(`^error: option '${flag} <number>' .* Expected a whole number from 1 up\\.`));
});

describe('a DATA_IMPORT_ variable that no command knows', () => {
  const runWith = async (env: Record<string, string>, ...words: string[]) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    return run(...words);
  };

  test.each([
    ['DATA_IMPORT_BASEURL', 'did you mean DATA_IMPORT_BASE_URL?'],
    ['DATA_IMPORT_TOKKEN', 'did you mean DATA_IMPORT_TOKEN?'],
    ['DATA_IMPORT_APIKEY', 'did you mean DATA_IMPORT_API_KEY?'],
    ['DATA_IMPORT_PROCES_CONCURRENCY', 'did you mean DATA_IMPORT_PROCESS_CONCURRENCY?'],
    ['DATA_IMPORT_RESEND_AFTER_500', 'did you mean DATA_IMPORT_RESEND_AFTER500?'],
    [
      'DATA_IMPORT_NO_CHECK_PREVIOUSLY_ADDED',
      'did you mean DATA_IMPORT_CHECK_PREVIOUSLY_ADDED? Its value false is --no-check-previously-added.',
    ],
    ['DATA_IMPORT_COLOUR_OF_THE_TEAM', 'data-import-sdk <command> --help lists them.'],
  ])('%s ends with code 2 and one line, without its value', async (name, advice) => {
    expect(await runWith({ [name]: 'hunter2' }, 'check', at('none.jsonl'))).toEqual(
      refusal(`${name}: no command has this setting; ${advice}`),
    );
  });

  test.each([
    ['sample'],
    ['check', 'none.jsonl'],
    ['plan', 'none.jsonl'],
    ['run', 'none.jsonl'],
    ['retry', 'none.jsonl'],
    ['worker', '--database', 'postgres://x/y'],
    ['report'],
    ['verify'],
    ['resolve'],
    ['status'],
    ['pause'],
    ['call', 'imports.all', 'S'],
    ['sandbox'],
  ])('ends data-import-sdk %s', async (...words) => {
    expect(await runWith({ DATA_IMPORT_TAEM: 'EAST' }, ...words)).toMatchObject(
      refused('did you mean DATA_IMPORT_TEAM?'),
    );
  });

  test('settings of other commands, the token and the API key are accepted', async () => {
    const env = {
      DATA_IMPORT_SEED: '1',
      DATA_IMPORT_TOKEN: 't',
      DATA_IMPORT_API_KEY: 'k',
      DATA_IMPORT_HALT: 'fail=2%',
    };
    expect((await runWith(env, 'check', at('none.jsonl'))).err).toContain('none.jsonl: there is no such file');
  });

  test('variables that Kubernetes sets for a Service named data-import are accepted in a pod', async () => {
    const env = {
      DATA_IMPORT_SERVICE_HOST: '10.0.0.1',
      DATA_IMPORT_SERVICE_PORT_HTTP: '80',
      DATA_IMPORT_PORT: 'tcp://10.0.0.1:80',
      DATA_IMPORT_SANDBOX_PORT_80_TCP_ADDR: '10.0.0.1',
    };
    expect((await runWith(env, 'check', at('none.jsonl'))).err).toContain('no command has this setting');
    const inPod = { ...env, KUBERNETES_SERVICE_HOST: '10.0.0.2' };
    expect((await runWith(inPod, 'check', at('none.jsonl'))).err).toContain('there is no such file');
  });
});

test.each([
  [['--process-concurrency', '3'], 'process-concurrency'],
  [['--rps=20'], 'rps'],
])('set %j, as an option of run, is answered with the form of a setting', async (args, name) => {
  expect(await run('set', ...args)).toMatchObject(
    refused(`error: unknown option '--${name}'. Give a setting as name=value: ${name}=<number>\n`),
  );
});

test.each([
  [
    '--token=secret-4711',
    "'--token'. Give the token by DATA_IMPORT_TOKEN or --token-file, and other secrets by environment variables",
  ],
  ['--passphrase=secret-4711', "'--passphrase'"],
  ['--sandbx', "'--sandbx'\n(Did you mean --sandbox?)"],
])('the value of an unknown option is not printed: %s', async (flag, expected) => {
  const { code, err } = await run('run', 'input.jsonl', flag);
  expect(code).toBe(2);
  expect(err).toContain(`error: unknown option ${expected}\n`);
  expect(err).not.toContain('4711');
});
