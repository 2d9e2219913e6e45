/** The state of one account import, and the lists of a supplier's imports (spec: Status queries). */
import * as z from 'zod';
import { loose, type OpenEnum, openEnum, text } from './fields.js';

/**
 * UNKNOWN: no account has been created yet. The other values are the state of the industry switch of a created account:
 * PENDING (not started), IN_PROGRESS, REJECTED, COMPLETED.
 */
export type AccountImportStatus = OpenEnum<'UNKNOWN' | 'PENDING' | 'IN_PROGRESS' | 'REJECTED' | 'COMPLETED'>;

/** Answer to `imports.status`. */
export interface AccountTransferStatus {
  /** Status of the import. */
  status: AccountImportStatus;
  /** Empty while no account is created. A string: leading zeros count. */
  service_account_number: string;
  /** Undocumented fields of the answer, unchanged. */
  [field: string]: unknown;
}

/** One entry of `imports.all` and `imports.pending`. */
export interface AccountImportProcess {
  /** The caller's identifier of the account. */
  external_account_number: string;
  /** null while the account is only staged. */
  service_account_number: string | null;
  /** A datetime; null while the account is only staged. */
  account_created_at: string | null;
  /** Undocumented fields of the answer, unchanged. */
  [field: string]: unknown;
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
  /** Undocumented fields of the answer, unchanged. */
  [field: string]: unknown;
}

/** The documented statuses; an answer may have another one. */
export const ACCOUNT_IMPORT_STATUSES = ['UNKNOWN', 'PENDING', 'IN_PROGRESS', 'REJECTED', 'COMPLETED'] as const;

/** A documented status. */
export type KnownAccountImportStatus = (typeof ACCOUNT_IMPORT_STATUSES)[number];

/**
 * Returns whether the status of an account import is documented, so that a `switch` over the five values is exhaustive.
 *
 * @example
 * if (!isKnownStatus(answer.status)) console.warn('undocumented status:', answer.status);
 */
export function isKnownStatus(status: unknown): status is KnownAccountImportStatus {
  return (ACCOUNT_IMPORT_STATUSES as readonly unknown[]).includes(status);
}

/** Schema of `AccountTransferStatus`. Loose: keeps undocumented fields. */
export const accountTransferStatusSchema: z.ZodType<AccountTransferStatus> = loose({
  status: openEnum(ACCOUNT_IMPORT_STATUSES),
  service_account_number: text,
});

const listEntry = {
  external_account_number: text,
  service_account_number: z.string().nullable(),
  account_created_at: z.string().nullable(),
};

/** Schema of the lists of all and of pending imports. Loose: keeps undocumented fields. */
export const accountImportProcessesSchema: z.ZodType<AccountImportProcess[]> = z.array(loose(listEntry));

// The first option documents the type; the second accepts any JSON.
/** Schema of the list of imported accounts: entries as in the other lists, or any JSON (U5). */
export const importedAccountImportProcessesSchema: z.ZodType<ImportedAccountImportProcess[]> = z.union([
  z.array(loose(listEntry).partial()),
  z.unknown(),
]) as z.ZodType<ImportedAccountImportProcess[]>;
