/** The state of one account import, and the lists of a supplier's imports (spec: Status queries). */
import * as z from 'zod';
import { loose, nullishText, type OpenEnum, openEnum, text } from './fields.js';
import { ACCOUNT_IMPORT_STATUSES } from './values.js';

/**
 * UNKNOWN: no account has been created yet. The other values are the state of the industry switch of a created account:
 * PENDING (not started), IN_PROGRESS, REJECTED, COMPLETED.
 */
export type AccountImportStatus = OpenEnum<'UNKNOWN' | 'PENDING' | 'IN_PROGRESS' | 'REJECTED' | 'COMPLETED'>;

/** Answer to `imports.status`. */
export interface AccountTransferStatus {
  /**
   * `UNKNOWN` with an empty number: staged, and no account exists yet. Another documented status with a number: an account exists. An
   * undocumented status, or a status that the number contradicts, is unclear: ask the operator.
   */
  status: AccountImportStatus;
  /**
   * Empty while no account is created; some deployments leave it out or answer null. A string: leading zeros count.
   */
  service_account_number?: string | null | undefined;
}

/** One entry of `imports.all` and `imports.pending`. */
export interface AccountImportProcess {
  /** The caller's identifier of the account. */
  external_account_number: string;
  /** null while the account is only staged; some deployments leave it out of every entry. */
  service_account_number?: string | null | undefined;
  /** A datetime; null while the account is only staged; some deployments leave it out of every entry. */
  account_created_at?: string | null | undefined;
}

/**
 * One entry of `imports.imported`. This body is not documented: every field may be
 * missing, and any JSON is accepted.
 */
export interface ImportedAccountImportProcess {
  /** The caller's identifier of the account. */
  external_account_number?: string | undefined;
  /** The service's account number. A string: leading zeros count. */
  service_account_number?: string | null | undefined;
  /** A datetime. */
  account_created_at?: string | null | undefined;
}

/** An account that exists on the service. */
export interface ExistingAccount {
  /** Its service account number; null if the answer does not have it, or contradicts itself. */
  number: string | null;
}

/**
 * Returns the account that exists according to the answer to a status query or an entry of a list; undefined if none was created so
 * far. Every status but UNKNOWN counts as an account, also an undocumented one and one without a number, so that no account is created
 * twice (decision 67). UNKNOWN with a number contradicts itself: that is an account without a number.
 */
export function existingAccount({
  status,
  service_account_number,
  account_created_at,
}: Partial<AccountTransferStatus & AccountImportProcess>): ExistingAccount | undefined {
  const number = service_account_number?.trim() || null;
  const isUnknown = status === 'UNKNOWN';
  const exists = (status !== undefined && !isUnknown) || number || account_created_at;
  return exists ? { number: isUnknown ? null : number } : undefined;
}

/** Schema of `AccountTransferStatus`. Loose: keeps undocumented fields. */
export const accountTransferStatusSchema = loose<AccountTransferStatus>({
  status: openEnum(ACCOUNT_IMPORT_STATUSES),
  service_account_number: nullishText,
});

const importSchema = loose<AccountImportProcess>({
  external_account_number: text,
  service_account_number: nullishText,
  account_created_at: nullishText,
});

/** Schema of the lists of all and of pending imports. Loose: keeps undocumented fields. */
export const accountImportProcessesSchema = z.array(importSchema);

// The first option documents the type; the second accepts any JSON.
/** Schema of the list of imported accounts: entries as in the other lists, or any JSON (U5). */
export const importedAccountImportProcessesSchema: z.ZodType<unknown> = z.union([
  z.array(importSchema.partial()),
  z.unknown(),
]);
