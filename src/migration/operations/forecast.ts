/**
 * Exports `forecast`, which computes what a run would do with an input: records and items, rejections of the local check, and the
 * remaining requests. It uses the same plan as a run. Memory holds some 100 bytes per record.
 */
import { hash as digest } from 'node:crypto';
import type { Profile } from '../../validation/profile.js';
import { OTHER_CONTENT, SAME_CONTENT } from '../../validation/records/check-records.js';
import type { ImportRecord } from '../../validation/records/import-record.js';
import { createComparisons } from '../../validation/records/warnings-between-records.js';
import type { Input } from '../input/source.js';
import type { Ledger, LedgerRecord, RecordKey, Step } from '../ledger/ledger.js';
import { beforeOpenPeriodFinding, countBeforeOpenPeriod } from '../record/before-open-period.js';
import { applyEvent } from '../record/events/apply-event.js';
import { canStartOver, isUnanswered } from '../record/events/record-state.js';
import { countItems, countRecord } from '../record/items/count-items.js';
import { mostAtOnce, positionsWhere } from '../record/items/item-states.js';
import { isItemStep } from '../record/items/items.js';
import { isHeldBack, isLineOf, isSkippedWhereThere, itemsEventOf } from '../record/items-to-send-again.js';
import { wasCorrected } from '../record/line-of-known-record.js';
import { type NextStepSettings, nextStep } from '../record/next-step.js';
import { contractId, contractOf, contractsOf, keyOf } from '../record/record-key.js';
import type { StepSettings } from '../record/steps/call-settings.js';
import { errorsIn, shownError } from '../record/steps/check-record.js';
import { createOwnValueIndex } from '../report/summary/input-report.js';
import { newRecord } from '../run/process-line.js';
import type { ReadLine } from '../run/run-context.js';
import { digestsOf, noteOfDigests } from '../shared/content-digests.js';
import { ITEM_KINDS } from '../shared/format.js';
import { createHashSet } from '../shared/hash-set.js';
import { type LinePlace, linePlace } from '../shared/place.js';
import { zeros } from '../shared/zero-counts.js';
import { type PlacedFinding, shownValue } from './check-input.js';

export interface ForecastOptions extends NextStepSettings, StepSettings {
  /** The ledger of earlier sessions; undefined if there were none. */
  ledger: Ledger | undefined;
  profile: Profile | undefined;
  retryRejected: boolean;
  /** The findings have values, and the names of unknown fields. */
  showPersonalData?: boolean | undefined;
  /** Called with each reason why a line is not sent, and with a warning about what the service may reject. */
  onFinding?: (finding: PlacedFinding) => void;
}

export type Forecast = Awaited<ReturnType<typeof forecast>>;

/** In the order of the steps. `status` resolves an unanswered `process`. */
const OPERATIONS = {
  status: 'imports.status',
  populate: 'supplyPoints.populate',
  create: 'businesses.create',
  instructionOfBusiness: 'businesses.createPaymentInstruction',
  validate: 'accounts.validate',
  stage: 'accounts.stage',
  dryRun: 'accounts.dryRun',
  process: 'accounts.process',
  paymentInstruction: 'paymentInstructions.create',
  statements: 'historicalStatements.create',
  transactions: 'transactions.create',
  notes: 'notes.create',
} as const;

const COUNTS = ['lines', 'businesses', 'accounts', 'rejected', 'skipped', 'waiting', 'ended'] as const;

/** Reads the input once. Rejects if the ledger or the input cannot be read. */
export async function forecast(input: Input, options: ForecastOptions) {
  const { ledger, onFinding = () => {} } = options;
  // Items of the records, also of those that the run does not send; and of records that the local check rejects, or whose business.
  const [items, itemsNotSent] = [zeros(ITEM_KINDS), zeros(ITEM_KINDS)];
  /** `rejected`: lines and records; `skipped`: lines with the number of another line; `waiting`: accounts whose business is rejected. */
  const counts: Record<(typeof COUNTS)[number], number> & { populates?: number } = zeros(COUNTS);
  const requests = zeros(Object.values(OPERATIONS));
  const met = createHashSet();
  /** Contracts of businesses that are rejected. */
  const rejectedContracts = new Set<string>();
  const beforeOpenPeriod = countBeforeOpenPeriod();
  const [comparisons, values] = [createComparisons<LinePlace>(), createOwnValueIndex()];

  for await (const item of input) {
    counts.lines++;
    const read = item.read();
    const key = 'record' in read ? keyOf(read.record) : undefined;
    if (!('record' in read) || key === undefined) {
      counts.rejected++;
      for (const error of 'record' in read ? errorsOf(read.record, options) : [read.problem]) {
        onFinding({ ...linePlace(item), ...error, severity: 'error' });
      }
      continue;
    }
    const { record: payload } = read;
    const contentHash = digestsOf(payload, key.number);
    const [id, content] = [digest('sha256', JSON.stringify(key)), noteOfDigests(contentHash)];
    if (!met.add(id, content)) {
      counts.skipped++;
      const found = met.noteOf(id) === content ? SAME_CONTENT : OTHER_CONTENT;
      onFinding({ ...linePlace(item), attr: ATTRS[key.kind], ...found });
      continue;
    }
    countRecord(payload, counts);
    countItems(payload, items);
    beforeOpenPeriod.add(payload, item);
    comparisons.add({ ...payload }, linePlace(item));
    values.add(payload, item);
    const record = recordToContinue(await ledger?.find(key), { item, payload, key, contentHash }, options);
    const contract = contractOf(payload);
    const errors = record !== 'ended' && record.done === null ? errorsOf(payload, options) : [];
    if (record === 'ended') counts.ended++;
    else if (errors.length > 0) {
      counts.rejected++;
      countItems(payload, itemsNotSent);
      for (const error of errors) onFinding({ ...linePlace(item), ...error });
      for (const id of contractsOf(payload)) rejectedContracts.add(contractId(key.supplier, id));
    } else if (contract !== undefined && rejectedContracts.has(contractId(key.supplier, contract))) {
      counts.waiting++;
      countItems(payload, itemsNotSent);
    } else addRequests(record, payload, options, requests);
  }
  const moved = beforeOpenPeriodFinding(beforeOpenPeriod.counts());
  if (moved !== undefined) onFinding(moved);
  for (const { first, ...found } of [...comparisons.findings(), ...values.findings()]) {
    const [earliest, ...others] = first.map(({ place, attr }) => ({ ...place, attr }));
    if (earliest !== undefined) onFinding({ ...found, ...earliest, severity: 'warning', others });
  }
  /** Those dated before the open statement period, if the input has that period. */
  const { transactions: transactionsBeforeOpenPeriod } = beforeOpenPeriod.counts();
  const sent: Readonly<Record<string, number>> = Object.fromEntries(
    Object.entries(requests).filter(([, count]) => count > 0),
  );
  /** `requests`: by operation, without retries after a failure. */
  return { ...counts, transactionsBeforeOpenPeriod, items, itemsNotSent, requests: sent };
}

/** Where the number of a record is. */
const ATTRS: Readonly<Record<RecordKey['kind'], string>> = {
  populate: 'populate',
  business: 'business.external_business_identifier',
  account: 'account.external_account_number',
};

function errorsOf(
  record: ImportRecord,
  { profile, showPersonalData }: Pick<ForecastOptions, 'profile' | 'showPersonalData'>,
): Omit<PlacedFinding, 'source' | 'line'>[] {
  return errorsIn(record, profile).map((finding) => ({
    ...{ detail: finding.detail, severity: finding.severity, ...shownError(finding, showPersonalData) },
    ...(showPersonalData && shownValue(finding.attr, record)),
  }));
}

/** Returns the record as `runInput` would continue it: at its next step, from the beginning, or with the missing items. */
function recordToContinue(
  known: LedgerRecord | undefined,
  line: ReadLine,
  options: Pick<ForecastOptions, 'addToExisting' | 'check_previously_added' | 'retryRejected'>,
): LedgerRecord | 'ended' {
  if (known === undefined) return newRecord(line);
  const isRetried = options.retryRejected;
  if (!isLineOf(known, line) && wasCorrected(known, { ...line, isRetried }, options)) return 'ended';
  const isAnew = !isLineOf(known, line) || (isRetried && known.outcome === 'rejected');
  if (isAnew && canStartOver(known)) return newRecord(line);
  const again = itemsEventOf(known, { ...line, isRetried }, options);
  if (again !== undefined) return applyEvent(known, again, known.updatedAt);
  return known.outcome === null && !isHeldBack(known, { ...line, isRetried }, options) ? known : 'ended';
}

function addRequests(
  record: LedgerRecord,
  payload: ImportRecord,
  settings: ForecastOptions,
  requests: Record<(typeof OPERATIONS)[keyof typeof OPERATIONS], number>,
): void {
  for (let current = record; current.outcome === null; ) {
    const next = nextStep(current, payload, settings);
    if (next.kind === 'finished') return;
    const { step } = next;
    const isAsked = next.kind === 'reconcile' && step === 'process';
    // A query can tell the outcome of `process` only.
    const isLost = !isAsked && next.kind === 'reconcile' && isUnanswered(current);
    if (isAsked) requests[OPERATIONS.status]++;
    if (step !== 'check' && !isLost) {
      const isOfBusiness = step === 'paymentInstruction' && 'business' in payload;
      requests[OPERATIONS[isOfBusiness ? 'instructionOfBusiness' : step]] += requestsOf(
        step,
        current,
        payload,
        settings,
      );
    }
    current = applyEvent(current, { type: isLost ? 'outcomeUnknown' : 'stepSucceeded', step }, current.updatedAt);
  }
}

function requestsOf(step: Step, { items }: LedgerRecord, payload: ImportRecord, settings: ForecastOptions): number {
  if (!isItemStep(step) || (step === 'transactions' && !isSkippedWhereThere(step, payload, settings))) return 1;
  const isNext = positionsWhere(items[step], ({ status }) => status === 'waiting' || status === 'sending');
  return Math.ceil(isNext.length / mostAtOnce(step, settings));
}
