/** The question before the first record goes to a service on another machine. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { mayBeginFirstRun } from '../../../src/cli/session/questions.js';
import { inputFromRecords } from '../../../src/migration/input/records-input.js';
import { createMemoryLedger } from '../../../src/migration/ledger/memory.js';
import { record } from '../../migration/ledger/records.js';
import { account, openFolder, openService, run, runIn, valueIn } from '../typed.js';

const { at, inputFile } = openFolder();

const INPUT = [
  {
    business: {
      import_supplier_code: 'NORTH',
      external_business_identifier: 'B-1',
      business: { company_name: 'Boulangerie Arbois' },
    },
  },
  {
    ...account('A-1', { import_supplier: 'NORTH' }),
    notes: [{ body: 'Prefers letters.' }, { body: 'Moved.' }],
    statements: [{ statement_id: 'S-1' }],
    payment_instruction: { vendor: 'V', reference: 'R', type: 'CARD' },
  },
  { ...account('A-2', { import_supplier: 'SOUTH' }), transactions: [{ transaction_id: 'T-1' }] },
  { statement: 1 },
];

const TEXT = `The first run into https://import.example.com/eu:
  import suppliers  NORTH (2 records), SOUTH (1 record)
  team              EAST
  records           1 business, 2 accounts; 1 line has no record
  items             1 payment instruction, 1 statement, 1 transaction, 2 notes
`;

/** What is said and asked, and whether the run may begin. `answer`: at a terminal. */
async function begin({ answer, ...first }: Partial<Parameters<typeof mayBeginFirstRun>[0]> & { answer?: string } = {}) {
  const said: string[] = [];
  const asked: string[] = [];
  const ask = async (question: string, options?: { before?: string }) => {
    asked.push(question);
    // A terminal that does not show standard error needs what the question is about.
    expect(options?.before).toBe(said.at(-1));
    return answer ?? '';
  };
  let now = 0;
  const isAccepting = await mayBeginFirstRun(
    {
      ...{
        target: 'https://import.example.com/eu',
        team: 'EAST',
        input: inputFromRecords(INPUT),
        ledger: createMemoryLedger(),
      },
      ...{ canary: undefined, isAgreed: false, signal: new AbortController().signal, ...first },
    },
    { err: (text) => void said.push(text), ask: answer === undefined ? undefined : ask },
    () => {
      now += 700;
      return now;
    },
  );
  return { isAccepting, said: said.join(''), asked };
}

describe('the first run into a service on another machine', () => {
  test.each([
    ['y', true],
    ['Yes', true],
    [' yes ', true],
    ['', false],
    ['n', false],
    ['yesterday', false],
  ])('asks once at a terminal, with everything that matters; the answer "%s"', async (answer, isAccepting) => {
    const found = await begin({ answer, input: inputFromRecords(INPUT) });
    expect(found).toEqual({ isAccepting, said: expect.stringContaining(TEXT), asked: ['Send them? [y/N] '] });
  });

  test('prints the same without a terminal, and asks no question', async () => {
    expect(await begin()).toEqual({ isAccepting: true, said: expect.stringContaining(TEXT), asked: [] });
  });

  test('reports that it is a canary', async () => {
    expect((await begin({ canary: 100, answer: 'n' })).said).toContain(
      '  now               the first 100 lines (--canary)\n',
    );
  });

  test('reports that it counts the input if that takes long', async () => {
    const { said } = await begin({ answer: 'y' });
    expect(said).toBe(`Counting the input: 3 lines so far. --yes skips this.\n${TEXT}`);
  });

  test('names five suppliers, and how many more there are', async () => {
    const input = inputFromRecords([1, 2, 3, 4, 5, 6, 7].map((n) => account(`A-${n}`, { import_supplier: `S${n}` })));
    expect((await begin({ input })).said).toContain(
      '  import suppliers  S1 (1 record), S2 (1 record), S3 (1 record), S4 (1 record), S5 (1 record) and 2 more\n',
    );
  });

  test.each<[string, Parameters<typeof begin>[0]]>([
    ['with --yes', { isAgreed: true }],
    ['into a sandbox', { target: 'sandbox' }],
    ['into this machine', { target: 'http://127.0.0.1:4010' }],
    ['into this machine, by another name', { target: 'https://localhost/eu' }],
    ['into this machine, by its IPv6 address', { target: 'http://[::1]:4010' }],
  ])('%s nothing is counted, printed or asked', async (_, first) => {
    expect(await begin({ answer: 'n', ...first })).toEqual({ isAccepting: true, said: '', asked: [] });
  });

  test('is not asked if the ledger has a record', async () => {
    const ledger = createMemoryLedger();
    await ledger.write(record('A-1'));
    expect(await begin({ answer: 'n', ledger })).toEqual({ isAccepting: true, said: '', asked: [] });
  });
});

describe('data-import-sdk run', () => {
  const remote = ['--base-url', 'https://import.example.com', '--team', 'EAST'];

  test('that is answered with no sends nothing and ends with code 7, and its folder has no target yet', async () => {
    const sandbox = await openService();
    const path = inputFile('declined.jsonl', account('A-1'));
    const asked: string[] = [];
    const ask = async (question: string) => {
      asked.push(question);
      return 'n';
    };
    const args = ['run', path, '--run', at('declined')];
    const { code, out, err } = await runIn({ ask }, ...args, ...remote);
    expect({ code, out, asked }).toEqual({ code: 7, out: '', asked: ['Send them? [y/N] '] });
    expect(err).toBe(`The first run into https://import.example.com:
  import suppliers  SANDBOX_SUPPLIER (1 record)
  team              EAST
  records           0 businesses, 1 account
  items             0 payment instructions, 0 statements, 0 transactions, 0 notes
Nothing was sent. To begin: data-import-sdk run ${path} --run ${at('declined')} --base-url https://import.example.com --team EAST
`);
    expect(existsSync(at('declined/run.json'))).toBe(false);
    // The address was a mistake: the right one may be given.
    expect(await runIn({ ask }, ...args)).toMatchObject({ code: 0 });
    expect(sandbox.requests().length).toBeGreaterThan(0);
    expect(asked).toHaveLength(1);
  });

  test('knows --yes and DATA_IMPORT_YES, and leaves them out of the report', async () => {
    await openService();
    vi.stubEnv('DATA_IMPORT_YES', 'true');
    onTestFinished(() => void vi.unstubAllEnvs());
    const path = inputFile('agreed.jsonl', account('A-1'));
    expect(await run('run', path, '--yes', '--run', at('agreed'))).toMatchObject({ code: 0 });
    expect(valueIn(at('agreed/run.json')).configuration).not.toHaveProperty('yes');
  });

  test('retry asks before the first record as well, and knows --yes', async () => {
    await openService();
    const asked: string[] = [];
    const ask = async (question: string) => {
      asked.push(question);
      return '';
    };
    // Its one line has no number, so that the ledger has no record yet.
    const path = inputFile('retried.jsonl', { account: { import_supplier: 'SANDBOX_SUPPLIER' } });
    const folder = at('retried');
    expect(await run('run', path, '--run', folder)).toMatchObject({ code: 3 });
    const set = readFileSync(`${folder}/rejected.jsonl`, 'utf8');
    const corrected = at('corrected.jsonl');
    writeFileSync(corrected, `${JSON.stringify({ ...JSON.parse(set), original: account('A-1') })}\n`);
    const elsewhere = [
      '--base-url',
      'https://import.example.com',
      '--retarget',
      process.env['DATA_IMPORT_BASE_URL'] ?? '',
    ];
    expect(await runIn({ ask }, 'retry', corrected, '--run', folder, ...elsewhere)).toMatchObject({ code: 7 });
    expect(asked).toEqual(['Send them? [y/N] ']);
    expect(await runIn({ ask }, 'retry', corrected, '--run', folder, '--yes')).toMatchObject({ code: 0 });
    expect(valueIn(`${folder}/run.json`).configuration).not.toHaveProperty('yes');
  });
});
