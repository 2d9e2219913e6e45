/** `KNOWN_ERROR_CODES`: codes of errors that an editor completes. A deployment may answer with others (U12). */
import type { OpenEnum } from '../../schemas/fields.js';

/** The two that the document shows, then those of the local check, of the sandbox, and of other deployments. */
export const KNOWN_ERROR_CODES = [
  'account_failed_validation',
  'invalid_phone_number',

  'required',
  'null',
  'invalid',
  'invalid_type',
  'invalid_choice',
  'invalid_date',
  'invalid_datetime',
  'unknown_field',
  'identifier_empty',

  'validation_failed',
  'account_already_imported',
  'account_marked_to_skip',
  'account_not_found',
  'account_not_staged',
  'business_already_exists',
  'business_contract_not_found',
  'business_not_found',
  'document_not_found',
  'import_supplier_not_found',
  'import_supplier_not_ongoing',
  'import_process_not_found',
  'operations_team_not_found',
  'payment_vendor_failure',
  'payment_vendor_unavailable',
  'authentication_failed',
  'concurrency_limit_exceeded',

  'already_has_active_instruction',
  'historical_statement_already_exists',
] as const;

/** A code of an error that is known beforehand. */
export type KnownErrorCode = (typeof KNOWN_ERROR_CODES)[number];

/** The code of an error: known ones complete, and any other may come. */
export type ErrorCode = OpenEnum<KnownErrorCode>;
