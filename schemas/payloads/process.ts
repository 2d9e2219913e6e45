/** Turning staged data into a real account (document: Account import, Process rules). */
import type * as z from 'zod';
import { filledText, loose, optionalBoolean, strict, text } from '../fields.js';

/** Body of `accounts.process` and `accounts.dryRun`. */
export interface ProcessPayload {
  /** The caller's identifier of the account. It must be staged. */
  external_account_number: string;
  /** Import supplier code. */
  import_supplier_code: string;
  /** The team must exist on the platform. */
  operations_team_name: string;
  /** Set by `accounts.dryRun`; `accounts.process` refuses true. */
  dry_run?: boolean | undefined;
}

/** Answer to `accounts.process`. */
export interface ProcessAnswer {
  /** The platform's account number, never empty. A string: leading zeros count. */
  service_account_number: string;
  /** What else the answer carries, as it came. */
  [field: string]: unknown;
}

/** Schema of `Process`. Strict: a field that the document does not have is an issue. */
export const processPayloadSchema: z.ZodType<ProcessPayload> = strict({
  external_account_number: text,
  import_supplier_code: text,
  operations_team_name: text,
  dry_run: optionalBoolean,
});

// The document's empty number means that no account is created yet (Account import status): no success of this call.
/** Schema of `ProcessAnswer`. Loose: what else an answer carries is kept. */
export const processAnswerSchema: z.ZodType<ProcessAnswer> = loose({ service_account_number: filledText });
