/**
 * A user who corrects, renumbers, removes, repeats and changes lines between commands, at a service that refuses, fails and
 * loses answers, and in which others create accounts of the input. Then the service is well, the user runs the command that is printed
 * after "Next", and must come to an end: code 0 within three steps, every account of the input created once, and each of its notes and
 * statements there once.
 */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import pLimit from 'p-limit';
import { expect, test, vi } from 'vitest';
import { runProgram } from '../../src/cli/program.js';
import { PATIENCE } from '../helpers/patience.js';
import { seed } from '../helpers/seed.js';
import { type Fault, type ServiceRequest, startImportService } from './import-service.js';

const SUPPLIER = 'SANDBOX_SUPPLIER';
const ACCOUNTS = 4;
/** Numbers that a user may have mistaken: the one that is meant has none. */
const MISTAKEN = '-x';

const CHANGES = [
  'nothing',
  'spoil',
  'correct',
  'renumber',
  'remove',
  'putBack',
  'repeat',
  'change',
  'addNote',
] as const;
const TROUBLES = [
  'none',
  'refuseStage',
  'refuseNotes',
  'refuseProcess',
  'fail',
  'loseProcess',
  'loseNotes',
  'loseStatements',
  'down',
  'existsBefore',
] as const;
const COMMANDS = ['run', 'run', 'run', 'runFirst', 'runSecond', 'canary', 'retryRejected', 'retryIncomplete'] as const;
/** Of the two files of the input. */
type Given = 'run' | 'runFirst' | 'runSecond';
const isRun = (command: (typeof COMMANDS)[number]): command is Given => command.startsWith('run');

const session = fc.record({
  changes: fc.array(fc.record({ what: fc.constantFrom(...CHANGES), at: fc.nat(ACCOUNTS - 1) }), { maxLength: 3 }),
  trouble: fc.constantFrom(...TROUBLES),
  at: fc.nat(ACCOUNTS - 1),
  command: fc.constantFrom(...COMMANDS),
});
type Session = typeof session extends fc.Arbitrary<infer Value> ? Value : never;

interface Line {
  number: string;
  isSpoilt: boolean;
  isThere: boolean;
  times: number;
  email: string;
  notes: number;
}

/** Exit codes of sessions that read their input to its end, except with `--canary`: ok, rejected, unknown, unfinished. */
const READ_TO_END: ReadonlySet<number> = new Set([0, 3, 4, 9]);

const MOST_STEPS = 3;

const REPEATED_LATER = 'may still be running on the service';

/** Number of walks at once: most of a walk is waiting. */
const AT_ONCE = 16;

/** Declares the test with `count` walks. `states`: texts that at least one of them prints. */
export function testWalks(count: number, states: readonly string[]): void {
  const timeoutMs = Math.max(600_000, count * 2400);
  test(
    'following the printed next commands ends within three steps',
    async () => {
      vi.stubEnv('DATA_IMPORT_TOKEN', 'token');
      // A service that is down halts the run at once, and not after a minute.
      vi.stubEnv('DATA_IMPORT_HALT', 'outage=0');
      vi.spyOn(process.stderr, 'write').mockReturnValue(true);
      const walks = fc.sample(fc.array(session, { minLength: 1, maxLength: 4 }), { seed, numRuns: count });
      const limit = pLimit(AT_ONCE);
      const logs = await Promise.all(walks.map((sessions) => limit(() => walk(sessions))));
      vi.unstubAllEnvs();
      const printed = new Set(logs.join('\n').match(/(?<=^Next \(\d+ )[^)]+/gm));
      expect([...printed]).toEqual(expect.arrayContaining([...states]));
    },
    timeoutMs,
  );
}

/** Gives all that was printed. */
async function walk(sessions: readonly Session[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'walk-'));
  let fault: (request: ServiceRequest) => Fault | undefined = () => undefined;
  const service = await startImportService({ fault: (request) => fault(request) });
  /** Each has half of the lines. */
  const inputs = [join(folder, 'first.jsonl'), join(folder, 'second.jsonl')] as const;
  /** Numbers of the lines that a run has read, of inputs that it read to their end. */
  const read = new Set<string>();
  const run = join(folder, 'run');
  const lines: Line[] = Array.from({ length: ACCOUNTS }, (_, index) => ({
    number: `A-${index}`,
    isSpoilt: false,
    isThere: true,
    times: 1,
    // Accounts that differ in nothing but their numbers would be one account under several numbers.
    email: `a-${index}@example.com`,
    notes: 1,
  }));
  /** The lines as the accounts were created from them, or as they were when the run found the account. */
  const sent = new Map<string, Line>();
  const elsewhere = new Set<string>();
  const log: string[] = [];

  const type = async (command: string) => {
    const out: string[] = [];
    const args = command.split(' ').slice(1);
    const code = await runProgram(args, {
      out: (text) => void out.push(text),
      err: (text) => void log.push(text),
      ask: undefined,
    });
    const text = out.join('');
    log.push(`$ ${command}`, text, `code ${code}`);
    if (args[0] === 'run' && !args.includes('--canary') && READ_TO_END.has(code)) {
      for (const at of [0, 1] as const) {
        if (args.includes(inputs[at])) for (const { number, isThere } of half(at)) if (isThere) read.add(number);
      }
    }
    for (const line of lines) {
      const isIn = elsewhere.has(line.number)
        ? isListed(line.number, `${run}/ok.csv`)
        : service.accounts.has(`${SUPPLIER}/${line.number}`);
      if (isIn && !sent.has(line.number)) sent.set(line.number, { ...line });
    }
    return { code, text };
  };
  /** Repeats a command that names the time after which it is to be repeated. */
  const typeWhenQuiet = (command: string) =>
    vi.waitFor(async () => {
      const typed = await type(command);
      expect(typed.code === 2 ? log.at(-4) : '').not.toContain(REPEATED_LATER);
      return typed;
    }, PATIENCE);
  const half = (at: 0 | 1) => lines.slice((at * ACCOUNTS) / 2, ((at + 1) * ACCOUNTS) / 2);
  const save = () => {
    for (const at of [0, 1] as const) {
      writeFileSync(inputs[at], [textOf(`K-${at}`, {}, 0), ...half(at).flatMap(textsOf)].join(''));
    }
  };
  const give = (command: Given) => type(COMMAND_LINES[command](inputs, run, flags));
  const flags = `--run ${run} --base-url ${service.url} --team NORTH --timeout 0.3 --in-flight-grace 0 --max-retries 1`;

  try {
    for (const [index, { changes, trouble, at, command }] of sessions.entries()) {
      for (const { what, at: place } of changes) change(lines[place] as Line, what, sent);
      save();
      fault = faultOf(trouble, `A-${at}`);
      // Later, the account may be taken for the effect of a request without an answer.
      if (index === 0 && trouble === 'existsBefore' && service.createElsewhere(`${SUPPLIER}/A-${at}`))
        elsewhere.add(`A-${at}`);
      const chosen = isRun(command) || existsSync(run) ? command : 'run';
      // What is retried is the line as it was set aside, whatever the input has now.
      if (chosen.startsWith('retry') && lines.some((line) => differsFromFile(line, run))) continue;
      if (isRun(chosen)) await give(chosen);
      else await type(COMMAND_LINES[chosen](inputs, run, flags));
    }
    fault = () => undefined;
    for (const line of lines) putRight(line, sent);
    save();
    const last = sessions.at(-1)?.command ?? 'run';
    const lastRun = isRun(last) ? last : 'run';
    let { code, text } = await give(lastRun);
    for (let step = 0; code !== 0 && step < MOST_STEPS; step++) {
      // A user who removed a line on purpose resolves its record first; a record that the service has needs its line.
      if (step > 0 && text.includes('unfinished, without a line in the input')) {
        for (const line of lines) line.isThere = true;
        for (const line of lines) putRight(line, sent);
        save();
      }
      for (const next of text.split('\n').filter((one) => /^Next( \(|:)/.test(one))) {
        // The walk corrects the input.
        if (/^Next \(\d+ rejected\)/.test(next)) continue;
        const command = /(data-import-sdk (?:forget|retry|resolve) .*)$/.exec(next)?.[1];
        if (command === undefined) continue;
        const { text: listed } = await typeWhenQuiet(command);
        // The user looks at the service. A busy machine loses answers too.
        for (const [, number = ''] of listed.matchAll(/^ +account +(\S+).* statements\./gm)) {
          const isDone = service.accounts.get(`${SUPPLIER}/${number}`)?.statements.includes(`S-${number}`) === true;
          const as = isDone ? 'done' : 'not-done';
          // It prints a command for each input of the run.
          text += (await typeWhenQuiet(`${command} --account ${number} --step statements --as ${as}`)).text;
        }
      }
      const again = [...text.matchAll(/^(?:To run again|Next): (data-import-sdk (?:run|retry) .*)$/gm)].map(
        ([, one]) => one,
      );
      const more = ['--retry-rejected', '--add-to-existing', '--add-all-to-existing'].filter((flag) =>
        text.includes(flag),
      );
      for (const one of again.length > 0 ? again : [COMMAND_LINES[lastRun](inputs, run, flags)]) {
        ({ code, text } = await type([one, ...more].join(' ')));
      }
    }
    expect(code, `${JSON.stringify(sessions)}\n${log.join('\n')}`).toBe(0);
    const there = lines.filter((line) => line.isThere && read.has(line.number));
    for (const line of there) {
      const account = service.accounts.get(`${SUPPLIER}/${line.number}`);
      const notes = Array.from({ length: line.notes }, (_, index) => `Note ${index}`);
      const found = [line.number, account?.numbers.length, account?.notes, account?.statements];
      expect(found, log.join('\n')).toEqual([line.number, 1, notes, [`S-${line.number}`]]);
    }
    return log.join('\n');
  } finally {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Inputs = readonly [first: string, second: string];

const COMMAND_LINES = {
  run: ([first, second]: Inputs, _: string, flags: string) => `data-import-sdk run ${first} ${second} ${flags}`,
  runFirst: ([first]: Inputs, _: string, flags: string) => `data-import-sdk run ${first} ${flags}`,
  runSecond: ([, second]: Inputs, _: string, flags: string) => `data-import-sdk run ${second} ${flags}`,
  canary: ([first, second]: Inputs, _: string, flags: string) =>
    `data-import-sdk run ${first} ${second} ${flags} --canary 2`,
  retryRejected: (_: Inputs, run: string, flags: string) => `data-import-sdk retry ${run}/rejected.jsonl ${flags}`,
  retryIncomplete: (_: Inputs, run: string, flags: string) => `data-import-sdk retry ${run}/incomplete.jsonl ${flags}`,
};

function textsOf(line: Line): string[] {
  if (!line.isThere) return [];
  const { number, isSpoilt, email, notes } = line;
  const customer = { email, ...(isSpoilt && { landline: '12' }) };
  return Array.from({ length: line.times }, (_, index) =>
    textOf(number, { customers: [customer], ...(index > 0 && { sales_channel: 'OTHER' }) }, notes),
  );
}

function textOf(number: string, more: object, notes: number): string {
  const record = {
    account: { import_supplier: SUPPLIER, external_account_number: number, ...more },
    notes: Array.from({ length: notes }, (_, index) => ({ body: `Note ${index}` })),
    statements: number.startsWith('A-') ? [{ statement_id: `S-${number}`, gross_amount: 1 }] : [],
  };
  return `${JSON.stringify(record)}\n`;
}

function isListed(number: string, path: string): boolean {
  return existsSync(path) && readFileSync(path, 'utf8').includes(`\r\n${number};`);
}

const withoutMistake = (number: string) => number.replace(MISTAKEN, '');

function differsFromFile(line: Line, run: string): boolean {
  const [own = ''] = textsOf(line);
  return ['rejected', 'incomplete'].some((name) => {
    const text = existsSync(`${run}/${name}.jsonl`) ? readFileSync(`${run}/${name}.jsonl`, 'utf8') : '';
    const entries = text.split('\n').filter((one) => one !== '');
    // The file may have the line under its former number.
    const entry = entries
      .map((one) => JSON.parse(one))
      .find(({ number }) => withoutMistake(number) === withoutMistake(line.number));
    return entry !== undefined && entry.original !== own.trim();
  });
}

function change(line: Line, what: (typeof CHANGES)[number], sent: ReadonlyMap<string, Line>): void {
  const isSent = sent.has(line.number);
  if (what === 'spoil') line.isSpoilt = true;
  if (what === 'correct') line.isSpoilt = false;
  // A number that the service has is no mistake any more.
  if (what === 'renumber' && !isSent)
    line.number = line.number.endsWith(MISTAKEN) ? line.number.slice(0, 3) : `${line.number}${MISTAKEN}`;
  if (what === 'remove') line.isThere = false;
  if (what === 'putBack') line.isThere = true;
  if (what === 'repeat') line.times = 2;
  if (what === 'change') line.email = line.email.replace('a-', 'b-');
  if (what === 'addNote') line.notes = 2;
}

/** What the rows ask for: valid, once, and of what exists as it was sent. */
function putRight(line: Line, sent: ReadonlyMap<string, Line>): void {
  const asSent = sent.get(line.number);
  if (asSent !== undefined) Object.assign(line, asSent, { isThere: true });
  line.isSpoilt = asSent?.isSpoilt ?? false;
  line.times = 1;
}

function faultOf(trouble: (typeof TROUBLES)[number], number: string): (request: ServiceRequest) => Fault | undefined {
  let times = 0;
  const isOf = ({ path, body }: ServiceRequest, end: string) =>
    path.endsWith(end) && body['external_account_number'] === number && body['dry_run'] !== true;
  const refused = (attr: string): Fault => ({
    status: 400,
    body: { code: 'validation_failed', detail: 'Refused.', errors: [{ code: 'invalid', detail: 'Refused.', attr }] },
  });
  switch (trouble) {
    case 'none':
    case 'existsBefore':
      return () => undefined;
    case 'refuseStage':
      return (request) => (isOf(request, 'create-or-update/') ? refused('customers.0.email') : undefined);
    case 'refuseProcess':
      return (request) => (isOf(request, 'process/process/') ? refused('external_account_number') : undefined);
    case 'refuseNotes':
      return (request) => (isOf(request, 'notes/create/') ? refused('notes.0.body') : undefined);
    case 'fail':
      return ({ path }) => (path.endsWith('process/process/') ? { status: 500, body: {} } : undefined);
    case 'loseProcess':
      return (request) => (isOf(request, 'process/process/') && times++ === 0 ? 'reset' : undefined);
    case 'loseNotes':
      return (request) => (isOf(request, 'notes/create/') && times++ === 0 ? 'reset' : undefined);
    case 'loseStatements':
      return (request) => (isOf(request, 'historical-statements/create/') && times++ === 0 ? 'reset' : undefined);
    case 'down':
      return () => ({ status: 503, body: {} });
  }
}
