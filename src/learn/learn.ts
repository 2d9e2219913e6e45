/** Exports `learn`, which finds the settings of the sandbox that reproduce a recording, and `parseRecording`. */
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { type OperationName, operations } from '../../schemas/operations.js';
import { DOCUMENTED_CODES } from '../sandbox/calls/error-answers.js';
import type { SandboxSettings } from '../sandbox/settings/settings.js';
import { SANDBOX_SETTINGS } from '../sandbox/settings/settings-table.js';
import { expectKind } from '../validation/option-kinds.js';
import { parseJson, whyNotJson } from '../validation/parse-json.js';
import { createProbes } from './probes.js';
import type { RecordedCall } from './record.js';
import { codesIn, createReplay, type Replay, withoutCodes } from './replay.js';
import { requiredByRefusals } from './required-fields.js';
import { defaultOf, withValue } from './with-value.js';

/** What a recording says about one setting of the sandbox. */
export type LearnedSetting = {
  /** Name of the setting. */
  name: keyof SandboxSettings;
  /** Entry of the register of open questions (U1 to U32), or chapter of the API specification. */
  settles: string;
} & (
  | {
      /** Exactly one value reproduces every answer that depends on the setting. */
      verdict: 'found';
      /** That value. */
      value: unknown;
    }
  | {
      /** Several values reproduce the recording, or none does. */
      verdict: 'guess';
      /** The value that reproduces most answers; the default, if others are as good. */
      value: unknown;
      /** The values that remain. */
      candidates: readonly unknown[];
      /** A query or an `accounts.validate` whose answer would decide; undefined if no such call does. */
      decidedBy?: string;
    }
);

/** What `learn` returns. */
export interface Learned {
  /** Settings of the sandbox that were found; with `profile`, where fields were found to be required. It is JSON. */
  deployment: Partial<SandboxSettings>;
  /** Every setting that a recording can decide. */
  settings: readonly LearnedSetting[];
  /** Number of recorded calls. */
  calls: number;
  /** Indexes of the calls whose answers the sandbox does not reproduce with these settings. */
  notReproduced: readonly number[];
}

type Settings = Partial<SandboxSettings>;

/** A setting with the values that it may have for this recording. */
interface Question {
  name: keyof SandboxSettings;
  settles: string;
  values: readonly unknown[];
}

/** Maximum number of rounds: the best value of a setting may depend on that of another one. */
const MOST_ROUNDS = 5;

/**
 * Finds the settings of the sandbox that reproduce a recording of `recordCalls`: makes the recorded calls in sandboxes with each value of
 * each setting, and excludes the values whose answers contradict the recording. A setting without such an answer remains a guess.
 */
export async function learn(calls: readonly RecordedCall[]): Promise<Learned> {
  expectKind('learn', calls, 'list');
  const schema = callSchema();
  for (const [index, call] of calls.entries()) {
    const path = whyNoCall(schema, call);
    if (path !== undefined)
      throw new TypeError(`learn: entry ${index}${path} is no recorded call. Expected the result of parseRecording.`);
  }
  const learned = await learnWithoutProbes(calls);
  const decidingCall = createProbes();
  const settings: LearnedSetting[] = [];
  for (const setting of learned.settings) {
    const { name } = setting;
    const decidedBy =
      setting.verdict === 'guess' ? await decidingCall(name, setting.candidates, learned.deployment) : undefined;
    settings.push({ ...setting, ...(decidedBy !== undefined && { decidedBy }) });
  }
  return { ...learned, settings };
}

/** `learn`, without the calls that would decide what remains a guess. */
export async function learnWithoutProbes(recording: readonly RecordedCall[]): Promise<Learned> {
  const replay = createReplay(recording);
  const { calls } = replay;
  const questions = questionsOf(calls);
  // The wait after a 429 is read: without it, no limit reproduces that answer.
  const wait = calls.find(({ status }) => status === 429)?.retryAfter;
  let best: Settings = await withCodes(wait === undefined ? {} : { retryAfterSeconds: wait }, replay);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const before = best;
    for (const question of questions) best = await withBest([question], best, replay);
    best = await withCodes(best, replay);
    // The settings of one question of the register may only together reproduce an answer.
    if (isDeepStrictEqual(before, best)) {
      for (const group of groupsOf(questions)) best = await withBest(group, best, replay);
    }
    if (isDeepStrictEqual(before, best) || missesOf(replay, await replay.run(best)).length === 0) break;
  }
  const settings: LearnedSetting[] = [];
  for (const question of questions) settings.push(await verdictOn(question, questions, best, replay));
  const found = settings.filter(({ verdict }) => verdict === 'found');
  return {
    deployment: {
      ...Object.fromEntries(found.map(({ name, value }) => [name, value])),
      ...(best.errorCodes && { errorCodes: best.errorCodes }),
    },
    settings,
    calls: calls.length,
    notReproduced: missesOf(replay, await replay.run(best))
      .map((index) => recording.indexOf(calls[index] as RecordedCall))
      .sort((one, other) => one - other),
  };
}

function isReproduced({ recorded }: Replay, index: number, answer: string | undefined): boolean {
  return recorded[index] === undefined || recorded[index] === answer;
}

function missesOf(replay: Replay, answers: readonly (string | undefined)[]): number[] {
  return answers.flatMap((answer, index) => (isReproduced(replay, index, answer) ? [] : [index]));
}

/** Returns the settings with the values that reproduce most answers; the values that they have, if others are as good. */
async function withBest(questions: readonly Question[], best: Settings, replay: Replay): Promise<Settings> {
  let [chosen, fewest] = [best, missesOf(replay, await replay.run(best)).length];
  for (const tried of combinations(questions, best)) {
    if (fewest === 0) break;
    if (isDeepStrictEqual(tried, best)) continue;
    let misses = 0;
    await replay.run(tried, (index, answer) => {
      if (!isReproduced(replay, index, answer)) misses++;
      return misses >= fewest;
    });
    if (misses < fewest) [chosen, fewest] = [tried, misses];
  }
  return chosen;
}

/** Returns the settings with each combination of values of the questions. */
function combinations(questions: readonly Question[], settings: Settings): Settings[] {
  return questions.reduce<Settings[]>(
    (before, { name, values }) => before.flatMap((one) => values.map((value) => withValue(one, name, value))),
    [settings],
  );
}

/** The settings that answer one question of the register, if there are several. */
function groupsOf(questions: readonly Question[]): Question[][] {
  const groups = [...new Set(questions.map(({ settles }) => settles))].map((settled) =>
    questions.filter(({ settles }) => settles === settled),
  );
  return groups.filter(({ length }) => length > 1);
}

async function verdictOn(
  { name, settles, values }: Question,
  questions: readonly Question[],
  best: Settings,
  replay: Replay,
): Promise<LearnedSetting> {
  const answers = await replay.run(best);
  const misses = new Set(missesOf(replay, answers));
  const last = Math.max(-1, ...misses);
  const value = best[name] ?? defaultOf(name);
  const candidates: unknown[] = [value];
  let isContradicted = false;
  // A value may be possible only together with other values of the settings of the same question.
  const related = questions.filter((other) => other.settles === settles && other.name !== name);
  for (const other of values.filter((each) => !isDeepStrictEqual(each, value))) {
    const changed = withValue(best, name, other);
    for (const tried of [changed, ...combinations(related, changed)]) {
      let isExcluded = false;
      await replay.run(tried, (index, answer) => {
        const isMet = isReproduced(replay, index, answer);
        if (!isMet && !misses.has(index)) isExcluded = true;
        // It reproduces an answer that the best value does not.
        if (isMet && misses.has(index) && tried === changed) isContradicted = true;
        return isExcluded && index > last;
      });
      if (isExcluded) continue;
      candidates.push(other);
      break;
    }
  }
  if (candidates.length === 1 && !isContradicted) return { name, settles, verdict: 'found', value };
  const open = isContradicted ? values : candidates;
  return { name, settles, verdict: 'guess', value, candidates: open };
}

/** Returns the settings with the other names of the codes of the sandbox (U12), where the answers differ in nothing else. */
async function withCodes(best: Settings, replay: Replay): Promise<Settings> {
  const { errorCodes: _, ...others } = best;
  const names = new Map<string, Set<string>>();
  for (const [index, answer = ''] of (await replay.run(others)).entries()) {
    const expected = replay.recorded[index] ?? '';
    if (withoutCodes(expected) !== withoutCodes(answer)) continue;
    const codes = codesIn(expected);
    for (const [place, code] of codesIn(answer).entries()) {
      names.set(code, new Set([...(names.get(code) ?? []), codes[place] ?? '']));
    }
  }
  const renamed = [...names].flatMap(([code, [first, ...more]]) =>
    first !== undefined && first !== code && more.length === 0 && !DOCUMENTED_CODES.has(code) ? [[code, first]] : [],
  );
  return renamed.length === 0 ? others : { ...others, errorCodes: Object.fromEntries(renamed) };
}

/** The settings that a recording may decide, with the values that it allows. */
function questionsOf(calls: readonly RecordedCall[]): Question[] {
  const waits = [...new Set(calls.flatMap(({ retryAfter, status }) => (status === 429 ? (retryAfter ?? 1) : [])))];
  const most = mostAtOnce(calls.filter(({ operation }) => operation === 'accounts.process'));
  const profile = requiredByRefusals(calls);
  const open: Partial<Record<keyof SandboxSettings, readonly unknown[]>> = {
    processChecks: permutations(['imported', 'supplier', 'staged', 'team']),
    retryAfterSeconds: [null, ...waits],
    processConcurrency: [null, ...Array.from({ length: most }, (_, index) => index + 1)],
    profile: profile === undefined ? [null] : [null, profile],
  };
  return SANDBOX_SETTINGS.flatMap(({ name, settles, values = open[name] }) =>
    values === undefined || values.length < 2 ? [] : [{ name, settles, values }],
  );
}

function mostAtOnce(calls: readonly RecordedCall[]): number {
  return Math.max(
    0,
    ...calls.map(({ at }) => calls.filter((other) => other.at <= at && at < other.at + other.ms).length),
  );
}

function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((first) =>
    permutations(items.filter((item) => item !== first)).map((others) => [first, ...others]),
  );
}

/** Reads the lines of a recording. Throws a `TypeError` that names the first line that is none, or the line of a second recording. */
export function parseRecording(text: string): RecordedCall[] {
  expectKind('parseRecording', text, 'string');
  const [lines, schema] = [text.split('\n'), callSchema()];
  const calls = lines.flatMap((line, index) => {
    if (line.trim() === '') return [];
    const number = index + 1;
    const refuse = (why: string): never => {
      throw new TypeError(`line ${number} ${why}. Expected a line that recordCalls has written.`);
    };
    let value: unknown;
    try {
      value = parseJson(line);
    } catch (error) {
      // Each line that was written ends with a line break.
      if (number === lines.length)
        throw new TypeError(
          `line ${number} is cut off: the recording ended while it was written. Delete the line; the others are a recording without it.`,
        );
      return refuse(whyNotJson(error as SyntaxError));
    }
    const path = whyNoCall(schema, value);
    return path === undefined ? [{ call: value as RecordedCall, number }] : refuse(`is no recorded call${path}`);
  });
  // A recording has one first call.
  const [first, second] = calls.filter(({ call }) => call.at === 0);
  if (second !== undefined)
    throw new TypeError(
      `lines ${first?.number} and ${second.number} each begin a recording. Write each recording into a separate file, and give learn one of them.`,
    );
  return calls.map(({ call }) => call);
}

/** Returns the path at which it is no recorded call, in parentheses; undefined for one. */
function whyNoCall(schema: z.ZodType, value: unknown): string | undefined {
  const { error } = schema.safeParse(value);
  const path = error?.issues[0]?.path.join('.');
  return error && (path ? ` (${path})` : '');
}

function callSchema(): z.ZodType {
  const masked = z.json();
  return z.object({
    at: z.number().min(0),
    ms: z.number().min(0),
    operation: z.enum(Object.keys(operations) as [OperationName]),
    isSlashMissing: z.literal(true).optional(),
    scheme: z.enum(['Token', 'Bearer', 'bare', 'none']),
    token: z.string(),
    params: z.record(z.string(), z.string()),
    query: z.record(z.string(), masked),
    request: masked.optional(),
    status: z.int().min(100).max(599).nullable(),
    retryAfter: z.int().min(0).optional(),
    answer: masked.optional(),
    order: z.array(z.int()).optional(),
  });
}
