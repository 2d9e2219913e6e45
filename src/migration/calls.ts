/** The one call that each step makes, and what its answer means for the record. */

import type { Transaction } from '../../schemas/transaction.js';
import type { DataImportClient } from '../client.js';
import type { ApiError } from '../errors/api-error.js';
import {
  isAbortedError,
  isAlreadyImportedError,
  isApiError,
  isDataImportError,
  isInvalidPayloadError,
  isOutcomeUnknownError,
  isResponseMismatchError,
  isServerError,
  isTransactionImportError,
} from '../errors/guards.js';
import type { InvalidPayloadError } from '../errors/invalid-payload-error.js';
import { presentable } from '../errors/items.js';
import type { TransactionImportError } from '../errors/transaction-import-error.js';
import type { AccountRecord, BookRecord, BusinessRecord } from '../validation/book.js';
import type { Profile } from '../validation/profile.js';
import { checkRecord } from './check.js';
import type { LedgerError, LedgerRecord, Step } from './ledger/ledger.js';
import type { RecordEvent } from './step.js';

export interface CallSettings {
  client: DataImportClient;
  /** Operations team that processes the accounts. */
  team: string;
  profile: Profile | undefined;
  /** How many transactions go into one request. */
  transactionsAtOnce: number;
  /** Whether a transaction that is refused is set aside and the others go on. */
  setAside: boolean;
  /**
   * Whether payment instructions, statements and businesses are sent again after a 500. The document says so; a service
   * that fails after it has done its work then has them twice.
   */
  resendAfter500: boolean;
  /** Ends calls that are under way. */
  signal: AbortSignal;
}

/** What a call came to; undefined where it stays open what came of it: the intent then says so. */
export type Result = RecordEvent | undefined;

/** Never rejects for what the service or the network do; only for a bug, which must stop the run. */
export async function perform(
  step: Step,
  record: LedgerRecord,
  payload: BookRecord,
  settings: CallSettings,
): Promise<Result> {
  try {
    return 'business' in payload
      ? await performBusiness(step, payload, settings)
      : await performAccount(step, record, payload, settings);
  } catch (error) {
    return resultOf(error, step);
  }
}

async function performBusiness(step: Step, payload: BusinessRecord, settings: CallSettings): Promise<Result> {
  const { client } = settings;
  if (step === 'check') return checked(payload, settings);
  const { service_business_id } = await client.businesses.create(payload.business, onceOnly(settings));
  return { happens: 'done', step, platformNumber: String(service_business_id) };
}

async function performAccount(
  step: Step,
  record: LedgerRecord,
  payload: AccountRecord,
  settings: CallSettings,
): Promise<Result> {
  const { client, team, signal } = settings;
  const { account, notes = [], transactions = [], statements = [], payment_instruction } = payload;
  // Everything was checked in the first step, and is not checked again with every call.
  const options = { signal, validate: false };
  const key = { import_supplier: record.supplier, external_account_number: record.number };
  const processing = {
    import_supplier_code: record.supplier,
    external_account_number: record.number,
    operations_team_name: team,
  };
  switch (step) {
    case 'check':
      return checked(payload, settings);
    case 'validate':
      await client.accounts.validate(account, options);
      break;
    case 'stage':
      await client.accounts.stage(account, options);
      break;
    case 'dryRun':
      await client.accounts.dryRun(processing, options);
      break;
    case 'process': {
      const { service_account_number } = await client.accounts.process(processing, options);
      return { happens: 'done', step, platformNumber: service_account_number };
    }
    case 'paymentInstruction':
      if (payment_instruction !== undefined) {
        await client.paymentInstructions.create({ ...key, ...payment_instruction }, onceOnly(settings));
      }
      break;
    case 'statements':
      await client.historicalStatements.create({ ...key, statements }, onceOnly(settings));
      break;
    case 'transactions':
      return { happens: 'done', step, errors: await addTransactions(key, transactions, settings) };
    case 'notes':
      await client.notes.create({ ...key, notes }, options);
      break;
    case 'create':
      throw new Error('migration: an account has no step "create".');
  }
  return { happens: 'done', step };
}

/**
 * In batches; a transaction that the service had already is skipped by it. Gives what was set aside. A request of which
 * one fails keeps nothing, or what stood before: either way the rest can be sent again.
 */
async function addTransactions(
  key: { import_supplier: string; external_account_number: string },
  transactions: readonly Transaction[],
  { client, signal, transactionsAtOnce, setAside }: CallSettings,
): Promise<Omit<LedgerError, 'step'>[]> {
  const errors: Omit<LedgerError, 'step'>[] = [];
  let rest = transactions.map((transaction, index) => ({ transaction, index }));
  while (rest.length > 0) {
    const batch = rest.slice(0, transactionsAtOnce);
    try {
      const payload = { ...key, transactions: batch.map(({ transaction }) => transaction) };
      await client.transactions.create(payload, { signal, validate: false });
      rest = rest.slice(batch.length);
    } catch (error) {
      const failing = isTransactionImportError(error)
        ? batch.find(({ transaction }) => isSame(transaction, error))
        : undefined;
      if (!setAside || failing === undefined) throw error;
      errors.push({ code: 'transaction_import_error', attr: `transactions.${failing.index}` });
      rest = rest.filter(({ index }) => index !== failing.index);
    }
  }
  return errors;
}

/** By its id, or, where it has none, by everything that the answer repeats of it. */
function isSame(sent: Transaction, { transaction }: TransactionImportError): boolean {
  const fields = sent.transaction_id === undefined ? ['transaction_date', 'type', 'reference'] : ['transaction_id'];
  return fields.every((field) => sent[field as keyof Transaction] === transaction?.[field]);
}

function checked(payload: BookRecord, { profile }: CallSettings): Result {
  const errors = checkRecord(payload, profile);
  return errors.length === 0 ? { happens: 'done', step: 'check' } : { happens: 'refused', step: 'check', errors };
}

/** What became of a step that an earlier run announced and that nobody knows the end of. */
export async function lookUp(
  step: Step,
  record: LedgerRecord,
  payload: BookRecord,
  settings: CallSettings,
): Promise<Result> {
  switch (step) {
    // These change nothing, replace what they sent, or are recognised by the service: they are simply made again.
    case 'check':
    case 'validate':
    case 'stage':
    case 'dryRun':
    case 'transactions':
      return perform(step, record, payload, settings);
    case 'notes':
      return hasBodies(payload) ? perform(step, record, payload, settings) : { happens: 'lost', step };
    case 'process': {
      const number = await accountNumberOf(record, settings);
      if (number === undefined) return undefined;
      return number === ''
        ? perform(step, record, payload, settings)
        : { happens: 'done', step, platformNumber: number };
    }
    // Nothing can be asked, and again might be twice.
    case 'create':
    case 'paymentInstruction':
    case 'statements':
      return { happens: 'lost', step };
  }
}

/** Empty where the platform has no such account; undefined where it cannot be asked. */
export async function accountNumberOf(
  { supplier, number }: LedgerRecord,
  { client, signal }: CallSettings,
): Promise<string | undefined> {
  try {
    const { service_account_number } = await client.imports.status(supplier, number, { signal });
    return service_account_number;
  } catch (error) {
    return isApiError(error) && error.status === 404 ? '' : undefined;
  }
}

function resultOf(error: unknown, step: Step): Result {
  if (isAlreadyImportedError(error)) {
    const platformNumber = error.serviceAccountNumber;
    // It was staged just now, which no imported account can be: what is imported since then is our own doing.
    return step === 'process' ? { happens: 'done', step, platformNumber } : { happens: 'found', platformNumber };
  }
  // The operator's matter or the setting's: the same record goes through when the supplier is Ongoing again.
  if (isApiError(error) && isOfSupplier(error)) return failed(step, 'supplier', error.errors[0]?.code);
  if (isInvalidPayloadError(error) || isTransactionImportError(error) || isRefusal(error)) {
    // An earlier request of the same call may have done it: then this refusal says only that it is there.
    const isInDoubt = ONCE_ONLY.has(step) && error.attempts > 1;
    return { happens: isInDoubt ? 'lost' : 'refused', step, errors: errorsOf(error) };
  }
  if (isOutcomeUnknownError(error) || isResponseMismatchError(error)) return openOrLost(step);
  if (isAbortedError(error)) return error.outcomeUnknown ? undefined : { happens: 'failed', step };
  // Some services do what they were asked to, and fail afterwards.
  if (isServerError(error) && (step === 'process' || ONCE_ONLY.has(step))) return openOrLost(step);
  if (isDataImportError(error)) {
    if (error.nextAction === 'settle') return openOrLost(step);
    const code = 'code' in error ? error.code : undefined;
    return failed(step, error.nextAction === 'fixToken' ? 'token' : undefined, code);
  }
  throw error;
}

function failed(step: Step, of: 'token' | 'supplier' | undefined, code: unknown): Result {
  const said = typeof code === 'string' ? presentable(code) : undefined;
  return { happens: 'failed', step, ...(of !== undefined && { of }), ...(said !== undefined && { code: said }) };
}

/** The supplier is Paused or Complete, or there is none of this code: nothing else was found wrong. */
function isOfSupplier({ status, errors }: ApiError): boolean {
  return status === 400 && errors.length > 0 && errors.every(({ attr }) => SUPPLIER_ATTRS.has(attr));
}

/** Payloads differ in the name of this field. */
const SUPPLIER_ATTRS: ReadonlySet<string> = new Set(['import_supplier', 'import_supplier_code']);

function onceOnly({ signal, resendAfter500 }: CallSettings) {
  return { signal, validate: false, ...(!resendAfter500 && { maxRetries: 0 }) };
}

/** What the service neither recognises when it comes again nor tells of when it is asked. */
const ONCE_ONLY: ReadonlySet<Step> = new Set(['create', 'paymentInstruction', 'statements']);

/** Of an account one can ask whether it was created; of the rest nobody can tell. */
function openOrLost(step: Step): Result {
  return step === 'process' ? undefined : { happens: 'lost', step };
}

/** A decision about the record. What is wrong with the token, the network or the hour is not. */
function isRefusal(error: unknown): error is ApiError {
  return isApiError(error) && error.status >= 400 && error.status < 500 && ![401, 403, 408, 429].includes(error.status);
}

function errorsOf(error: InvalidPayloadError | ApiError): Omit<LedgerError, 'step'>[] {
  const items = error.errors.map(({ code, attr }) => ({
    code: presentable(code) ?? '',
    attr: presentable(attr) ?? '',
  }));
  return items.length > 0
    ? items
    : [{ code: presentable(error.code) ?? `http_${(error as ApiError).status}`, attr: '' }];
}

/** A note without a body is not recognised by the service. */
function hasBodies(payload: BookRecord): boolean {
  return !('business' in payload) && (payload.notes ?? []).every(({ body }) => body !== undefined);
}
