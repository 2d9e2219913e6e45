/**
 * Exports `FaultRule`, `checkFaultRule` and `faultRecord`: rules that make calls fail. Rules and their counters are part
 * of the state, so that a restored snapshot continues counting.
 */
import * as z from 'zod';
import { filledList, filledText } from '../../../schemas/fields.js';
import { type OperationName, operations } from '../../../schemas/operations.js';
import { firstIssue } from '../../validation/findings.js';
import { MAX_TIMER_MS } from '../settings/duration.js';

/** What a fault rule can match: an operation, or the GraphQL call for a token. */
export type FaultTarget = OperationName | 'token';

/** Makes calls fail: which calls, when, how, how often. Plain data, also for `--faults` and the admin interface. */
export interface FaultRule {
  /**
   * Id of the rule, for `remove` and in the log.
   * @default 'fault-1', 'fault-2', …
   */
  id?: string | undefined;
  /**
   * Which calls it matches; all given conditions must hold.
   * @default every call
   */
  match?:
    | {
        /** Name of the operation, such as `accounts.process`, or several; `token` for the GraphQL call. */
        operation?: FaultTarget | readonly FaultTarget[] | undefined;
        /** Import supplier code. */
        supplier?: string | undefined;
        /** External account number. */
        account?: string | undefined;
      }
    | undefined;
  /**
   * Which of the matching calls fail, counted from 1 in the order of arrival. A probability from 0 to 1 is drawn from the
   * sandbox's seed for each account and try, so that the order of the calls does not matter.
   * @default 'every'
   */
  when?: 'every' | 'first' | { nth: number } | { every: number } | { probability: number } | undefined;
  /**
   * The effect: an answer that replaces the real one; a wait in milliseconds before the call continues; `drop` closes the
   * connection without an answer; `malformed` truncates the JSON of the answer.
   */
  effect:
    | { status: number; body?: unknown; headers?: Record<string, string> | undefined }
    | { latencyMs: number }
    | 'drop'
    | 'malformed';
  /**
   * `before`: the request has no effect. `afterCommit`: the request takes effect, and the answer is lost. `during`: a wait passes
   * between the checks of a call and its commit, as `processDurationMs`, and an answer or `drop` comes at once, while the call
   * continues and takes effect.
   * @default 'before'
   */
  phase?: 'before' | 'during' | 'afterCommit' | undefined;
  /**
   * Maximum number of calls that fail.
   * @default without limit
   */
  times?: number | undefined;
}

/** A rule with its counters. */
export interface FaultRecord extends FaultRule {
  /** Id of the rule. */
  id: string;
  /** Number of matching calls. */
  met: number;
  /** Number of failed calls. */
  fired: number;
  /** For a probability: number of matching calls per operation and account. */
  tries: Record<string, number>;
}

const TARGETS: readonly FaultTarget[] = ['token', ...(Object.keys(operations) as OperationName[])];
const wholeFromOne = z.int().min(1);

const shapeSchema = z.strictObject({
  id: filledText.optional(),
  match: z
    .strictObject({
      operation: z.union([z.enum(TARGETS), filledList(z.enum(TARGETS))]).optional(),
      supplier: z.string().optional(),
      account: z.string().optional(),
    })
    .optional(),
  when: z
    .union([
      z.enum(['every', 'first']),
      z.strictObject({ nth: wholeFromOne }),
      z.strictObject({ every: wholeFromOne }),
      z.strictObject({ probability: z.number().min(0).max(1) }),
    ])
    .optional(),
  effect: z.union([
    z.enum(['drop', 'malformed']),
    z.strictObject({ latencyMs: z.number().min(0).max(MAX_TIMER_MS) }),
    z.strictObject({
      status: z.int().min(200).max(599),
      body: z.json().optional(),
      headers: z.record(z.string(), z.string()).optional(),
    }),
  ]),
  phase: z.enum(['before', 'during', 'afterCommit']).optional(),
  times: wholeFromOne.optional(),
});

const ruleSchema = shapeSchema
  .refine(({ effect }) => !(typeof effect === 'object' && 'status' in effect && hasForbiddenBody(effect)), {
    path: ['effect', 'body'],
    error: 'answers of status 204, 205 and 304 have no body',
  })
  .refine(({ effect }) => !(typeof effect === 'object' && 'status' in effect) || areHeaders(effect.headers), {
    path: ['effect', 'headers'],
    error: 'expected names and values that are valid in HTTP, without those of the connection, such as Content-Length',
  });

function hasForbiddenBody({ status, body }: { status: number; body?: unknown }): boolean {
  return body !== undefined && [204, 205, 304].includes(status);
}

/** The server sets these for the body that it sends: others make an answer that no client can read. */
const OF_CONNECTION = ['connection', 'content-length', 'keep-alive', 'trailer', 'transfer-encoding', 'upgrade'];

function areHeaders(headers: Record<string, string> | undefined): boolean {
  try {
    return ![...new Headers(headers).keys()].some((name) => OF_CONNECTION.includes(name));
  } catch {
    return false;
  }
}

const EXPECTED: Readonly<Record<string, string>> = {
  'match.operation': `expected one or a list of ${TARGETS.join(', ')}`,
  effect: "expected { status, body?, headers? }, { latencyMs }, 'drop' or 'malformed'",
  when: "expected 'every', 'first', { nth }, { every } or { probability }",
  phase: "expected 'before', 'during' or 'afterCommit'",
};

/** Returns the rule, which may come from a JSON file. Throws a TypeError with the path of the first error. `at`: its index in a list. */
export function checkFaultRule(rule: unknown, at?: number): FaultRule {
  const result = ruleSchema.safeParse(rule);
  if (result.success) return result.data as FaultRule;
  const which = at === undefined ? '' : ` ${at + 1}`;
  throw new TypeError(`fault rule${which}: ${firstIssue(result.error, EXPECTED)}.`.replace(/\.\.$/, '.'));
}

/** Returns a new rule with counters at 0. Throws a TypeError if the rule is invalid or another rule has its id. */
export function faultRecord(given: FaultRule, others: readonly FaultRecord[]): FaultRecord {
  const rule = checkFaultRule(given);
  const id = rule.id ?? unusedId(others);
  if (others.some((other) => other.id === id)) throw new TypeError(`fault rule: there is one of id ${id} already.`);
  return { ...structuredClone(rule), id, met: 0, fired: 0, tries: {} };
}

function unusedId(faults: readonly FaultRecord[]): string {
  let number = faults.length + 1;
  while (faults.some(({ id }) => id === `fault-${number}`)) number++;
  return `fault-${number}`;
}
