/** Exports `Call`, `Outcome` and `Rule`, the contract between the call handler and the rules, and `commit`. Rules read the state; only the call handler changes it. */
import type { OperationName } from '../../../schemas/operations.js';
import type { SandboxSettings } from '../settings/settings.js';
import type { Change } from '../state/changes.js';
import type { Ids } from '../state/generated-ids.js';
import type { Store } from '../state/store.js';

/** One request that has passed routing, authentication and the schema of its body. */
export interface Call<Payload> {
  operation: OperationName;
  payload: Payload;
  /** Path parameters, decoded. */
  params: Readonly<Record<string, string>>;
  /** Flags of the query string; undefined if omitted. */
  query: Readonly<Record<string, boolean | undefined>>;
  /** Time of the sandbox's clock, read once per call. */
  now: Date;
  /** Read-only for rules. */
  store: Store;
  /**
   * The log shows which settings were read, so a rule reads a setting only if it decides the answer.
   */
  settings: SandboxSettings;
  ids: Ids;
  /** Bucket of the documents (C7). */
  bucket: string;
}

/** The answer of a rule, and its change of the state. */
export interface Outcome {
  status: number;
  /** undefined for no body at all. */
  body: unknown;
  headers?: Readonly<Record<string, string>>;
  /**
   * Returns the changes of the call. The call handler calls it once, and only if `status` is a success: a refusal changes
   * nothing. A call that takes time (U30) is decided at its start and committed at its end, at `now`; whatever depends on
   * calls that ran meanwhile is read here.
   */
  commit?: (now: Date) => Committed;
  /** A refusal after all work was done and rolled back, so that it takes as long as a success: a dry run. */
  isAfterWork?: true;
  /**
   * Changes that stay even if the call is refused: a vendor counts requests, a failing batch may keep its first
   * transactions (U15).
   */
  remember?: readonly Change[];
  /** Description of the change for the log, such as `staged` or `2 notes added`. */
  change?: string;
  /** A fault closes the connection, or truncates the answer. */
  onTheWay?: 'drop' | 'malformed';
}

/** The changes of a call; the other properties replace those of the outcome. */
export interface Committed extends Partial<Pick<Outcome, 'status' | 'body' | 'change'>> {
  changes: readonly Change[];
}

/** A synchronous function of the call and the state. */
export type Rule<Payload> = (call: Call<Payload>) => Outcome;

/** Applies the changes of the outcome to the state. Returns the final answer. Throws if a state file cannot be written. */
export function commit(store: Store, outcome: Outcome, now: Date): Outcome {
  const { remember } = outcome;
  if (remember !== undefined) store.commit(remember);
  const committed = outcome.status < 400 ? outcome.commit?.(now) : undefined;
  if (committed === undefined) return outcome;
  store.commit(committed.changes);
  return Object.assign(outcome, committed);
}
