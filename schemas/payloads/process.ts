/** Payload and answer of `accounts.process`: turns staged data into an account (spec: Account import, Process rules). */
import { filledText, loose, optionalBoolean, strict, text } from '../fields.js';

/** Body of `accounts.process` and `accounts.dryRun`. */
export interface ProcessPayload {
  /** The caller's identifier of the account. It must be staged. */
  external_account_number: string;
  /** Import supplier code. */
  import_supplier_code: string;
  /** The team must exist on the service. */
  operations_team_name: string;
  /** Set by `accounts.dryRun`; `accounts.process` rejects true. */
  dry_run?: boolean | undefined;
}

/** Answer to `accounts.process`. */
export interface ProcessAnswer {
  /** The service's account number, never empty. A string: leading zeros count. */
  service_account_number: string;
}

/** Schema of `Process`. Strict: rejects undocumented fields. */
export const processPayloadSchema = strict<ProcessPayload>({
  external_account_number: text,
  import_supplier_code: text,
  operations_team_name: text,
  dry_run: optionalBoolean,
});

// An empty number means that no account is created yet (spec: Account import status), so it is no success of this call.
/** Schema of `ProcessAnswer`. Loose: keeps undocumented fields. */
export const processAnswerSchema = loose<ProcessAnswer>({ service_account_number: filledText });
