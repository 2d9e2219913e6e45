/**
 * Exports `certify`, which runs a migration script of any kind against the sandbox again and again, each time with another disturbance,
 * and judges from the state of the service whether something was lost, created twice or kept silent.
 */

import { Callbacks } from '../callbacks.js';
import { SANDBOX_SUPPLIER, SANDBOX_TEAM } from '../sandbox/settings/sandbox-options.js';
import { checkOptionKinds, type OptionKinds } from '../validation/option-kinds.js';
import type { ImportRecord } from '../validation/records/import-record.js';
import { DISTURBANCES, type Disturbance, disturbanceById, planDisturbances } from './disturbances.js';
import {
  CannotStartError,
  type Execution,
  type ExecutionOptions,
  execute,
  MOST_SLOWNESS,
  type Script,
  slownessOf,
  wasTooSlow,
} from './execute.js';
import { type Picture, pictureOfInput, pictureOfState } from './picture.js';
import { type BrokenRule, type Expected, judge, RULES, type RuleName, recordOf, shownOutput } from './rules.js';

/** Options of `certify`. */
export interface CertifyOptions {
  /**
   * The script. It sends the records of `input` to `baseUrl`, stores what it has to know after a restart in `folder`, and resolves if all is
   * done. It rejects, or resolves with an `exitCode` other than 0, if something is left. It must stop when `signal` aborts.
   */
  run: Script;
  /**
   * The records that the script is given as JSON Lines; up to some dozens are enough.
   * @default 12 invented accounts and 3 businesses
   */
  input?: readonly ImportRecord[] | undefined;
  /**
   * The rules that are checked.
   * @default all
   */
  rules?: readonly RuleName[] | undefined;
  /**
   * Ids of the disturbances that are tried, such as `answer-lost:accounts.process:3`, or their kinds, such as `answer-lost`;
   * `undisturbed` adds none: the first execution always happens.
   * @default all
   */
  only?: readonly string[] | undefined;
  /**
   * No further execution starts after this time, in milliseconds.
   * @default 300000
   */
  timeMs?: number | undefined;
  /**
   * Chooses which request of an operation is disturbed; a whole number.
   * @default 1
   */
  seed?: number | undefined;
  /**
   * Executions at the same time; a script waits most of its time.
   * @default 8
   */
  concurrency?: number | undefined;
  /**
   * Name of the operations team.
   * @default 'SANDBOX_TEAM'
   */
  team?: string | undefined;
  /**
   * Import supplier code of the invented input, and of a script that has its own input.
   * @default 'SANDBOX_SUPPLIER'
   */
  supplier?: string | undefined;
  /** Ends the running executions; the result has those that ended before. */
  signal?: AbortSignal | undefined;
  /** Called after each execution. */
  onExecution?: ((execution: ExecutionResult) => void) | undefined;
}

/** A request of a finding. */
export interface FindingRequest {
  /** Time since the start, in milliseconds. */
  ms: number;
  /** Name of the operation; null for an unknown path. */
  operation: string | null;
  /** Such as `account A-1`. */
  record: string;
  /** Status of the answer; null if the connection broke. */
  status: number | null;
  /** Change of the state, such as `staged → imported`; null for none. */
  change: string | null;
  /** Whether it was disturbed. */
  isDisturbed: boolean;
}

/** One execution of the script. */
export interface ExecutionResult {
  /** Id of the disturbance; `undisturbed` for the first execution. */
  id: string;
  /** What happened, in one sentence. */
  disturbance: string;
  /** Whether the disturbance happened: a script may send fewer requests than at first. */
  hasHappened: boolean;
  /** In milliseconds. */
  durationMs: number;
  /** Empty: the script passed. */
  broken: readonly BrokenRule[];
  /** Requests before and after the disturbance, for a broken rule. */
  requests: readonly FindingRequest[];
  /** The starts of the script: exit code (null: killed) and the last line of the output, without token and personal data. */
  starts: readonly { exitCode: number | null; output: string }[];
}

/** Result of `certify`. */
export interface CertifyResult {
  /** Whether no rule was broken, and at least one disturbance happened, if one was asked for. */
  isPassed: boolean;
  /** All executions, the undisturbed one first. */
  executions: readonly ExecutionResult[];
  /** Those in which a rule was broken. */
  findings: readonly ExecutionResult[];
  /** The checked rules, with the number of executions that broke each. */
  rules: readonly { rule: RuleName; title: string; broken: number }[];
  /** Ids of the disturbances that were not tried, because the time was over. */
  notTried: readonly string[];
  /**
   * Whether the script read the input. Otherwise the first execution, without a disturbance, is the measure of the others, and what it
   * imports is compared with nothing.
   */
  isInputRead: boolean;
  /** The seed. */
  seed: number;
}

/** Id of the first execution. */
const UNDISTURBED = 'undisturbed';
const DEFAULTS = { timeMs: 300_000, seed: 1, concurrency: 8, team: SANDBOX_TEAM, supplier: SANDBOX_SUPPLIER };
const ACCOUNTS = 12;
const KINDS: OptionKinds<CertifyOptions> = {
  run: 'function',
  input: 'list?',
  rules: 'list?',
  only: 'list?',
  timeMs: 'any?',
  seed: 'any?',
  concurrency: 'any?',
  team: 'name?',
  supplier: 'name?',
  signal: 'signal?',
  onExecution: 'function?',
};

/**
 * Runs a script once without a disturbance, and then once for each disturbance: it is killed at a request, an answer is lost, the service
 * refuses, fails, is busy or slow, the token ends, the input has an invalid record or one twice. A script that was killed, or that ends
 * with another exit code than 0, is started again. What the service has in the end is compared: of the first execution with the input, if
 * the script reads it, of the others with the first execution. A rule is reported
 * as broken if the same disturbance breaks it twice.
 *
 * Rejects with a `TypeError` for invalid options, and with an error if the script cannot be started, sends nothing to the sandbox,
 * or imports nothing.
 *
 * @example
 * const { findings } = await certify({ run: ({ baseUrl, token, input }) => importFile(baseUrl, token, input) });
 * for (const { id, broken } of findings) console.log(id, broken);
 */
export async function certify(options: CertifyOptions): Promise<CertifyResult> {
  const rulesToCheck = checkOptions(options);
  const given = { ...DEFAULTS, ...definedOf(options), rules: rulesToCheck };
  const endsAt = performance.now() + given.timeMs;
  const records = options.input ?? (await inventedInput(given.supplier));
  await expectRecords(records);
  const executionOptions: ExecutionOptions = {
    script: options.run,
    records,
    suppliers: suppliersOf(records, given.supplier),
    team: given.team,
    slowness: 1,
    signal: options.signal ?? new AbortController().signal,
  };
  const results: ExecutionResult[] = [];
  const callbacks = new Callbacks();
  const onExecution = callbacks.watched(options.onExecution);
  const finish = (execution: Execution, expected: Expected, broken = judge(execution, expected, given.rules)) => {
    const result = resultOf(execution, expected, broken);
    results.push(result);
    onExecution?.(result);
    return result;
  };

  const first = await execute(undefined, executionOptions);
  const imported = pictureOfState(first.state);
  const ofInput = pictureOfInput(records);
  expectImports(first, imported);
  const isInputRead = [...ofInput.keys()].some((key) => imported.has(key));
  const expected = { picture: imported, state: first.state };
  const calm = finish(first, isInputRead ? { ...expected, picture: ofInput } : expected);
  const accounts = records.flatMap((record) => ('account' in record ? record.account.external_account_number : []));
  const numbers = isInputRead ? accounts : [];
  const due = choose(given.only, first, numbers, given.seed);
  const left = calm.broken.some(({ rule }) => rule !== 'no-secrets') ? [] : due;
  // A secret that is in the output of every execution is one finding.
  const rules = given.rules.filter((rule) => rule !== 'no-secrets' || calm.broken.length === 0);

  let slowness = slownessOf(first);
  /** Executes the script until the machine was fast enough: each time with longer times. `times`: how many times as long as `slowness` says. */
  const executeInTime = async (disturbance: Disturbance, times: number) => {
    for (;;) {
      const used = slowness * times;
      const execution = await execute(disturbance, { ...executionOptions, slowness: used });
      if (!wasTooSlow(execution, used) || slowness >= MOST_SLOWNESS) return execution;
      slowness = Math.max(slowness, Math.min(MOST_SLOWNESS, 2 * used));
    }
  };
  /** Returns the execution with its broken rules. Those that the same disturbance does not break again came from the machine. */
  const disturbed = async (disturbance: Disturbance) => {
    const execution = await executeInTime(disturbance, 1);
    const broken = judge(execution, expected, rules);
    if (broken.length === 0) return { execution, broken };
    const again = await executeInTime(disturbance, 2);
    const isBroken = ({ rule }: BrokenRule) => broken.some((one) => one.rule === rule);
    return { execution: again, broken: judge(again, expected, rules).filter(isBroken) };
  };

  const queue = [...left];
  const work = async () => {
    for (;;) {
      if (performance.now() >= endsAt || executionOptions.signal.aborted || callbacks.hasFailed()) return;
      const disturbance = queue.shift();
      if (disturbance === undefined) return;
      const { execution, broken } = await disturbed(disturbance);
      if (executionOptions.signal.aborted) return;
      expectRequests(execution);
      finish(execution, expected, broken);
    }
  };
  await Promise.all(Array.from({ length: given.concurrency }, work));
  await callbacks.settled();
  const order = [UNDISTURBED, ...due.map(({ id }) => id)];
  results.sort((one, other) => order.indexOf(one.id) - order.indexOf(other.id));
  const findings = results.filter(({ broken }) => broken.length > 0);
  const { only = [] } = options;
  const isCalmOnly = only.length > 0 && only.every((id) => id === UNDISTURBED);
  return {
    isPassed:
      findings.length === 0 && (isCalmOnly || results.some(({ id, hasHappened }) => id !== UNDISTURBED && hasHappened)),
    executions: results,
    findings,
    rules: given.rules.map((rule) => ({
      rule,
      title: RULES[rule].title,
      broken: findings.filter(({ broken }) => broken.some((one) => one.rule === rule)).length,
    })),
    notTried: queue.map(({ id }) => id),
    isInputRead,
    seed: given.seed,
  };
}

function definedOf<Given extends object>(options: Given): { [Key in keyof Given]: Exclude<Given[Key], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
}

/** Returns the rules. Throws a TypeError for an invalid option. */
function checkOptions(options: CertifyOptions): readonly RuleName[] {
  checkOptionKinds('certify', options, KINDS);
  const { rules = Object.keys(RULES) as RuleName[], only = [] } = options;
  for (const rule of rules) {
    if (!Object.hasOwn(RULES, rule)) {
      throw new TypeError(`certify: no rule is called ${String(rule)}. There are: ${Object.keys(RULES).join(', ')}.`);
    }
  }
  for (const id of only) {
    if (id !== UNDISTURBED && !Object.hasOwn(DISTURBANCES, String(id).split(':')[0] ?? '')) {
      const names = [UNDISTURBED, ...Object.keys(DISTURBANCES)];
      throw new TypeError(`certify: no disturbance is called ${String(id)}. There are: ${names.join(', ')}.`);
    }
  }
  const numbers = { timeMs: 1, concurrency: 1, seed: 0 } as const;
  for (const [name, least] of Object.entries(numbers) as [keyof typeof numbers, number][]) {
    const value = options[name] ?? least;
    if (!Number.isSafeInteger(value) || value < least) {
      throw new TypeError(`certify: ${name} must be a whole number from ${least}, found ${String(value)}.`);
    }
  }
  return rules;
}

/** Throws a TypeError for an entry that is no record. The message quotes no value of it. */
async function expectRecords(records: readonly ImportRecord[]): Promise<void> {
  // Loaded on demand: the sandbox needs no input.
  const { recordItem } = await import('../migration/input/text/parse-record.js');
  for (const [index, record] of records.entries()) {
    const read = recordItem('input', index + 1, record).read();
    if ('problem' in read) throw new TypeError(`certify: input.${index}: ${read.problem.detail}`);
  }
}

async function inventedInput(supplier: string): Promise<ImportRecord[]> {
  // Loaded on demand: the sandbox needs no sample.
  const { sampleRecords } = await import('../migration/operations/sample/sample.js');
  return [...sampleRecords({ accounts: ACCOUNTS, mistakes: 0, supplier })].map(({ line }) => {
    const record = JSON.parse(line) as ImportRecord;
    // A script may set the datetime of a note that has none, and set another one when it sends the note again.
    if ('account' in record) delete record.notes?.[0]?.created_at;
    return record;
  });
}

function suppliersOf(records: readonly ImportRecord[], supplier: string): string[] {
  const found = records.flatMap((record) => {
    if ('account' in record) return record.account.import_supplier;
    return 'business' in record ? record.business.import_supplier_code : [];
  });
  return [...new Set(found.length === 0 ? [supplier] : found)];
}

/** Also for safety: a script that uses another address would send to it with each execution. */
function expectImports({ requests, sessions: [session] }: Execution, imported: Picture): void {
  const said = session?.output.trimEnd().split('\n').at(-1) ?? '';
  const how = `It ended with code ${session?.exitCode}${said === '' ? '' : `: ${said.slice(0, 200)}`}`;
  if (requests.length === 0) {
    throw new CannotStartError(
      `The script sent nothing to the sandbox; it must use the address in baseUrl (DATA_IMPORT_BASE_URL). ${how}`,
    );
  }
  if (imported.size > 0) return;
  const refused = requests.findLast(({ status }) => status !== null && status >= 400);
  const answer =
    refused === undefined
      ? ''
      : `; the last refusal is ${refused.status} ${codeOf(refused.answer)} to ${refused.method} ${refused.path}`;
  throw new CannotStartError(`The script imported nothing, without a disturbance${answer}. ${how}`);
}

function codeOf(answer: unknown): string {
  const { code } = (answer ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

function expectRequests({ requests, disturbance }: Execution): void {
  if (requests.length > 0) return;
  throw new CannotStartError(
    `The script sent nothing when it was started for a new import (${disturbance?.id}). It must store its state in folder (DATA_IMPORT_RUN), which is new for each import.`,
  );
}

function choose(
  only: readonly string[] | undefined,
  { requests }: Execution,
  accounts: readonly string[],
  seed: number,
): Disturbance[] {
  const planned = planDisturbances(requests, seed, accounts);
  if (only === undefined) return planned;
  return only.flatMap((id) => {
    if (id === UNDISTURBED) return [];
    if (!id.includes(':')) return planned.filter((one) => one.id.startsWith(`${id}:`));
    const found = disturbanceById(id, requests, accounts);
    if (found === undefined)
      throw new TypeError(`certify: no disturbance has the id ${id}. Use one that a result names.`);
    return found;
  });
}

const BEFORE = 3;
const AFTER = 6;

function resultOf(execution: Execution, expected: Expected, broken: readonly BrokenRule[]): ExecutionResult {
  const { disturbance, requests, sessions } = execution;
  const restart = sessions[1]?.startedMs ?? Number.POSITIVE_INFINITY;
  const faulted = requests.findIndex(({ faults }) => faults.length > 0);
  const at = faulted >= 0 ? faulted : Math.max(0, requests.findIndex(({ ms }) => ms >= restart) - 1);
  const disturbed = requests[at];
  const record = disturbed && recordOf(disturbed);
  // After it, those of the same record are the telling ones.
  const after = requests.slice(at + 1);
  const ofRecord = after.filter((entry) => recordOf(entry) === record);
  const shown = [
    ...requests.slice(Math.max(0, at - BEFORE), at + 1),
    ...(ofRecord.length > 0 ? ofRecord : after).slice(0, AFTER),
  ];
  return {
    id: disturbance?.id ?? UNDISTURBED,
    disturbance: disturbance?.title ?? 'Nothing was disturbed.',
    hasHappened: execution.hasHappened,
    durationMs: Math.round(execution.durationMs),
    broken,
    requests: (broken.length === 0 ? [] : shown).map((entry) => {
      const { ms, operation, status, change, faults } = entry;
      return { ms, operation, record: recordOf(entry), status, change, isDisturbed: faults.length > 0 };
    }),
    starts: sessions.map((session) => {
      return { exitCode: session.exitCode, output: shownOutput(execution, expected, session) };
    }),
  };
}
