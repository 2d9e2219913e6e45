/** The help of every command fits a terminal, and every option is declared once with all that follows from it. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { allCommands, INERT_CONTEXT } from '../../../src/cli/commands.js';
import { shownDefault } from '../../../src/cli/options/help.js';
import { type DeclaredOption, OPTION_GROUPS } from '../../../src/cli/options/option.js';
import { loadedAtStart } from '../../helpers/loaded-at-start.js';
import { ended, run } from '../typed.js';

const commands = await allCommands(INERT_CONTEXT);
const names = commands.map((command) => command.name());
const optionsOf = (name: string) => commands.find((command) => command.name() === name)?.options as DeclaredOption[];

describe('data-import-sdk --help', () => {
  test('lists the five commands that a newcomer needs first, then the others', async () => {
    expect(await run('--help')).toMatchObject(
      ended(
        0,
        `Start here:
  init           Start a migration project from a CSV export.
  check          Find errors in an input, without the service.
  run            Import the records of an input, or resume the run.
  status         Show the state of a run, running or not.
  retry          Send the records of a file with corrections, and no others.

Before a run:
  sample         Write sample records as JSON Lines, some of them invalid.
  profile        Show what is in an input, field by field.
  plan           Count what run would send, and estimate the time.
  columns        List the columns of a query and of its sources.
  doctor         Check address, token, suppliers, team, disk and clock.
`,
      ),
    );
  });

  test('loads commander and no other package, and no code of a command', { tags: 'long' }, async () => {
    const loaded = await loadedAtStart('src/cli/program.ts');
    expect(loaded.packages).toEqual(['commander']);
    expect(loaded.files.filter((file) => file.startsWith('src/cli/commands/'))).toEqual([]);
    expect(loaded.files).toContain('src/cli/commands.ts');
  });

  test('names every command on one line of at most 80 columns', async () => {
    const lines = (await run('--help')).out.split('\n');
    for (const name of [...names, 'help']) {
      expect(lines.filter((line) => line.startsWith(`  ${name.padEnd(15)}`))).toHaveLength(1);
    }
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });
});

test('the code of no command loads the HTTP client of Node.js, which reserves memory', async () => {
  const own = Object.getOwnPropertyDescriptor(globalThis, 'Response') ?? {};
  onTestFinished(() => void Object.defineProperty(globalThis, 'Response', own));
  const read = vi.fn();
  Object.defineProperty(globalThis, 'Response', { configurable: true, get: read });
  vi.resetModules();
  const again = await import('../../../src/cli/commands.js');
  expect(await again.allCommands(INERT_CONTEXT)).toHaveLength(names.length);
  expect(read).not.toHaveBeenCalled();
});

test.each([['help', 'chekc'], ['chekc', '--help'], ['chekc']])(
  '%s %s: an unknown command is an error, with the most similar one',
  async (...words) => {
    const { code, err } = await run(...words.filter(Boolean));
    expect(err).toMatch(/^error: unknown command 'chekc'\n\(Did you mean check\?\)\n/);
    expect(code).toBe(2);
  },
);

test.each([
  [
    'report x',
    "too many arguments for 'report'. Expected 0 arguments but got 1. Give the run folder with --run <folder>.",
    'report [options]',
  ],
  ['sandbox x', "too many arguments for 'sandbox'. Expected 0 arguments but got 1.", 'sandbox [options]'],
  ['check', "missing required argument 'input'", 'check [options] <input...>'],
  [
    'run a.jsonl --rps x',
    "option '--rps <number>' argument 'x' is invalid. Expected a number above 0 in digits, such as 20 or 0.5.",
    'run [options] <input...>',
  ],
])('%s: the error shows how the command is typed', async (typed, error, usage) => {
  const { code, err } = await run(...typed.split(' '));
  const [name] = usage.split(' ');
  expect(err).toBe(
    `error: ${error}\nUsage: data-import-sdk ${usage}\n(data-import-sdk ${name} --help lists the options)\n`,
  );
  expect(code).toBe(2);
});

describe.each(names)('data-import-sdk %s --help', (name) => {
  test('is also printed by help and the name', async () => {
    const { out } = await run(name, '--help');
    expect(out).toContain(`data-import-sdk ${name}`);
    expect((await run('help', name)).out).toBe(out);
  });

  test('begins with what the command does and with examples of it', async () => {
    const [what, examples = ''] = (await run(name, '--help')).out.split('\n\n');
    expect(what).toMatch(/^[A-Z].*\.$/);
    expect(examples).toMatch(new RegExp(`^Examples:\n[\\s\\S]*data-import-sdk ${name}\\b`));
  });

  test('has no line of more than 80 columns', async () => {
    expect((await run(name, '--help')).out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  test('has one line for each option, with its default', async () => {
    const lines = (await run(name, '--help')).out.split('\n');
    for (const option of optionsOf(name)) {
      if (option.spec.isRare && name !== 'doctor') continue;
      const line = lines.find((text) => text.startsWith(`  ${option.flags} `));
      expect(line?.slice(`  ${option.flags}`.length).trim()).toBe(
        option.description + (shownDefault(option) === '' ? '' : ` (default: ${shownDefault(option)})`),
      );
    }
  });

  test('names the rare options, which only doctor explains', async () => {
    const { out } = await run(name, '--help');
    const rare = optionsOf(name).filter(({ spec }) => spec.isRare);
    const named = /^Rare options, which data-import-sdk doctor --help explains: ([^.]+)\.$/m.exec(out)?.[1];
    const expected = name === 'doctor' || rare.length === 0 ? undefined : rare.map(({ long }) => long).join(', ');
    expect(named?.replaceAll('\n', ' ')).toBe(expected);
  });

  test('has the headings of the groups in their order', async () => {
    const headings = [...(await run(name, '--help')).out.matchAll(/^(\w+):$/gm)].map(([, heading = '']) => heading);
    const groups = headings.filter((heading) => OPTION_GROUPS.some((group) => group === heading));
    expect(groups).toEqual(OPTION_GROUPS.filter((group) => groups.includes(group)));
    expect(headings).not.toContain('Options');
  });
});

test('run explains at most 45 options', async () => {
  expect((await run('run', '--help')).out.match(/^ {2}(?:-\w, )?--/gm)?.length).toBeLessThanOrEqual(46);
});

test('the line of an option shows its default and no environment variable', async () => {
  const { out } = await run('run', '--help');
  expect(out).toContain(`Speed:
  --concurrency <number>           calls at once, retries included (default: 32)
  --process-concurrency <range>    least and most process calls (default: 1-32)
  --rps <number>                   most requests per second (default: no limit)
`);
  expect(out).not.toContain('DATA_IMPORT_CONCURRENCY');
  expect(out).toContain(
    'Every long option can also be set by an environment variable (--base-url:\nDATA_IMPORT_BASE_URL)',
  );
});

test('the variable of an option is its name in capitals, unless it is only a flag', () => {
  const variables = Object.fromEntries(optionsOf('resolve').map((option) => [option.attributeName(), option.envVar]));
  expect(variables).toMatchObject({
    baseUrl: 'DATA_IMPORT_BASE_URL',
    inFlightGrace: 'DATA_IMPORT_IN_FLIGHT_GRACE',
    json: 'DATA_IMPORT_JSON',
  });
  expect([variables['account'], variables['step'], variables['config']]).toEqual([undefined, undefined, undefined]);
});
