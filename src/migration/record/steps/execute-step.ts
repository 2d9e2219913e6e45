/** Exports `executeStep`, which makes the call of one step of a record. */
import type { ProcessPayload } from '../../../../schemas/payloads/process.js';
import { AlreadyImportedError, RateLimitError } from '../../../errors/api-errors.js';
import { ResponseMismatchError } from '../../../errors/client-errors.js';
import type {
  AccountRecord,
  BusinessRecord,
  ImportRecord,
  PopulateRecord,
} from '../../../validation/records/import-record.js';
import { plainNumber } from '../../../validation/records/plain-number.js';
import type { LedgerRecord, Step } from '../../ledger/ledger.js';
import { sendingAt } from '../items/item-states.js';
import { placed } from '../items/items.js';
import { isPopulate } from '../record-key.js';
import { type CallSettings, callRepeatedByRun, STEP_CALL, unrepeatableCall } from './call-settings.js';
import { checkRecord } from './check-record.js';
import { classifyError, type StepResult } from './classify-error.js';
import { ofAnother, otherNameOf } from './own-answer.js';
import { sendNotes, sendPaymentInstruction, sendStatements } from './send-items.js';
import { sendTransactions } from './send-transactions.js';
import { findAccount, statusQuery } from './service-number.js';
import { withoutSecrets } from './without-secrets.js';

/** How a step is executed. */
interface Execution {
  /** Called before each request of a step with several, to renew the intent. */
  beforeRequest: () => Promise<void>;
  /** An earlier request of this step got no answer. */
  isRepeated: boolean;
}

const SINGLE: Execution = { beforeRequest: async () => {}, isRepeated: false };

/**
 * Makes the call of one step and returns the event of its result.
 *
 * Rejects only for a 429, which had no effect: the call queue then starts the call again. Returns an event for every
 * other failure of the service or the network. Any other rejection is a bug, and must stop the run.
 */
export async function executeStep(
  step: Step,
  record: LedgerRecord,
  payload: ImportRecord,
  settings: CallSettings,
  execution: Execution = SINGLE,
): Promise<StepResult> {
  return withoutSecrets(await resultOf(step, record, payload, settings, execution), settings.client);
}

async function resultOf(
  step: Step,
  record: LedgerRecord,
  payload: ImportRecord,
  settings: CallSettings,
  { beforeRequest, isRepeated }: Execution,
): Promise<StepResult> {
  try {
    if (isPopulate(payload)) return await executePopulate(step, payload, settings);
    return payload.business !== undefined
      ? await executeBusiness(step, record, payload, settings)
      : await executeAccount(step, record, payload, settings, beforeRequest);
  } catch (error) {
    const isOfAnother = otherNameOf(error) !== undefined;
    if (step === 'dryRun' && error instanceof ResponseMismatchError && !isOfAnother)
      return dryRunTookEffect(record, settings);
    if (error instanceof RateLimitError && !error.mayHaveSucceeded) throw error;
    if (error instanceof AlreadyImportedError && isOtherNumber(error.externalAccountNumber, record)) {
      const { externalAccountNumber, serviceAccountNumber: serviceNumber } = error;
      // The service takes both numbers for one, or the answer belongs to another request.
      return plainNumber(externalAccountNumber) === plainNumber(record.number)
        ? { type: 'alreadyExists', serviceNumber, isOfAnother: true }
        : ofAnother(step, 'external_account_number');
    }
    return classifyError(error, step, { ...settings, isRepeated, body: wholeOf(payload) });
  }
}

function wholeOf(payload: ImportRecord): unknown {
  if (isPopulate(payload)) return payload.populate;
  return 'business' in payload ? payload.business : payload.account;
}

/** A dry run never succeeds by its status. If one does, the service may have created the account. */
async function dryRunTookEffect(record: LedgerRecord, settings: CallSettings): Promise<StepResult> {
  const account = await findAccount(record, settings);
  if (account === undefined) return { type: 'stepFailed', step: 'dryRun', code: 'answer_not_understood' };
  if (account === 'not answered' || account.number === null) return { type: 'outcomeUnknown', step: 'dryRun' };
  return { type: 'stepSucceeded', step: 'process', serviceNumber: account.number };
}

async function executePopulate(step: Step, payload: PopulateRecord, settings: CallSettings): Promise<StepResult> {
  if (step === 'check') return executeCheck(payload, settings);
  const { batch_id } = await settings.client.supplyPoints.populate(payload.populate, unrepeatableCall(settings));
  return { type: 'stepSucceeded', step, serviceNumber: batch_id };
}

async function executeBusiness(
  step: Step,
  record: LedgerRecord,
  payload: BusinessRecord,
  settings: CallSettings,
): Promise<StepResult> {
  const { client } = settings;
  if (step === 'check') return executeCheck(payload, settings);
  if (step === 'paymentInstruction') {
    const key = { import_supplier_code: record.supplier, external_business_identifier: record.number };
    return sendPaymentInstruction(record, payload, settings, (instruction) =>
      client.businesses.createPaymentInstruction({ ...key, ...instruction }, unrepeatableCall(settings)),
    );
  }
  const { service_business_id } = await client.businesses.create(payload.business, unrepeatableCall(settings));
  return { type: 'stepSucceeded', step, serviceNumber: String(service_business_id) };
}

async function executeAccount(
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
      return executeCheck(payload, settings);
    case 'validate':
      await client.accounts.validate(account, { signal: settings.signal, ...STEP_CALL });
      break;
    case 'stage':
      await client.accounts.stage(account, callRepeatedByRun(settings));
      break;
    case 'dryRun':
      await client.accounts.dryRun(processingOf(record, settings), { signal: settings.signal, ...STEP_CALL });
      break;
    case 'process': {
      const answer = await client.accounts.process(processingOf(record, settings), callRepeatedByRun(settings));
      return { type: 'stepSucceeded', step, serviceNumber: answer.service_account_number };
    }
    case 'paymentInstruction':
      return sendPaymentInstruction(record, payload, settings, (instruction) =>
        client.paymentInstructions.create({ ...key, ...instruction }, unrepeatableCall(settings)),
      );
    case 'statements':
      return sendStatements(record, key, placed(statements, sendingAt(record, step)), settings);
    case 'transactions':
      return sendTransactions(record, key, transactions ?? [], sendingAt(record, step), settings, beforeRequest);
    case 'notes':
      return sendNotes(key, placed(notes, sendingAt(record, step)), settings);
    case 'populate':
    case 'create':
      throw new Error(`migration: an account has no step "${step}".`);
  }
  return { type: 'stepSucceeded', step };
}

function processingOf(record: LedgerRecord, { team }: CallSettings): Omit<ProcessPayload, 'dry_run'> {
  return { ...statusQuery(record), operations_team_name: team };
}

function executeCheck(payload: ImportRecord, { profile, showPersonalData }: CallSettings): StepResult {
  const errors = checkRecord(payload, profile, showPersonalData);
  return errors.length === 0
    ? { type: 'stepSucceeded', step: 'check' }
    : { type: 'stepRejected', step: 'check', errors };
}

/** Returns whether the answer names the account by another number. */
function isOtherNumber(number: string | undefined, record: LedgerRecord): boolean {
  return number !== undefined && number !== '' && number !== record.number;
}
