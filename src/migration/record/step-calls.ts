/** `executeStep` makes the call of one step; the lookups find out whether an earlier call took effect. */
import type { HistoricalStatement } from '../../../schemas/payloads/historical-statement.js';
import type { Note } from '../../../schemas/payloads/note.js';
import type { ProcessPayload } from '../../../schemas/payloads/process.js';
import type { Transaction } from '../../../schemas/payloads/transaction.js';
import type { DataImportClient } from '../../client.js';
import type { TransactionImportError } from '../../errors/api-errors.js';
import {
  isAlreadyImportedError,
  isApiError,
  isRateLimitError,
  isResponseMismatchError,
  isTransactionImportError,
} from '../../errors/guards.js';
import type { Profile } from '../../validation/profile.js';
import type {
  AccountRecord,
  BusinessRecord,
  ImportRecord,
  PopulateRecord,
} from '../../validation/records/import-record.js';
import type { LedgerError, LedgerRecord, Step } from '../ledger/ledger.js';
import { checkRecord } from './check-record.js';
import { classifyError, type StepResult } from './classify-error.js';
import { confirmNotes, confirmTransactions, nothingConfirmed } from './items/confirmed-items.js';
import { contradictingTransactions } from './items/contradicting-transactions.js';
import { attrInRecord, instructionsOf, type Placed, placed } from './items/items.js';
import { positionsOf } from './items/missing-items.js';
import { isPopulate } from './record-key.js';

export interface CallSettings {
  client: DataImportClient;
  /** Operations team that processes the accounts. */
  team: string;
  profile: Profile | undefined;
  /** Whether the ledger keeps the names of unknown fields: see `MigrationOptions.showPersonalData`. */
  showPersonalData?: boolean | undefined;
  /** How many transactions go into one request. */
  transactionsAtOnce: number;
  /** How many statements go into one request. */
  statementsAtOnce: number;
  /** How many notes go into one request. */
  notesAtOnce: number;
  /** Whether a refused transaction is set aside and the others are sent. */
  setAside: boolean;
  /**
   * Whether businesses, payment instructions, statements and notes without a body are sent again after a 500. A service
   * that fails after it has done its work then has them twice.
   */
  resendAfter500: boolean;
  /** Whether the service moves transactions that are dated outside the open statement period into it. */
  forceAddToCurrentStatement: boolean;
  /** Whether the service skips transactions that it has. */
  checkPreviouslyAdded: boolean;
  /** Whether items are sent to accounts that existed before: see `MigrationOptions.addToExisting`. */
  addToExisting?: boolean | 'all' | undefined;
  /** Aborts calls in flight. */
  signal: AbortSignal;
}

/** How a step is executed. */
interface Execution {
  /** Called before each request of a step that sends several: the intent must not be older than the request. */
  beforeRequest: () => Promise<void>;
  /** An earlier request of this step got no answer. */
  isRepeated: boolean;
}

const SINGLE: Execution = { beforeRequest: async () => {}, isRepeated: false };

/**
 * Rejects only for a 429, which had no effect: the call queue then starts the call again. Returns an event for every
 * other failure of the service or the network. Any other rejection is a bug, and must stop the run.
 */
export async function executeStep(
  step: Step,
  record: LedgerRecord,
  payload: ImportRecord,
  settings: CallSettings,
  { beforeRequest, isRepeated }: Execution = SINGLE,
): Promise<StepResult> {
  try {
    if (isPopulate(payload)) return await performPopulate(step, payload, settings);
    return 'business' in payload
      ? await performBusiness(step, record, payload, settings)
      : await performAccount(step, record, payload, settings, beforeRequest);
  } catch (error) {
    if (step === 'dryRun' && isResponseMismatchError(error)) return dryRunTookEffect(record, settings);
    if ((step === 'stage' || step === 'process') && isResponseMismatchError(error)) {
      const other = answerOfAnother(step, record, error.body);
      if (other !== undefined) return other;
    }
    if (isRateLimitError(error) && !error.mayHaveSucceeded) throw error;
    if (isAlreadyImportedError(error) && isOfAnother(error.externalAccountNumber, record)) {
      const serviceNumber = error.serviceAccountNumber;
      return { type: 'alreadyExists', serviceNumber, isOfAnother: true };
    }
    return classifyError(error, step, { isRepeated });
  }
}

/** The service takes the numbers of two accounts for one, and has the other. */
function isOfAnother(number: string | undefined, record: LedgerRecord): boolean {
  return number !== undefined && number !== '' && number !== record.number;
}

/** By which an answer may name the account that it is about; deployments differ in the name of the supplier's field. */
const NAMES = [
  ['external_account_number', 'number'],
  ['import_supplier', 'supplier'],
  ['import_supplier_code', 'supplier'],
] as const;

/** Something between mixes up answers, or the service does; undefined where the answer names no other account. */
function answerOfAnother(step: Step, record: LedgerRecord, answer: unknown): StepResult {
  if (typeof answer !== 'object' || answer === null) return undefined;
  const attr = NAMES.find(([field, part]) => {
    const named = (answer as Record<string, unknown>)[field];
    return (typeof named === 'string' || typeof named === 'number') && named !== '' && String(named) !== record[part];
  })?.[0];
  if (attr === undefined) return undefined;
  return { type: 'outcomeUnknown', step, errors: [{ code: 'other_account', attr }], isOfAnother: true };
}

/** A dry run never succeeds by its status: where one does, the service may have created the account. */
async function dryRunTookEffect(record: LedgerRecord, settings: CallSettings): Promise<StepResult> {
  const serviceNumber = await findServiceNumber(record, settings);
  if (serviceNumber === undefined) return { type: 'outcomeUnknown', step: 'dryRun' };
  return serviceNumber === ''
    ? { type: 'stepFailed', step: 'dryRun', code: 'answer_not_understood' }
    : { type: 'stepSucceeded', step: 'process', serviceNumber };
}

async function performPopulate(step: Step, payload: PopulateRecord, settings: CallSettings): Promise<StepResult> {
  if (step === 'check') return checked(payload, settings);
  const { batch_id } = await settings.client.supplyPoints.populate(payload.populate, onceOnly(settings));
  return { type: 'stepSucceeded', step, serviceNumber: batch_id };
}

async function performBusiness(
  step: Step,
  record: LedgerRecord,
  payload: BusinessRecord,
  settings: CallSettings,
): Promise<StepResult> {
  const { client } = settings;
  if (step === 'check') return checked(payload, settings);
  if (step === 'paymentInstruction') {
    const key = { import_supplier_code: record.supplier, external_business_identifier: record.number };
    return addPaymentInstruction(record, payload, (instruction) =>
      client.businesses.createPaymentInstruction({ ...key, ...instruction }, onceOnly(settings)),
    );
  }
  const { service_business_id } = await client.businesses.create(payload.business, onceOnly(settings));
  return { type: 'stepSucceeded', step, serviceNumber: String(service_business_id) };
}

async function performAccount(
  step: Step,
  record: LedgerRecord,
  payload: AccountRecord,
  settings: CallSettings,
  beforeRequest: () => Promise<void>,
): Promise<StepResult> {
  const { client } = settings;
  const { account, notes, transactions, statements } = payload;
  const key = { import_supplier: record.supplier, external_account_number: record.number };
  switch (step) {
    case 'check':
      return checked(payload, settings);
    case 'validate':
      await client.accounts.validate(account, { signal: settings.signal, ...OF_EVERY_CALL });
      break;
    case 'stage': {
      const answer = await client.accounts.stage(account, oneRequest(settings));
      return answerOfAnother(step, record, answer) ?? { type: 'stepSucceeded', step };
    }
    case 'dryRun':
      await client.accounts.dryRun(processingOf(record, settings), { signal: settings.signal, ...OF_EVERY_CALL });
      break;
    case 'process': {
      const answer = await client.accounts.process(processingOf(record, settings), oneRequest(settings));
      const serviceNumber = answer.service_account_number;
      return answerOfAnother(step, record, answer) ?? { type: 'stepSucceeded', step, serviceNumber };
    }
    case 'paymentInstruction':
      return addPaymentInstruction(record, payload, (instruction) =>
        client.paymentInstructions.create({ ...key, ...instruction }, onceOnly(settings)),
      );
    case 'statements':
      return addStatements(key, placed(statements, positionsOf(record, step)), settings);
    case 'transactions':
      return addTransactions(key, transactions ?? [], positionsOf(record, step), settings, beforeRequest);
    case 'notes':
      return addNotes(key, placed(notes, positionsOf(record, step)), settings);
    case 'populate':
    case 'create':
      throw new Error(`migration: an account has no step "${step}".`);
  }
  return { type: 'stepSucceeded', step };
}

function processingOf({ supplier, number }: LedgerRecord, { team }: CallSettings): Omit<ProcessPayload, 'dry_run'> {
  return { import_supplier_code: supplier, external_account_number: number, operations_team_name: team };
}

/** One payment instruction per request; each request has its own intent. */
async function addPaymentInstruction<Record extends ImportRecord>(
  record: LedgerRecord,
  payload: Record,
  create: (instruction: ReturnType<typeof instructionsOf<Record>>[number]) => PromiseLike<unknown>,
): Promise<StepResult> {
  const step = 'paymentInstruction';
  const [next] = placed(instructionsOf(payload), positionsOf(record, step));
  if (next === undefined) return { type: 'stepSucceeded', step };
  try {
    await create(next.item);
    return { type: 'stepSucceeded', step };
  } catch (error) {
    if (isRateLimitError(error) || !('payment_instructions' in payload)) throw error;
    const result = classifyError(error, step);
    if (result?.type !== 'stepRejected' && result?.type !== 'outcomeUnknown') return result;
    const errors = result.errors?.map(({ code, attr }) => {
      const place = ['payment_instructions', next.position, attr].filter((part) => part !== '');
      return { code, attr: place.join('.') };
    });
    return { ...result, ...(errors && { errors }) };
  }
}

/** In one request: of one that is refused nothing is kept, whichever of its statements it names. */
async function addStatements(
  key: AccountKey,
  statements: readonly Placed<HistoricalStatement>[],
  settings: CallSettings,
): Promise<StepResult> {
  const step = 'statements';
  try {
    // Spreads come last, as in step.ts.
    const payload = { statements: statements.map(({ item }) => item), ...key };
    await settings.client.historicalStatements.create(payload, onceOnly(settings));
    return { type: 'stepSucceeded', step };
  } catch (error) {
    if (isRateLimitError(error)) throw error;
    return inRecord(classifyError(error, step), statements);
  }
}

/** In one request: of one that is refused nothing is kept, whichever of its notes it names. */
async function addNotes(key: AccountKey, notes: readonly Placed<Note>[], settings: CallSettings): Promise<StepResult> {
  const step = 'notes';
  const payload = { notes: notes.map(({ item }) => item), ...key };
  const isRepeatable = notes.every(({ item }) => item.body !== undefined);
  try {
    const call = settings.client.notes.create(payload, isRepeatable ? oneRequest(settings) : onceOnly(settings));
    const results = await entriesOf(call, (answer) => answer);
    const told = nothingConfirmed();
    confirmNotes(notes, results, told, (text) => settings.client.maskSecrets(text));
    return { type: 'stepSucceeded', step, ...told };
  } catch (error) {
    if (isRateLimitError(error)) throw error;
    return inRecord(classifyError(error, step, { isRepeatable }), notes);
  }
}

/** The entries of an answer, also of one whose entries are not as the specification shows them. */
async function entriesOf<Answer>(
  call: PromiseLike<Answer>,
  entriesIn: (answer: Answer) => unknown,
): Promise<readonly unknown[]> {
  try {
    return entriesIn(await call) as readonly unknown[];
  } catch (error) {
    const { body } = isResponseMismatchError(error) ? error : {};
    const entries = typeof body === 'object' && body !== null ? entriesIn(body as Answer) : undefined;
    if (Array.isArray(entries)) return entries;
    throw error;
  }
}

interface AccountKey {
  import_supplier: string;
  external_account_number: string;
}

/**
 * In batches; a transaction that the service had already is skipped by it. A request of which one fails keeps nothing,
 * or what stood before: either way the rest can be sent again. Where the service does not look for those that it has, all
 * go in one request, which is sent once: its intent then stands for exactly these.
 */
async function addTransactions(
  key: AccountKey,
  transactions: readonly Transaction[],
  positions: readonly number[] | null,
  settings: CallSettings,
  beforeRequest: () => Promise<void>,
): Promise<StepResult> {
  const { client, transactionsAtOnce, setAside, checkPreviouslyAdded: isRepeatable } = settings;
  const step = 'transactions';
  const options = {
    ...(isRepeatable ? oneRequest(settings) : onceOnly(settings)),
    ...transactionsQuery(settings),
  };
  const told = nothingConfirmed();
  const { items, errors } = told;
  const contradicting = contradictingTransactions(transactions);
  let rest = placed(transactions, positions);
  if (contradicting.size > 0) {
    // The service may take them for the earlier ones and skip them.
    const refused = positionsIn(rest).filter((position) => contradicting.has(position));
    items.rejected.push(...refused);
    errors.push(
      ...refused.map((position) => ({ code: 'contradicting_transaction', attr: `transactions.${position}` })),
    );
    rest = rest.filter(({ position }) => !contradicting.has(position));
  }
  while (rest.length > 0) {
    const batch = isRepeatable ? rest.slice(0, transactionsAtOnce) : rest;
    try {
      const payload = { transactions: batch.map(({ item }) => item), ...key };
      await beforeRequest();
      const call = client.transactions.create(payload, options);
      confirmTransactions(batch, await entriesOf(call, ({ results }) => results), told, (text) =>
        client.maskSecrets(text),
      );
      rest = rest.slice(batch.length);
    } catch (error) {
      if (isRateLimitError(error) && (isRepeatable || !error.mayHaveSucceeded)) throw error;
      const failing = isTransactionImportError(error) ? batch.find(({ item }) => isSame(item, error)) : undefined;
      if (setAside && isRepeatable && failing !== undefined) {
        errors.push(importErrorOf(failing.position));
        items.rejected.push(failing.position);
        rest = rest.filter(({ position }) => position !== failing.position);
        continue;
      }
      const result = inRecord(classifyError(error, step, { isRepeatable }), batch);
      if (result?.type !== 'stepRejected' && result?.type !== 'outcomeUnknown') return result;
      errors.push(...(failing === undefined ? (result.errors ?? []) : [importErrorOf(failing.position)]));
      rest = rest.slice(batch.length);
      if (!isRepeatable && result.type === 'stepRejected' && isTransactionImportError(error)) {
        const kept = failing === undefined ? batch : batch.slice(0, batch.indexOf(failing));
        // The service may have kept those before the failing one (U15), and would add them a second time.
        items.unknown.push(...positionsIn(kept));
        items.rejected.push(...positionsIn(batch.slice(kept.length, kept.length + 1)));
        items.notSent.push(...positionsIn(batch.slice(kept.length + 1)));
        return { type: kept.length > 0 ? 'outcomeUnknown' : 'stepRejected', step, ...told };
      }
      // An item that may have been added does not block the others; a refused one does.
      items[result.type === 'outcomeUnknown' ? 'unknown' : 'rejected'].push(...positionsIn(batch));
      if (result.type === 'outcomeUnknown') continue;
      items.notSent.push(...positionsIn(rest));
      return { type: 'stepRejected', step, ...told };
    }
  }
  return { type: 'stepSucceeded', step, ...told };
}

function positionsIn(items: readonly Placed<unknown>[]): number[] {
  return items.map(({ position }) => position);
}

/** With the places that the items have in the record. */
function inRecord(result: StepResult, items: readonly Placed<unknown>[]): StepResult {
  if (result?.type !== 'stepRejected') return result;
  const positions = positionsIn(items);
  return { ...result, errors: result.errors.map((error) => ({ ...error, attr: attrInRecord(error.attr, positions) })) };
}

function importErrorOf(position: number): Omit<LedgerError, 'step'> {
  return { code: 'transaction_import_error', attr: `transactions.${position}` };
}

/** By its id, or, where it has none, by everything that the answer repeats of it. */
function isSame(sent: Transaction, { transaction }: TransactionImportError): boolean {
  if (sent.transaction_id !== undefined) return sent.transaction_id === transaction?.['transaction_id'];
  const { amount, reason = sent.reason } = transaction ?? {};
  return (
    (['transaction_date', 'type', 'reference'] as const).every((field) => sent[field] === transaction?.[field]) &&
    sent.reason === reason &&
    // A number where it is sent, and a decimal as text where it comes back.
    (amount === undefined || Number(amount) === Number(sent.amount))
  );
}

function checked(payload: ImportRecord, { profile, showPersonalData }: CallSettings): StepResult {
  const errors = checkRecord(payload, profile, showPersonalData);
  return errors.length === 0
    ? { type: 'stepSucceeded', step: 'check' }
    : { type: 'stepRejected', step: 'check', errors };
}

/** Empty where the platform has no such account; undefined where it cannot be asked. */
export async function findServiceNumber(
  record: LedgerRecord,
  settings: Pick<CallSettings, 'client' | 'signal'>,
): Promise<string | undefined> {
  try {
    return await queryServiceNumber(record, settings);
  } catch {
    return undefined;
  }
}

/** The service account number, empty where the service has no such account. Rejects where it cannot be asked. */
export async function queryServiceNumber(
  { supplier, number }: LedgerRecord,
  { client, signal }: Pick<CallSettings, 'client' | 'signal'>,
): Promise<string> {
  try {
    const { service_account_number } = await client.imports.status(
      { import_supplier_code: supplier, external_account_number: number },
      { signal },
    );
    return service_account_number;
  } catch (error) {
    if (isApiError(error) && error.status === 404) return '';
    throw error;
  }
}

/** Everything was checked in the first step; and a 429 is waited out where all calls of the run wait. */
const OF_EVERY_CALL = { validate: false, maxThrottleWaitMs: 0 };
const SENT_ONCE = { ...OF_EVERY_CALL, maxRetries: 0 };
const ONE_REQUEST = { ...SENT_ONCE, retryUnknownOutcome: false };

function onceOnly({ signal, resendAfter500 }: CallSettings) {
  return resendAfter500 ? { signal, ...OF_EVERY_CALL } : { signal, ...SENT_ONCE };
}

/** Each request has its own intent, so the run repeats it and not the client. */
function oneRequest({ signal }: CallSettings) {
  return { signal, ...ONE_REQUEST };
}

/** As the service takes both for true, only false is sent. */
function transactionsQuery({ forceAddToCurrentStatement, checkPreviouslyAdded }: CallSettings) {
  return {
    ...(!forceAddToCurrentStatement && { forceAddToCurrentStatement }),
    ...(!checkPreviouslyAdded && { checkPreviouslyAdded }),
  };
}

/** Whether the service can recognise each note that the step sends. */
export function hasBodies(record: LedgerRecord, payload: ImportRecord): boolean {
  if (!('account' in payload)) return false;
  return placed(payload.notes, positionsOf(record, 'notes')).every(({ item }) => item.body !== undefined);
}
