/** What a rule is given and what it says: rules look, and the core alone commits. */
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
  /** Flags of the query string; undefined where they were left out. */
  query: Readonly<Record<string, boolean | undefined>>;
  /** The sandbox's clock, read once for the whole call. */
  now: Date;
  /** To look at: the core alone commits. */
  store: Store;
  /**
   * The log tells which of them were read: what the answer rests on. So a rule reads a setting only where it decides.
   */
  settings: SandboxSettings;
  ids: Ids;
  /** Bucket of the documents (C7). */
  bucket: string;
}

/** The answer of a rule, and what becomes of the state. */
export interface Outcome {
  status: number;
  /** undefined for no body at all. */
  body: unknown;
  headers?: Readonly<Record<string, string>>;
  /**
   * Says what the call changes. Asked by the core, once, and only when `status` is a success: a refusal changes nothing.
   * A call that takes time (U30) is decided at its start and committed at its end, at `now`: what depends on what other
   * calls did meanwhile is looked up here.
   */
  commit?: (now: Date) => Committed;
  /** A refusal that comes after all the work was done and rolled back, and so takes as long as it: a dry run. */
  isAfterWork?: true;
  /**
   * What stays although the call may be refused: a vendor counts how often it was asked, a failing batch may keep its
   * first transactions (U15).
   */
  remember?: readonly Change[];
  /** What was done by `commit` or `remember`, for the log: `staged`, `2 notes added`. */
  change?: string;
  /** What a fault does to the answer on its way. */
  onTheWay?: 'drop' | 'malformed';
}

/** What a call changes; the rest takes the place of what was said at its start. */
export interface Committed extends Partial<Pick<Outcome, 'status' | 'body' | 'change'>> {
  changes: readonly Change[];
}

/** A synchronous function of the call and the state. */
export type Rule<Payload> = (call: Call<Payload>) => Outcome;

/** Changes the state; returns the answer. */
export function commit(store: Store, outcome: Outcome, now: Date): Outcome {
  const { remember } = outcome;
  if (remember !== undefined) store.commit(remember);
  const committed = outcome.status < 400 ? outcome.commit?.(now) : undefined;
  if (committed === undefined) return outcome;
  store.commit(committed.changes);
  return Object.assign(outcome, committed);
}
