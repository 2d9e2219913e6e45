/** `data-import-sdk certify`: runs a migration script of any language under disturbances, and says what it lost, repeated or kept silent. */
import { spawn } from 'node:child_process';
import { extname } from 'node:path';
import { type CertifyResult, certify, type ExecutionResult } from '../../certify/certify.js';
import { CannotStartError, type Script, type ScriptContext, type ScriptEnd } from '../../certify/execute.js';
import { certifyPage } from '../../certify/page.js';
import { findingsText, junitXml, verdictText } from '../../certify/text.js';
import { parseJson, whyNotJson } from '../../validation/parse-json.js';
import type { ImportRecord } from '../../validation/records/import-record.js';
import { defineCommand } from '../options/command.js';
import { type OptionTable, type OptionValues, PREFIX } from '../options/option.js';
import { jsonOptions } from '../options/output-options.js';
import { retryRecordOptions } from '../options/record-options.js';
import { atLeastOne, readNamed, repeated, seconds, wholeNumber, writeNamed } from '../options/values.js';
import { HAS_GROUPS, killGroup } from '../shared/command-group.js';
import { shellWord } from '../shared/command-text.js';
import { UsageError } from '../shared/errors.js';
import { EXIT } from '../shared/exit-codes.js';
import { listenForInterruption } from '../shared/interruption.js';

const options = {
  input: {
    flags: '--input <path>',
    group: 'Input',
    help: 'records as JSON Lines',
    details: 'The script finds the path in DATA_IMPORT_INPUT. Some dozens of records are enough.',
    shownDefault: '12 invented accounts',
  },
  supplier: {
    flags: '--supplier <code>',
    group: 'Records',
    help: 'import supplier',
    default: 'SANDBOX_SUPPLIER',
  },
  team: { ...retryRecordOptions.team, help: 'operations team', shownDefault: 'SANDBOX_TEAM' },
  only: {
    flags: '--only <id>',
    group: 'Safety',
    help: 'try this disturbance; repeat for more',
    details:
      'The id of a finding, such as answer-lost:accounts.process:3, or a kind, such as answer-lost; undisturbed tries none.',
    parse: repeated,
    isFlagOnly: true,
  },
  seed: {
    flags: '--seed <number>',
    group: 'Safety',
    help: 'another seed disturbs other requests',
    parse: wholeNumber,
    default: 1,
    isFlagOnly: true,
  },
  time: {
    flags: '--time <seconds>',
    group: 'Speed',
    help: 'start no execution after this time',
    parse: seconds,
    default: 300,
    isFlagOnly: true,
  },
  atOnce: {
    flags: '--at-once <number>',
    group: 'Speed',
    help: 'executions at the same time',
    parse: atLeastOne,
    default: 8,
    isFlagOnly: true,
  },
  report: {
    flags: '--report <path>',
    group: 'Output',
    help: 'write a page (.html) or JUnit XML (.xml)',
    details: 'The ending of the name decides. Repeat it for both.',
    parse: repeated,
    isFlagOnly: true,
  },
  json: { ...jsonOptions.json, help: 'print the result as one line of JSON' },
} as const satisfies OptionTable;

type Flags = OptionValues<typeof options>;

export const command = defineCommand({
  operands: [['<command...>', 'command that starts the script, after --']],
  options,
  async action(words, flags, context) {
    const { out, err, exit, program } = context;
    const input = flags.input === undefined ? undefined : await readRecords(flags.input);
    const script = words.map((word) => shellWord(word)).join(' ');
    const command = (id: string) => `${program} certify --only ${id}${optionsText(flags)} -- ${script}`;
    const forms: Readonly<Record<string, (result: CertifyResult) => string>> = {
      '.html': (result) => certifyPage(result, script, command),
      '.xml': junitXml,
    };
    const reports = (flags.report ?? []).map((path) => ({ path, form: forms[extname(path).toLowerCase()] }));
    for (const { path, form } of reports) {
      if (form === undefined) throw new UsageError(`--report: ${path} must end with .html or .xml.`);
      // Before the first execution, so that a result of minutes is not lost, and no earlier result is taken for this one.
      await writeNamed(path, '--report', '');
    }
    const interruption = listenForInterruption(context);
    let count = 0;
    const onExecution = ({ id, broken, hasHappened }: ExecutionResult) => {
      const verdict =
        broken.length > 0 ? broken.map(({ rule }) => rule).join(', ') : hasHappened ? 'passed' : 'did not happen';
      err(`${++count}  ${id}  ${verdict}\n`);
    };
    const { supplier, team, only, seed, atOnce, time } = flags;
    const running = certify({
      run: commandScript(words),
      ...{ input, supplier, team, only, seed, onExecution },
      ...{ concurrency: atOnce, timeMs: Math.round(time * 1000), signal: interruption.signal },
    });
    let result: CertifyResult;
    try {
      result = await running.catch(asUsage);
      interruption.signal.throwIfAborted();
    } finally {
      interruption.close();
    }
    for (const { path, form } of reports) await writeNamed(path, '--report', form?.(result) ?? '');
    out(flags.json ? `${JSON.stringify(result)}\n` : findingsText(result, command) + verdictText(result));
    exit(result.isPassed ? EXIT.ok : EXIT.mismatch);
  },
});

/** An error of the options or of the script is one of the user. */
function asUsage(error: unknown): never {
  if (!(error instanceof TypeError || error instanceof CannotStartError)) throw error;
  throw new UsageError(error.message.replace(/^certify: /, ''), { cause: error });
}

/** The options that shape an execution. */
function optionsText({ input, supplier, team }: Flags): string {
  const given = {
    '--input': input,
    '--supplier': supplier === options.supplier.default ? undefined : supplier,
    '--team': team,
  };
  return Object.entries(given)
    .flatMap(([flag, value]) => (value === undefined ? [] : ` ${flag} ${shellWord(value)}`))
    .join('');
}

async function readRecords(path: string): Promise<ImportRecord[]> {
  const text = (await readNamed(path, `--input: ${path}`, 'records as JSON Lines')).toString();
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const place = `--input: ${path}, line ${index + 1}`;
    try {
      const record = parseJson(line) as ImportRecord;
      if (['account', 'business', 'populate'].some((kind) => Object.hasOwn(Object(record), kind))) return record;
    } catch (error) {
      throw new UsageError(`${place} ${whyNotJson(error as SyntaxError)}; expected a record.`, { cause: error });
    }
    throw new UsageError(`${place} has no record; expected an object with account, business or populate.`);
  });
}

/** Characters of the output that are kept, from its end. */
const OUTPUT_LIMIT = 1_000_000;

/** Returns the variables of a script. They are those that the commands of this package read. */
function variablesOf(context: ScriptContext): Record<string, string> {
  return {
    DATA_IMPORT_BASE_URL: context.baseUrl,
    DATA_IMPORT_TOKEN: context.token,
    DATA_IMPORT_TEAM: context.team,
    DATA_IMPORT_SUPPLIER: context.supplier,
    DATA_IMPORT_INPUT: context.input,
    DATA_IMPORT_RUN: context.folder,
    DATA_IMPORT_IN_FLIGHT_GRACE: String(context.inFlightGraceMs / 1000),
    DATA_IMPORT_TIMEOUT: String(context.timeoutMs / 1000),
  };
}

/** A script that is a command of any language. Rejects with a `CannotStartError` if the program does not exist. A kill ends also what the command has started. */
function commandScript([program = '', ...args]: readonly string[]): Script {
  return (context) =>
    new Promise<ScriptEnd>((resolve, reject) => {
      // Without the settings of the user's own migration: no start may reach the real service, or its ledger.
      const others = Object.entries(process.env).filter(([name]) => !name.startsWith(PREFIX));
      const env = { ...Object.fromEntries(others), ...variablesOf(context) };
      const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: HAS_GROUPS });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          output = (output + text).slice(-OUTPUT_LIMIT);
        });
      }
      const onAbort = () => killGroup(child);
      if (context.signal.aborted) onAbort();
      context.signal.addEventListener('abort', onAbort, { once: true });
      const leave = () => context.signal.removeEventListener('abort', onAbort);
      child.once('error', ({ message }) => {
        leave();
        reject(
          new CannotStartError(`${program} cannot be started (${message}). Give the command as you type it, after --.`),
        );
      });
      child.once('close', (exitCode) => {
        leave();
        resolve({ exitCode, output });
      });
    });
}
