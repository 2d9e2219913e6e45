/** `data-import-sdk retry` and `resolve`, as typed: from what a run left behind to a run that lacks nothing. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../../src/sandbox/index.js';
import { newFolder } from '../../helpers/folder.js';
import { account, ended, line, openService, refused, resolveWhenQuiet, run, valueIn, valuesIn } from '../typed.js';

/** A service, an empty folder to stand in, and the command line. */
async function surroundings(options: SandboxOptions = {}) {
  const folder = newFolder('cli-retry-');
  const sandbox = await openService(options);
  const at = (name: string) => join(folder, name);
  const type = (command: string, ...args: string[]) => run(command, ...args, '--run', at('run'));
  const inputFile = (name: string, ...texts: string[]) => {
    writeFileSync(at(name), texts.join(''));
    return at(name);
  };
  const entries = (name: string): Record<string, unknown>[] => valuesIn(at(`run/${name}`));
  return { sandbox, at, type, inputFile, entries };
}

const importedOf = ({ state }: Sandbox, number: string) =>
  state.suppliers[0]?.accounts.find((one) => one.external_account_number === number)?.imported;
const TEAM = ['--team', 'SANDBOX_TEAM'];

const lacking = (reference: string) => ({ ...account('A-1'), payment_instruction: { vendor: 'V', reference } });
const INPUT = [
  line(lacking('sbx-vendor-persistent')),
  line(account('A-2', { customers: [{ landline: 'x' }] })),
  line(account('A-3')),
  '{"account":\n',
];

describe('data-import-sdk retry', () => {
  test('a corrected line that is rejected too stays until it is corrected: run does not send the unchanged line of the input', async () => {
    const { type, inputFile, entries, sandbox } = await surroundings();
    const of = (landline: string, more = {}) => line(account('A-1', { customers: [{ landline }], ...more }));
    const input = inputFile('input.jsonl', of('x'), line(account('A-2')));
    expect(await type('run', input, ...TEAM)).toMatchObject({ code: 3 });
    const corrected = inputFile('corrected.jsonl', of('y', { billing_postcode: '69003' }));
    expect(await type('retry', corrected, ...TEAM)).toMatchObject({ code: 3 });
    const again = await type('run', input, ...TEAM);
    expect(again).toMatchObject(ended(3, '1 created + 0 already imported + 1 rejected + 0 skipped + 0 unknown = 2\n'));
    expect(again.out).toContain(
      '1 line was corrected with retry and not sent again (input.jsonl:1): its corrected line counts instead. The input may stay as it is, unless it was rejected, too.',
    );
    const left = of('y', { billing_postcode: '69003' }).trim();
    expect(entries('rejected.jsonl')).toMatchObject([{ number: 'A-1', line: 1, original: left }]);
    inputFile('input.jsonl', of('+441632960001'), line(account('A-2')));
    expect(await type('run', input, ...TEAM)).toMatchObject(ended(0, 'correction_replaced'));
    expect(sandbox.state.suppliers[0]?.accounts.map(({ data }) => data['billing_postcode'])).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('plain records: refused items are sent, all others are ignored, and the balance still counts all', {
    tags: 'long',
  }, async () => {
    const { sandbox, type, inputFile, entries, at } = await surroundings();
    await type('run', inputFile('input.jsonl', ...INPUT), ...TEAM);
    expect(entries('incomplete.jsonl')).toMatchObject([
      { number: 'A-1', line: 1, errors: [{ step: 'paymentInstruction' }], original: INPUT[0]?.trim() },
    ]);
    const corrected = inputFile(
      'corrected.jsonl',
      line(lacking('R-1')),
      line(account('A-2')),
      line(account('A-3')),
      line(account('A-9')),
    );
    const { code, out } = await type('retry', corrected, ...TEAM);
    expect(out.split('\n').slice(1, 4)).toEqual([
      'Ignored 1 line (corrected.jsonl:3): the record is created and complete.',
      `Ignored 1 line (corrected.jsonl:4): the run has no such record. Correct an entry without a number inside ${at('run/rejected.jsonl')} (\`original\`), and give that file to retry. Send new records, and rows of a CSV file that had no record, with data-import-sdk run.`,
      // The line that holds no record is still none.
      '3 created + 0 already imported + 1 rejected + 0 skipped + 0 unknown = 4',
    ]);
    expect(code).toBe(3);
    expect(importedOf(sandbox, 'A-1')?.payment_instructions).toMatchObject([{ reference: 'R-1' }]);
    expect(importedOf(sandbox, 'A-9')).toBeUndefined();
    expect(valueIn(at('run/input.json'))).toMatchObject({ accounts: 3 });
    expect(entries('incomplete.jsonl')).toEqual([]);
    expect(entries('rejected.jsonl')).toMatchObject([{ number: null, line: 4, original: '{"account":' }]);
  });

  test('a line with the number of a record that was created from another line: it says that the line was not sent', {
    tags: 'long',
  }, async () => {
    const { sandbox, type, inputFile } = await surroundings();
    await type('run', inputFile('input.jsonl', INPUT[1] ?? '', INPUT[2] ?? ''), ...TEAM);
    const other = inputFile('other.jsonl', line(account('A-3', { customers: [{ family_name: 'Dorval' }] })));
    expect(await type('retry', other, ...TEAM)).toMatchObject(
      ended(
        3,
        'Ignored 1 line (other.jsonl:1): the record with its number was created from a line with other content, and this line was not sent. If it is of another customer, correct its number; an import cannot change what exists.\n',
      ),
    );
    expect(importedOf(sandbox, 'A-2')).toBeUndefined();
  });

  test('rejected.jsonl itself, corrected inside: as text or as the record, also a line without one', {
    tags: 'long',
  }, async () => {
    const { type, inputFile, entries, at } = await surroundings();
    await type('run', inputFile('input.jsonl', ...INPUT), ...TEAM);
    const [second, fourth] = entries('rejected.jsonl');
    writeFileSync(
      at('run/rejected.jsonl'),
      line({ ...second, original: account('A-2') }) + line({ ...fourth, original: JSON.stringify(account('A-4')) }),
    );
    const { out } = await type('retry', at('run/rejected.jsonl'), ...TEAM, '--json');
    expect(JSON.parse(out)).toMatchObject({ created: 4, rejected: 0, input: 4, incomplete: 1, ignoredLines: {} });
    expect(entries('rejected.jsonl')).toEqual([]);
    // Not given, and so not touched.
    expect(entries('incomplete.jsonl')).toMatchObject([{ number: 'A-1', original: INPUT[0]?.trim() }]);
    const again = await type('retry', at('run/incomplete.jsonl'), ...TEAM, '--json');
    expect(JSON.parse(again.out)).toMatchObject({ created: 4, input: 4, incomplete: 1 });
    expect(again.code).toBe(3);
  });

  test('a corrected line that had no readable record is counted once by the next run of the unchanged input', {
    tags: 'long',
  }, async () => {
    const { sandbox, type, inputFile, at, entries } = await surroundings();
    const withoutNumber = { account: { import_supplier: 'SANDBOX_SUPPLIER' } };
    const path = inputFile('input.jsonl', line(account('A-1')), '{"account":\n', line(withoutNumber));
    expect((await type('run', path, ...TEAM)).code).toBe(3);
    const [broken, unnumbered] = entries('rejected.jsonl');
    const corrected = [
      { ...broken, original: account('A-2') },
      { ...unnumbered, original: account('A-3') },
    ];
    writeFileSync(at('corrected.jsonl'), corrected.map(line).join(''));
    const all = '3 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 3';
    expect(await type('retry', at('corrected.jsonl'), ...TEAM)).toMatchObject(ended(0, all));
    const before = sandbox.requests().length;
    for (const more of [[], ['--retry-rejected']]) {
      expect(await type('run', path, ...TEAM, ...more)).toMatchObject(ended(0, all));
    }
    expect(entries('rejected.jsonl')).toEqual([]);
    expect(
      sandbox
        .requests()
        .slice(before)
        .filter(({ operation }) => operation === 'accounts.stage'),
    ).toEqual([]);
  });

  test.each([1, 2])(
    'of two equal lines without a readable record, with %i corrected, the next run counts each line once',
    { tags: 'long' },
    async (count) => {
      const { type, inputFile, at, entries } = await surroundings();
      const path = inputFile('input.jsonl', line(account('A-1')), '{"account":\n', '{"account":\n');
      await type('run', path, ...TEAM);
      const corrected = entries('rejected.jsonl')
        .slice(0, count)
        .map((entry, index) => line({ ...entry, original: account(`A-${index + 2}`) }));
      writeFileSync(at('corrected.jsonl'), corrected.join(''));
      await type('retry', at('corrected.jsonl'), ...TEAM);
      for (const more of [[], ['--retry-rejected']]) {
        const { out } = await type('run', path, ...TEAM, ...more, '--json');
        expect(JSON.parse(out)).toMatchObject({
          ...{ input: 3, created: 1 + count, rejected: 2 - count, skipped: 0 },
          balance: { isBalanced: true },
        });
      }
    },
  );

  test('of two equal contradicting lines, one corrected to a new number, the other still contradicts in the next run', {
    tags: 'long',
  }, async () => {
    const { type, inputFile, at, entries } = await surroundings();
    const contradicting = line(account('A-1', { sales_channel: 'X' }));
    const path = inputFile('input.jsonl', line(account('A-1')), contradicting, contradicting);
    await type('run', path, ...TEAM);
    const [entry] = entries('skipped.jsonl');
    writeFileSync(at('corrected.jsonl'), line({ ...entry, original: account('A-2', { sales_channel: 'X' }) }));
    await type('retry', at('corrected.jsonl'), ...TEAM);
    const { code, out } = await type('run', path, ...TEAM, '--json');
    expect([code, JSON.parse(out)]).toMatchObject([
      3,
      { input: 3, created: 2, skipped: 1, balance: { isBalanced: true } },
    ]);
    expect(entries('skipped.jsonl')).toMatchObject([{ number: 'A-1', errors: [{ code: 'contradicting_record' }] }]);
  });

  test('lines as `jq .original` prints them, in quotation marks, are read as the lines that they quote', async () => {
    const { type, inputFile, entries } = await surroundings();
    await type('run', inputFile('input.jsonl', ...INPUT), ...TEAM);
    const quoted = [JSON.stringify(account('A-2')), '{"account":'].map((text) => line(text));
    const { out } = await type('retry', inputFile('corrected.jsonl', ...quoted), ...TEAM);
    expect(out.split('\n').slice(1, 3)).toEqual([
      'Ignored 1 line (corrected.jsonl:2): the line has no record. Correct the row of a CSV file in that file, and give it to data-import-sdk run; data-import-sdk check shows the errors of other lines.',
      '3 created + 0 already imported + 1 rejected + 0 skipped + 0 unknown = 4',
    ]);
    expect(entries('rejected.jsonl')).toMatchObject([{ number: null, line: 4 }]);
  });

  test('of two equal lines, the corrected one is removed, and the other is still reported', {
    tags: 'long',
  }, async () => {
    const { type, inputFile, entries, at } = await surroundings();
    await type('run', inputFile('input.jsonl', line(account('A-1')), '{"account":\n', '{"account":\n'), ...TEAM);
    const [, third] = entries('rejected.jsonl');
    const corrected = inputFile('corrected.jsonl', line({ ...third, original: account('A-3') }));
    for (const _ of ['once', 'and again']) {
      const { out } = await type('retry', corrected, ...TEAM);
      expect(out).toContain('2 created + 0 already imported + 1 rejected + 0 skipped + 0 unknown = 3\n');
      expect(entries('rejected.jsonl')).toMatchObject([{ line: 2, original: '{"account":' }]);
    }
    // Corrected as the other was, it is one line too many.
    const [second] = entries('rejected.jsonl');
    writeFileSync(at('run/rejected.jsonl'), line({ ...second, original: account('A-3') }));
    const { out } = await type('retry', at('run/rejected.jsonl'), ...TEAM, '--json');
    expect(JSON.parse(out)).toMatchObject({ created: 2, rejected: 1, input: 3 });
    expect(entries('rejected.jsonl')).toMatchObject([{ line: 2 }]);
  });

  test('entries that are corrected in the file and not tried yet stay corrected', async () => {
    const { type, inputFile, entries, at } = await surroundings();
    const wrong = (number: string) => line(account(number, { customers: [{ landline: 'x' }] }));
    await type('run', inputFile('input.jsonl', wrong('A-1'), wrong('A-2')), ...TEAM);
    const [first, second] = entries('rejected.jsonl');
    writeFileSync(at('run/rejected.jsonl'), line({ ...first, original: line(account('A-1')).trim() }) + line(second));
    const other = inputFile('other.jsonl', line(account('A-2')));
    await type('retry', other, ...TEAM);
    expect(entries('rejected.jsonl')).toMatchObject([{ number: 'A-1', original: line(account('A-1')).trim() }]);
  });

  test('a second line of a record, retried unchanged, is still a duplicate', async () => {
    const { type, inputFile, entries, at } = await surroundings();
    await type('run', inputFile('input.jsonl', line(account('A-1')), line(account('A-1'))), ...TEAM);
    const { out } = await type('retry', at('run/skipped.jsonl'), ...TEAM, '--json');
    expect(JSON.parse(out)).toMatchObject({
      created: 1,
      skipped: 1,
      input: 2,
      ignoredLines: { created: { count: 1 } },
    });
    expect(entries('skipped.jsonl')).toMatchObject([
      { number: 'A-1', taken: { line: 1 }, line: 2, original: line(account('A-1')).trim() },
    ]);
  });

  test('a contradicting line that is corrected to a new number becomes a record, and leaves skipped.jsonl', async () => {
    const { type, inputFile, entries, at } = await surroundings();
    await type(
      'run',
      inputFile('input.jsonl', line(account('A-1')), line(account('A-1', { sales_channel: 'X' }))),
      ...TEAM,
    );
    const [second] = entries('skipped.jsonl');
    expect(second).toMatchObject({ number: 'A-1', errors: [{ code: 'contradicting_record' }] });
    writeFileSync(at('run/skipped.jsonl'), line({ ...second, original: account('A-2', { sales_channel: 'X' }) }));
    const { out } = await type('retry', at('run/skipped.jsonl'), ...TEAM, '--json');
    expect(JSON.parse(out)).toMatchObject({ created: 2, skipped: 0, input: 2 });
    expect(entries('skipped.jsonl')).toEqual([]);
  });

  test.each([
    ['a file of corrected lines', (at: (name: string) => string) => at('corrected.jsonl')],
    ['rejected.jsonl', (at: (name: string) => string) => at('run/rejected.jsonl')],
  ])('a record that was created from %s is reported when it leaves the input', { tags: 'long' }, async (_, fileIn) => {
    const { at, type, inputFile, entries } = await surroundings();
    const wrong = line(account('A-2', { customers: [{ landline: 'x' }] }));
    const path = inputFile('input.jsonl', line(account('A-1')), wrong, line(account('A-3')));
    expect((await type('run', path, ...TEAM)).code).toBe(3);
    inputFile('corrected.jsonl', line(account('A-2')));
    const rejected = readFileSync(at('run/rejected.jsonl'), 'utf8');
    writeFileSync(at('run/rejected.jsonl'), rejected.replace('\\"x\\"', '\\"+33612345678\\"'));
    expect((await type('retry', fileIn(at), ...TEAM)).code).toBe(0);
    expect((await type('run', path, ...TEAM)).code).toBe(0);
    inputFile('input.jsonl', line(account('A-1')), line(account('A-3')));
    expect(await type('run', path, ...TEAM)).toMatchObject(
      ended(
        3,
        '1 record exists on the service and is no longer in the input (input.jsonl:2 of an earlier session; see not-in-input.jsonl).\n',
      ),
    );
    expect(entries('not-in-input.jsonl')).toMatchObject([{ source: path, line: 2, number: 'A-2' }]);
    inputFile('input.jsonl', line(account('A-1')), line(account('A-3')), wrong);
    expect((await type('run', path, ...TEAM)).code).toBe(0);
  });

  test('a record of another input of the run, corrected by retry, has not left this one', {
    tags: 'long',
  }, async () => {
    const { type, inputFile } = await surroundings();
    const first = inputFile('first.jsonl', line(account('A-1', { customers: [{ landline: 'x' }] })));
    expect((await type('run', first, ...TEAM)).code).toBe(3);
    expect((await type('retry', inputFile('corrected.jsonl', line(account('A-1'))), ...TEAM)).code).toBe(0);
    const { code, out } = await type('run', inputFile('second.jsonl', line(account('A-2'))), ...TEAM);
    expect([code, out]).toEqual([0, expect.not.stringContaining('no longer in the input')]);
  });

  test('a line with another change is reported as changed, and not sent', { tags: 'long' }, async () => {
    const { sandbox, type, inputFile, entries, at } = await surroundings();
    await type('run', inputFile('input.jsonl', ...INPUT), ...TEAM);
    const before = sandbox.requests().length;
    const other = { ...lacking('R-1'), ...account('A-1', { sales_channel: 'X' }) };
    const { out } = await type('retry', inputFile('corrected.jsonl', line(other)), ...TEAM, '--json');
    expect(JSON.parse(out)).toMatchObject({ changed: { count: 1, samples: ['corrected.jsonl:1'] }, incomplete: 1 });
    expect((await type('retry', at('corrected.jsonl'), ...TEAM)).out.split('\n')).toContain(
      '1 line differs from what exists (corrected.jsonl:1; see changed.jsonl). The differences were not sent: an import cannot change existing records.',
    );
    expect(sandbox.requests()).toHaveLength(before);
    expect(entries('incomplete.jsonl')).toMatchObject([{ number: 'A-1', original: INPUT[0]?.trim() }]);
    const listed = { number: 'A-1', source: at('corrected.jsonl'), line: 1, ofRetry: true };
    expect(entries('changed.jsonl')).toMatchObject([listed]);
    // It is no line of the input, so that the next session does not have it.
    await type('run', at('input.jsonl'), ...TEAM);
    expect(entries('changed.jsonl')).toEqual([]);
  });

  test('a line without a usable number that was corrected is counted when the input is given to run again', async () => {
    const { sandbox, type, inputFile, entries, at } = await surroundings();
    const input = inputFile('input.jsonl', line(account('1,23E+13')), line(account('A-2')), '{"account": \n');
    await type('run', input, ...TEAM);
    const rejected = at('run/rejected.jsonl');
    const corrected = entries('rejected.jsonl').map(({ number, ...entry }) =>
      line({ ...entry, number, original: account(entry['line'] === 1 ? 'A-9' : 'A-8') }),
    );
    writeFileSync(rejected, corrected.join(''));
    expect((await type('retry', rejected, ...TEAM)).code).toBe(0);
    const before = sandbox.requests().length;
    for (const more of [[], ['--add-to-existing'], []]) {
      expect((await type('run', input, ...TEAM, ...more)).out).toContain(
        '2 lines were corrected with retry and not sent again (input.jsonl:1, input.jsonl:3): their corrected lines count instead.',
      );
    }
    expect(sandbox.requests()).toHaveLength(before);
  });

  describe('the input before its lines were corrected, given to run again', () => {
    const SENTENCE =
      '1 line was corrected with retry and not sent again (input.jsonl:2): its corrected line counts instead. The input may stay as it is, unless it was rejected, too.';
    const withNotes = (number: string, ...bodies: string[]) => ({
      ...account(number, { customers: [{ landline: 'x' }] }),
      notes: bodies.map((body) => ({ body })),
    });
    const INPUT = [line(account('A-1')), line(withNotes('A-2', 'one', 'two'))];

    test('is done: code 0, one sentence, no command, and the summary counts the corrected line', {
      tags: 'long',
    }, async () => {
      const { sandbox, type, inputFile, entries, at } = await surroundings();
      await type('run', inputFile('input.jsonl', ...INPUT), ...TEAM);
      const corrected = { ...account('A-2'), notes: [{ body: 'one' }] };
      expect((await type('retry', inputFile('corrected.jsonl', line(corrected)), ...TEAM)).code).toBe(0);
      const before = sandbox.requests().length;
      for (const more of [[], ['--add-to-existing'], ['--retry-rejected'], ['--canary', '2']]) {
        const { code, out } = await type('run', at('input.jsonl'), ...TEAM, ...more);
        expect([more, out.split('\n').slice(1, 4)]).toEqual([
          more,
          ['2 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 2', 'notes: 1 sent = 1', SENTENCE],
        ]);
        if (!more.includes('--canary')) expect(out).not.toMatch(/^(Next|To run again)/m);
        expect(code).toBe(more.includes('--canary') ? 7 : 0);
      }
      expect(sandbox.requests()).toHaveLength(before);
      expect(entries('changed.jsonl')).toEqual([]);
      const { out } = await type('run', at('input.jsonl'), ...TEAM, '--json');
      expect(JSON.parse(out)).toMatchObject({
        corrected: { count: 1, samples: ['input.jsonl:2'] },
        changed: { count: 0 },
      });
      expect(readFileSync(at('run/report.html'), 'utf8')).toContain('Corrected with retry');
    });

    test('also where `original` in rejected.jsonl was corrected, twice, and the line was refused in between', {
      tags: 'long',
    }, async () => {
      const { type, entries, at, inputFile } = await surroundings();
      await type('run', inputFile('input.jsonl', ...INPUT), ...TEAM);
      for (const landline of ['y', '']) {
        const [entry] = entries('rejected.jsonl');
        writeFileSync(
          at('run/rejected.jsonl'),
          line({ ...entry, original: account('A-2', { customers: [{ landline }] }) }),
        );
        await type('retry', at('run/rejected.jsonl'), ...TEAM);
      }
      const { code, out } = await type('run', at('input.jsonl'), ...TEAM);
      expect(out.split('\n')).toContain(SENTENCE);
      expect(code).toBe(0);
    });

    test('a refused item that was corrected is not sent again in its old form', { tags: 'long' }, async () => {
      const { sandbox, type, inputFile, at } = await surroundings();
      await type(
        'run',
        inputFile('input.jsonl', line(account('A-3')), line(lacking('sbx-vendor-persistent'))),
        ...TEAM,
      );
      expect((await type('retry', inputFile('corrected.jsonl', line(lacking('R-1'))), ...TEAM)).code).toBe(0);
      const before = sandbox.requests().length;
      const { code, out } = await type('run', at('input.jsonl'), ...TEAM, '--add-all-to-existing');
      expect(out.split('\n').slice(2, 4)).toEqual(['payment instructions: 1 sent = 1', SENTENCE]);
      expect([code, sandbox.requests().length - before]).toEqual([0, 0]);
    });

    test('a line that was changed once more is reported as changed', async () => {
      const { type, inputFile } = await surroundings();
      await type('run', inputFile('input.jsonl', ...INPUT), ...TEAM);
      await type('retry', inputFile('corrected.jsonl', line(account('A-2'))), ...TEAM);
      const other = inputFile('input.jsonl', line(account('A-1')), line(account('A-2', { sales_channel: 'X' })));
      const { code, out } = await type('run', other, ...TEAM);
      expect(out).toContain('Next (1 changed after they were sent): ');
      expect(out).not.toContain('retry has its corrected line');
      expect(code).toBe(3);
    });
  });

  test('no such file ends in one line and code 2', async () => {
    const { type } = await surroundings();
    const { code, err } = await type('retry', '/none.jsonl', ...TEAM);
    expect(err).toContain('/none.jsonl');
    expect(err.trim().split('\n')).toHaveLength(1);
    expect(code).toBe(2);
  });
});

describe('data-import-sdk resolve', () => {
  const lost = {
    match: { operation: 'historicalStatements.create' },
    when: 'first',
    effect: 'drop',
    phase: 'before',
  } as const;
  const BOTH = ['A-1', 'A-2'].map((number) =>
    line({ ...account(number), statements: [{ statement_id: `S-${number}` }] }),
  );
  const lose = async () => {
    const around = await surroundings({ faults: [{ ...lost, when: 'every', times: 2 }] });
    const path = around.inputFile('input.jsonl', ...BOTH);
    for (const name of ['TIMEOUT', 'IN_FLIGHT_GRACE']) vi.stubEnv(`DATA_IMPORT_${name}`, '0.5');
    expect((await around.type('run', path, ...TEAM)).code).toBe(4);
    const settle = (...words: string[]) => resolveWhenQuiet(...words, '--run', around.at('run'));
    return { ...around, path, settle };
  };

  test('lists unknown outcomes, with their time and how to resolve them; code 4', async () => {
    const { type } = await lose();
    const { code, out } = await type('resolve');
    expect(code).toBe(4);
    expect(out.split('\n')).toEqual([
      expect.stringMatching(/^historical statements: Look at the historical statements /),
      expect.stringMatching(/^ {2}kind {5}number {2}service account {3}items {9}unknown since$/),
      expect.stringMatching(/^ {2}account {2}A-[12] {5}\d{16} {2}statements\.0 {2}20\d\d-\d\d-\d\d [\d:]+ UTC$/),
      expect.stringMatching(/^ {2}account {2}A-[12] {5}\d{16} {2}statements\.0 {2}20\d\d-\d\d-\d\d [\d:]+ UTC$/),
      '2 outcomes are unknown.',
      expect.stringMatching(
        /^Next: find out about each one, and fill in the answer: (npx )?data-import-sdk resolve --run \S+run --account A-[12] --step statements --as '<done\|not-done>'$/,
      ),
      expect.stringMatching(
        /^For many: fill in the column answer of \S+\/unknown\.csv, then: (npx )?data-import-sdk resolve --run \S+run --from \S+\/unknown\.csv$/,
      ),
      expect.stringMatching(
        /^With --as not-done the next run sends it\. With --all in place of --account A-[12] all at that step are resolved\.$/,
      ),
      '',
    ]);
    const { unknown } = JSON.parse((await type('resolve', '--json')).out);
    expect(unknown).toHaveLength(2);
    expect(unknown[0]).toMatchObject({ supplier: 'SANDBOX_SUPPLIER', kind: 'account', step: 'statements' });
  });

  const answers = (path: string, ...of: (readonly [number: string, answer: string])[]) => {
    const [header = '', ...rows] = readFileSync(path, 'utf8').trimEnd().split('\r\n');
    const answered = rows.map((row) => {
      const [, answer = ''] = of.find(([number]) => row.startsWith(`${number};`)) ?? [];
      return row.replace(/;;;(?=x\w+$)/, `;${answer};;`);
    });
    writeFileSync(path, [header, ...answered, ''].join('\r\n'));
  };

  test('the answers of a whole sheet; rows without an answer, and those that are known already, stay as they are', {
    tags: 'long',
  }, async () => {
    const { sandbox, type, settle, path, at } = await lose();
    const sheet = at('run/unknown.csv');
    expect(readFileSync(sheet, 'utf8')).toMatch(
      /^\uFEFFkey;kind;supplier;"service account";step;items;amounts;"what to look up";file;line;"answer \(done or not-done\)";"service id \(if it was created\)";hash\r\nA-1;account;SANDBOX_SUPPLIER;\d{16};statements;statements\.0;;"Look at /,
    );
    expect(await type('resolve', '--from', sheet)).toMatchObject(
      refused('the column answer is empty in every row. Write done or not-done into it.'),
    );
    answers(sheet, ['A-1', 'done']);
    const copy = at('copy.csv');
    writeFileSync(copy, readFileSync(sheet));
    expect(await type('resolve', '--from', sheet)).toMatchObject(
      ended(4, 'Resolved by the operator: account A-1 statements.0 done\n'),
    );
    answers(copy, ['A-1', 'done'], ['A-2', 'Not-Done']);
    expect(await settle('--from', copy)).toMatchObject({
      code: 0,
      err: 'data-import-sdk: 1 row has an outcome that is known already, and left out.\n',
      out: expect.stringContaining('Resolved by the operator: account A-2 statements.0 not done'),
    });
    expect((await type('run', path, ...TEAM)).code).toBe(0);
    expect(importedOf(sandbox, 'A-1')?.statements).toEqual([]);
    expect(importedOf(sandbox, 'A-2')?.statements).toHaveLength(1);
  });

  test('an invalid row of a sheet: one message with its place, and nothing is stored', async () => {
    const { type, at, entries } = await lose();
    const sheet = at('run/unknown.csv');
    answers(sheet, ['A-1', 'done'], ['A-2', 'perhaps']);
    expect(await type('resolve', '--from', sheet)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/unknown\.csv:3: answer: expected done or not-done, found "perhaps"\.\n$/),
    });
    expect(await type('resolve', '--from', sheet, '--all')).toMatchObject(
      refused('--from has the records and their answers'),
    );
    expect(entries('unknown.jsonl')).toHaveLength(2);
  });

  test('one is settled as not done and sent by the same run command; the other as done, and not sent', {
    tags: 'long',
  }, async () => {
    const { sandbox, type, settle, path, entries, at } = await lose();
    expect(await settle('--account', 'A-1', '--step', 'statements', '--as', 'not-done')).toMatchObject(
      ended(4, 'Resolved by the operator: account A-1 statements not done'),
    );
    expect(entries('unknown.jsonl')).toMatchObject([{ number: 'A-2' }]);
    expect(await type('resolve', '--all', '--step', 'statements', '--as', 'done')).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^Resolved by the operator: account A-2 statements done\nNo outcome is unknown\.\nNext: data-import-sdk run \S+input\.jsonl --team SANDBOX_TEAM --run \S+\n$/,
      ),
    });
    expect(readFileSync(at('run/audit.log'), 'utf8')).toMatch(
      /operator resolve: statements not done, by the operator: account …1 \(\S+input.jsonl:1\)\n.* operator resolve: statements done, by the operator: account …2 \(/,
    );
    expect(valueIn(at('run/report.json'))).toMatchObject({
      summary: { unknown: 0, unfinished: 1 },
    });
    expect((await type('status')).out).toMatch(
      /\nNot running\.\nNext: data-import-sdk run \S+input\.jsonl --team SANDBOX_TEAM --run \S+\n$/,
    );
    expect(await type('run', path, ...TEAM)).toMatchObject(ended(0, '2 created'));
    expect(['A-1', 'A-2'].map((number) => importedOf(sandbox, number)?.statements.length)).toEqual([1, 0]);
  });

  test('resolve and status print the same commands as run after "Next", for all remaining records', async () => {
    const { type, at } = await lose();
    writeFileSync(at('input.jsonl'), [...BOTH, line(account('A-3', { customers: [{ landline: 'x' }] }))].join(''));
    const { code, out } = await type('run', at('input.jsonl'), ...TEAM);
    const nextIn = (text: string) => text.split('\n').filter((one) => /^(Next|To run again)/.test(one));
    expect(code).toBe(4);
    expect(nextIn(out).map((one) => one.slice(0, 18))).toEqual([
      'Next (2 unknown): ',
      'Next (1 rejected):',
      'To run again: data',
    ]);
    expect(nextIn((await type('status')).out)).toEqual(nextIn(out));
    const settled = await type('resolve', '--all', '--step', 'statements', '--as', 'done');
    expect(nextIn(settled.out)).toEqual(nextIn(out).slice(1));
    expect(nextIn((await type('status')).out)).toEqual(nextIn(out).slice(1));
    expect(nextIn((await type('resolve')).out)).toEqual(nextIn(out).slice(1));
  });

  test('what names no unknown outcome, or is half a decision, changes nothing, and ends with code 2', async () => {
    const { type } = await lose();
    for (const [args, message] of [
      [['--account', 'A-1', '--step', 'notes', '--as', 'done'], 'unknown are statements'],
      [['--account', 'A-9', '--step', 'notes', '--as', 'done'], 'A-9 is not unknown'],
      [['--account', 'A-1'], 'with --step and --as'],
      [['--all', '--account', 'A-1', '--step', 'notes', '--as', 'done'], 'one of --account'],
      [['--all', '--step', 'note', '--as', 'done'], "'note' is invalid"],
    ] as const) {
      expect(await type('resolve', ...args)).toMatchObject(refused(message));
      expect((await type('resolve')).code).toBe(4);
    }
  });

  describe('a business that was created, with the service id that the operator gave', () => {
    const loseBusiness = async () => {
      const drop = {
        match: { operation: 'businesses.create' },
        when: 'first',
        effect: 'drop',
        phase: 'afterCommit',
      } as const;
      const around = await surroundings({ faults: [drop] });
      const contract = { identifier: 'C-1' };
      const business = {
        import_supplier_code: 'SANDBOX_SUPPLIER',
        external_business_identifier: 'B-1',
        business: { business_contracts: [contract] },
      };
      const path = around.inputFile('input.jsonl', line({ business }));
      expect((await around.type('run', path, ...TEAM)).code).toBe(4);
      return { ...around, path };
    };
    const DONE = ['--business', 'B-1', '--step', 'create', '--as', 'done'];

    test('has it in ok.csv', async () => {
      const { type, at } = await loseBusiness();
      const { out } = await type('resolve');
      expect(out).toContain('--as done, with its --service-id if you have it');
      expect(out).toMatch(
        /^Next: .* --business B-1 --step create --as '<done\|not-done>' \(with done also --service-id and the id, if you have it\)$/m,
      );
      expect(await type('resolve', ...DONE, '--service-id', '4711')).toMatchObject({ code: 0 });
      expect(readFileSync(at('run/ok.csv'), 'utf8').split('\r\n')[1]).toBe(
        'B-1;4711;business;SANDBOX_SUPPLIER;created;;;',
      );
    });

    test('may be given later, also after a run: until then the answer says that ok.csv has none', async () => {
      const { type, at, path } = await loseBusiness();
      const ok = () => readFileSync(at('run/ok.csv'), 'utf8').split('\r\n')[1];
      expect(await type('resolve', ...DONE)).toMatchObject(
        ended(
          0,
          'Resolved by the operator: business B-1 create done. ok.csv has no service id of it: resolve it again with --service-id to add one\n',
        ),
      );
      expect(ok()).toBe('B-1;;business;SANDBOX_SUPPLIER;created;;;');
      expect((await type('run', path, ...TEAM)).code).toBe(0);
      const again = await type('resolve', ...DONE, '--service-id', '4711');
      expect([again.code, again.out]).toEqual([0, expect.not.stringContaining('ok.csv has no service id')]);
      expect(ok()).toBe('B-1;4711;business;SANDBOX_SUPPLIER;created;;;');
    });

    test('an id that is none, or without one business that was created, changes nothing, and ends with code 2', async () => {
      const { type } = await loseBusiness();
      for (const args of [
        ['--business', 'B-1', '--step', 'create', '--as', 'not-done'],
        ['--all', '--step', 'create', '--as', 'done'],
        ['--account', 'A-1', '--step', 'notes', '--as', 'done'],
        [],
      ]) {
        expect(await type('resolve', ...args, '--service-id', '4711')).toMatchObject(
          refused('needs one record that was created'),
        );
        expect((await type('resolve')).code).toBe(4);
      }
      for (const id of ['B-1', '']) {
        expect(await type('resolve', ...DONE, '--service-id', id)).toMatchObject(
          refused(`expected a service_business_id, a whole number, found "${id}"`),
        );
        expect((await type('resolve')).code).toBe(4);
      }
    });
  });

  describe('asks about creations', () => {
    const loseCreations = async (phase: 'before' | 'afterCommit' = 'before') => {
      const drop = {
        match: { operation: 'accounts.process' },
        when: 'every',
        effect: 'drop',
        phase,
      } as const;
      const around = await surroundings({ faults: [drop] });
      // What it cannot ask about either keeps its intent.
      for (const asked of ['A-1', 'A-2']) {
        const match = { operation: 'imports.status', account: asked } as const;
        around.sandbox.faults.add({ match, effect: 'drop', phase: 'before' });
      }
      const path = around.inputFile('input.jsonl', line(account('A-1')), line(account('A-2')));
      // Nothing is repeated or decided while a request may still be running.
      const quiet = ['--timeout', '0.3', '--in-flight-grace', '0'];
      await around.type('run', path, ...TEAM, '--max-retries', '0', '--dry-run', 'none', ...quiet);
      around.sandbox.faults.clear();
      return around;
    };
    const movedTo = (url: string) => ['--base-url', url, '--retarget', process.env['DATA_IMPORT_BASE_URL'] ?? ''];
    const ONE = [
      ...['--account', 'A-1', '--step', 'process', '--as', 'not-done', '--timeout', '0.3', '--in-flight-grace', '0'],
    ];

    test('without a token for that, nothing is resolved', { tags: 'long' }, async () => {
      const { type, at } = await loseCreations();
      vi.stubEnv('DATA_IMPORT_TOKEN', '');
      const before = readFileSync(at('run/audit.log'), 'utf8');
      expect(await type('resolve', ...ONE)).toMatchObject(refused('no token: give'));
      expect(readFileSync(at('run/audit.log'), 'utf8')).toBe(before);
    });

    test('a refused token ends in one line and code 8; decisions of the operator are logged', {
      tags: 'long',
    }, async () => {
      const { type, at } = await loseCreations();
      vi.stubEnv('DATA_IMPORT_TOKEN', 'wrong');
      const { code, out, err } = await type('resolve', ...ONE);
      expect(code).toBe(8);
      expect(err).toMatch(/^data-import-sdk: the service cannot be asked: imports\.status: 401 .*\n$/);
      expect(out).toContain('Resolved by the operator: account A-1 process not done');
      expect(out).toContain('1 outcome is unknown.\n');
      expect(readFileSync(at('run/audit.log'), 'utf8')).toMatch(
        /resolve: process not done, by the operator: account …1/,
      );
    });

    test('the answer of the service has the number', { tags: 'long' }, async () => {
      const { type } = await loseCreations('afterCommit');
      expect(await type('resolve')).toMatchObject(ended(0, 'Resolved by the service: account A-1 process done\n'));
    });

    test('a service that cannot be reached ends in one line with the cause, and code 1', { tags: 'long' }, async () => {
      const { type } = await loseCreations();
      const { code, err } = await type('resolve', ...movedTo('http://127.0.0.1:9'), '--max-retries', '0');
      expect(code).toBe(1);
      expect(err).toMatch(/^data-import-sdk: the service cannot be asked: .*ECONNREFUSED.*\n$/);
    });

    test('if the service does not know them, it says so, and they stay unknown', { tags: 'long' }, async () => {
      const { type } = await loseCreations();
      const other = await createSandbox().listen();
      onTestFinished(() => other.close());
      const { code, err } = await type('resolve', ...movedTo(other.url));
      expect({ code, err }).toEqual({
        code: 4,
        err: 'data-import-sdk: the service answers 404 for 2 accounts that the run staged, such as A-1. Check that --base-url is the address of the run; if it is, ask the operator and resolve them with --as.\n',
      });
    });
  });
});
