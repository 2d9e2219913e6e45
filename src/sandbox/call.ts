/** What a rule is given and what it says: rules look, and the core alone commits. */
import type { OperationName } from '../../schemas/operations.js';
import type { Ids } from './ids.js';
import type { SandboxSettings } from './settings.js';
import type { Store } from './store.js';

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
  /** To look at; written to by `apply` and `remember` alone. */
  store: Store;
  settings: SandboxSettings;
  ids: Ids;
  /** Bucket of the documents (C7). */
  bucket: string;
}

/** The answer of a rule, and what becomes of the state. */
export interface Outcome {
  status: number;
  body: unknown;
  headers?: Readonly<Record<string, string>>;
  /** Changes the state. Called by the core, once, and only when `status` is a success: a refusal changes nothing. */
  apply?: () => void;
  /** What the world outside the service keeps of this call, refused or not: a vendor counts how often it was asked. */
  remember?: () => void;
}

/** A synchronous function of the call and the state. */
export type Rule<Payload> = (call: Call<Payload>) => Outcome;
