/** The state of one account import, and the lists of a supplier's imports (document: Status queries). */
import * as z from 'zod';
import { loose, type OpenEnum, openEnum, text } from './fields.js';

/**
 * UNKNOWN: no account has been created yet. The others say how the industry switch of a created account stands:
 * PENDING not started, IN_PROGRESS, REJECTED, COMPLETED.
 */
export type AccountImportStatus = OpenEnum<'UNKNOWN' | 'PENDING' | 'IN_PROGRESS' | 'REJECTED' | 'COMPLETED'>;

/** Answer to `imports.status`. */
export interface AccountTransferStatus {
  /** How the import stands. */
  status: AccountImportStatus;
  /** Empty while no account is created. A string: leading zeros count. */
  service_account_number: string;
  /** What else the answer carries, as it came. */
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
  /** What else the answer carries, as it came. */
  [field: string]: unknown;
}

/**
 * One entry of `imports.imported`. The document does not show this body, so no field is certain, nor that there are
 * entries: whatever JSON comes is taken as it is.
 */
export interface ImportedAccountImportProcess {
  /** The caller's identifier of the account. */
  external_account_number?: string | undefined;
  /** The platform's account number. A string: leading zeros count. */
  service_account_number?: string | null | undefined;
  /** A datetime. */
  account_created_at?: string | null | undefined;
  /** What else the answer carries, as it came. */
  [field: string]: unknown;
}

/** The statuses that the document lists; an answer may carry another. */
export const ACCOUNT_IMPORT_STATUSES = ['UNKNOWN', 'PENDING', 'IN_PROGRESS', 'REJECTED', 'COMPLETED'] as const;

/** A status that the document lists. */
export type KnownAccountImportStatus = (typeof ACCOUNT_IMPORT_STATUSES)[number];

/**
 * Whether the document lists this status of an account import, so that a `switch` over the five is complete.
 *
 * @example
 * if (!isKnownStatus(answer.status)) console.warn('A status that the document does not show:', answer.status);
 */
export function isKnownStatus(status: unknown): status is KnownAccountImportStatus {
  return (ACCOUNT_IMPORT_STATUSES as readonly unknown[]).includes(status);
}

/** Schema of `AccountTransferStatus`. Loose: what else an answer carries is kept. */
export const accountTransferStatusSchema: z.ZodType<AccountTransferStatus> = loose({
  status: openEnum(ACCOUNT_IMPORT_STATUSES),
  service_account_number: text,
});

const listEntry = {
  external_account_number: text,
  service_account_number: z.string().nullable(),
  account_created_at: z.string().nullable(),
};

/** Schema of the lists of all and of pending imports. Loose: what else an answer carries is kept. */
export const accountImportProcessesSchema: z.ZodType<AccountImportProcess[]> = z.array(loose(listEntry));

// The first is what the other lists have, and what its type says; the second refuses nothing.
/** Schema of the list of imported accounts, where there is a body: entries as in the other lists, or any JSON (U5). */
export const importedAccountImportProcessesSchema: z.ZodType<ImportedAccountImportProcess[]> = z.union([
  z.array(loose(listEntry).partial()),
  z.unknown(),
]) as z.ZodType<ImportedAccountImportProcess[]>;
