/** Decides what to do about an input line whose record is already in the ledger. */
import { hasText } from '../../../schemas/payloads/note.js';
import type { ImportRecord } from '../../validation/records/import-record.js';
import type { InputLine } from '../input/source.js';
import { ITEM_STEPS, type ItemStep, type Ledger, type LedgerRecord, type RecordItems } from '../ledger/ledger.js';
import { applyEvent } from './events/apply-event.js';
import { NOT_SENT } from './events/apply-to-existing.js';
import type { RecordEvent } from './events/record-event.js';
import { canStartOver, wasRejectedAt } from './events/record-state.js';
import { asLineHas, changedItems, itemsIn, unsentOf, wasAnySent } from './items/item-counts.js';
import { hashWithout } from './items/items.js';
import { contractOf } from './record-key.js';
import type { CallSettings } from './steps/call-settings.js';
import { warningsOf } from './steps/check-record.js';
import { isNumberOfOther, releaseNumber, withOwnNumber } from './steps/own-answer.js';
import { type ReconcileContext, reconcileProcess, remainingWaitMs } from './steps/reconcile.js';
import { findAccount } from './steps/service-number.js';

export interface ResumeContext
  extends ReconcileContext,
    Pick<CallSettings, 'addToExisting' | 'check_previously_added' | 'profile'> {
  ledger: Ledger;
  /** Set if the input consists of corrected lines: an ended record then keeps the place of its original line. */
  correctedLines?: object | undefined;
  now: () => Date;
  /** `before`: the record as an earlier session left it. */
  onEvent: (record: LedgerRecord, event: RecordEvent, before: LedgerRecord) => void;
}

/** `isRetried`: rejected records and items are sent again even if the line is unchanged. */
export interface KnownLine {
  item: InputLine;
  payload: ImportRecord;
  /** Of the payload. */
  contentHash: string;
  isRetried: boolean;
}

/** Returns whether the line has the content of the record, whatever its bytes. */
export function isLineOf({ hash, contentHash }: LedgerRecord, line: Pick<KnownLine, 'item' | 'contentHash'>): boolean {
  return hash === line.item.hash || contentHash === line.contentHash;
}

/** Returns whether items of an existing account were not sent. */
export function hasUnsent({ outcome, items }: LedgerRecord): boolean {
  return (
    (outcome === 'created' || outcome === 'alreadyImported') &&
    ITEM_STEPS.some((step) => unsentOf(items?.[step] ?? null) > 0)
  );
}

/**
 * Returns whether `retry` has replaced this input line by a corrected line, so that this line is not sent any more. An unfinished
 * record continues only with its corrected line.
 */
export function wasCorrected(
  known: LedgerRecord,
  { contentHash }: Pick<KnownLine, 'contentHash'>,
  { addToExisting }: Pick<CallSettings, 'addToExisting'>,
): boolean {
  if (known.correctedFrom !== contentHash) return false;
  if (known.outcome === null) return true;
  return !canStartOver(known) && !(addToExisting && hasUnsent(known));
}

/**
 * How a known record continues. `changed`: it exists, and the line differs in items that are not to be sent again.
 * `corrected`: `retry` has already replaced this line by a corrected one. `ended`: nothing to do. `waits`: its last
 * request may still be running; look again after `waitMs`.
 */
export type ResumedRecord =
  | { record: LedgerRecord; state: 'continues' | 'ended' | 'changed' | 'corrected' }
  | { record: LedgerRecord; state: 'waits'; waitMs: number | undefined };

export async function resumeRecord(known: LedgerRecord, line: KnownLine, run: ResumeContext): Promise<ResumedRecord> {
  const { item, payload, isRetried } = line;
  const isSame = isLineOf(known, line);
  if (run.correctedLines === undefined && known.correctedFrom !== null) {
    const isReplaced = !isSame && wasCorrected(known, line, run);
    const record = await withReplacedLine(known, isReplaced ? itemsIn(payload) : null, run);
    if (isReplaced) return { record, state: 'corrected' };
    known = record;
  }
  if (isSame && known.outcome === null) return { record: await asWritten(known, item, run), state: 'continues' };
  if (known.intent === 'process' && known.outcome === null) return reconciled(known, line, run);
  const settled = await resolveRejection(known, isSame ? isRetried : true, run);
  if (settled === 'undecided') return { record: known, state: 'waits', waitMs: undefined };
  const from = correctedFrom(settled, line, run);
  if (isSame && settled.outcome === null) return { record: await asWritten(settled, item, run), state: 'continues' };
  if (isSame ? isRetried && settled.outcome === 'rejected' : canStartOver(settled)) {
    const contract = contractOf(payload) ?? null;
    const items = itemsIn(payload);
    const warnings = warningsOf(payload, run.profile);
    const event: RecordEvent = {
      type: 'lineChanged',
      ...placeOf(line),
      correctedFrom: from,
      contract,
      items,
      warnings,
    };
    return { record: await storeEvent(settled, event, run), state: 'continues' };
  }
  // Items that were resolved as not done are sent again as they are now in the line.
  const isSentAgain =
    settled.outcome === null && (settled.missing?.pending.length ?? 0) > 0 && !settled.missing?.isOfRetry;
  const again = isRetried || isSentAgain ? retryEventOf(settled, line, isRetried) : undefined;
  if (again !== undefined)
    return {
      record: await storeEvent(
        settled,
        { ...again, correctedFrom: from, warnings: warningsOf(payload, run.profile) },
        run,
      ),
      state: 'continues',
    };
  const adding = addItemsEventOf(settled, line, run) ?? (isSame ? undefined : withoutUnsentItems(settled, line));
  if (adding !== undefined) return { record: await storeEvent(settled, adding, run), state: 'continues' };
  if (!isSame) return { record: settled, state: 'changed' };
  return { record: run.correctedLines === undefined ? await asWritten(settled, item, run) : settled, state: 'ended' };
}

/** Stores the items of the input line that a corrected line replaced, if their amounts are others than the record has stored. */
async function withReplacedLine(
  record: LedgerRecord,
  items: RecordItems | null,
  run: ResumeContext,
): Promise<LedgerRecord> {
  const event: RecordEvent = { type: 'replacedLineRead', items };
  return applyEvent(record, event, '').items === record.items ? record : store(record, event, run);
}

/** Stores the hash of the rewritten line, so that the next pass recognises the line without parsing it. */
async function asWritten(record: LedgerRecord, item: InputLine, run: ResumeContext): Promise<LedgerRecord> {
  const { hash, source, line } = item;
  return record.hash === hash ? record : store(record, { type: 'lineRewritten', hash, source, line }, run);
}

/** Returns whether items are to be sent again, with the content of the corrected line only. */
export function isSentAgain({ missing }: LedgerRecord): boolean {
  return missing !== null && missing.pending.length > 0;
}

/**
 * Continues an unfinished record whose line has `changed`: the remaining items are sent as in the new line. Returns
 * undefined if the line cannot continue it.
 */
export function lineContinues(record: LedgerRecord, payload: ImportRecord): LedgerRecord | undefined {
  if (record.outcome !== null || isSentAgain(record)) return undefined;
  return record.items === null ? record : { ...record, items: asLineHas(record.items, itemsIn(payload)) };
}

type PlacedLine = Pick<KnownLine, 'item' | 'payload' | 'contentHash'>;

/** Returns the event that sends items of an existing account again; undefined if there are none. */
export function retryEventOf(
  record: LedgerRecord,
  line: PlacedLine,
  isOfRetry: boolean,
): Extract<RecordEvent, { type: 'retryRequested' }> | undefined {
  const { payload } = line;
  if (!isTriedAgain(record, payload)) return undefined;
  const steps = record.missing?.items.map(({ step }) => step).filter((step) => !record.unknown.includes(step)) ?? [];
  return { type: 'retryRequested', ...placeOf(line), steps, items: itemsIn(payload), ...(isOfRetry && { isOfRetry }) };
}

/**
 * Returns which items of a line are sent to an account that existed before, or that an earlier version of the line
 * created; undefined if none. The service skips notes and transactions that it already stores. Statements and payment
 * instructions are sent only if this run created the account and sent none; for an account that existed before, the
 * ledger has no record of them.
 */
export function addItemsEventOf(
  record: LedgerRecord,
  line: PlacedLine,
  settings: Pick<CallSettings, 'addToExisting' | 'check_previously_added'>,
): RecordEvent | undefined {
  const { payload } = line;
  if (!settings.addToExisting || !maySendLater(record)) return undefined;
  const unsent = changedItems(record.items, payload).filter(({ total }) => total > 0);
  // Without item counts the ledger cannot show which items were sent to an account that it created.
  const isShown = existedBefore(record) ? settings.addToExisting === 'all' : record.items !== null;
  const steps = unsent
    .filter(({ step, before }) => isSkippedWhereThere(step, payload, settings) || (isShown && !wasAnySent(before)))
    .map(({ step }) => step);
  if (steps.length === 0) return undefined;
  const left = unsent.map(({ step }) => step).filter((step) => !steps.includes(step));
  return { type: 'itemsRequested', steps, left, ...placeOf(line), items: itemsIn(payload) };
}

/** Returns whether the service skips items of this kind that it has. It does not recognise a note without a body. */
export function isSkippedWhereThere(
  step: ItemStep,
  payload: ImportRecord,
  { check_previously_added }: Pick<CallSettings, 'check_previously_added'>,
): boolean {
  if (step === 'transactions') return check_previously_added;
  if (step !== 'notes') return false;
  const notes = 'account' in payload ? (payload.notes ?? []) : [];
  return notes.every(hasText);
}

/** Returns whether the account existed before this run. */
function existedBefore({ outcome, items }: LedgerRecord): boolean {
  return outcome === 'alreadyImported' || items?.existed === true;
}

/**
 * For an account that existed before, whose new line lacks only items that this run never sent: makes the new line
 * the record's line and sends nothing. Returns undefined if any other sent item changed.
 */
function withoutUnsentItems(record: LedgerRecord, line: PlacedLine): RecordEvent | undefined {
  if (record.outcome !== 'alreadyImported' || !maySendLater(record)) return undefined;
  const changed = changedItems(record.items, line.payload);
  const isShorter = changed.some(({ total, before }) => before !== null && total < before.total);
  if (!isShorter || changed.some(({ before }) => wasAnySent(before))) return undefined;
  const left = changed.filter(({ total }) => total > 0).map(({ step }) => step);
  return { type: 'itemsRequested', steps: [], left, ...placeOf(line), items: itemsIn(line.payload) };
}

/**
 * Whether items may be added later: the account exists under the number of its line and has no unknown outcome, or
 * items are being sent to it already.
 */
function maySendLater({ outcome, intent, missing, errors }: LedgerRecord): boolean {
  if (intent !== null || errors.some(({ code }) => code === NOT_SENT.isOfAnother)) return false;
  return (
    outcome === 'created' || outcome === 'alreadyImported' || (outcome === null && (missing?.pending.length ?? 0) > 0)
  );
}

/**
 * Returns whether only missing items of the account changed: the rest of the payload is on the service. Also true for an account
 * that is being sent again already, and whose line was corrected once more.
 */
function isTriedAgain({ outcome, intent, missing }: LedgerRecord, payload: ImportRecord): boolean {
  if (
    (outcome !== null && outcome !== 'created' && outcome !== 'alreadyImported') ||
    intent !== null ||
    missing === null ||
    missing.rest === null
  )
    return false;
  return hashWithout(payload, missing.rest.without) === missing.rest.hash;
}

/** Finds out whether the account was created, before another payload replaces that of the record. */
async function reconciled(known: LedgerRecord, line: KnownLine, run: ResumeContext): Promise<ResumedRecord> {
  const restMs = remainingWaitMs('process', known, line.payload, run.inFlight);
  if (restMs > 0) return { record: known, state: 'waits', waitMs: restMs };
  const found = await reconcileProcess(known, run);
  if ('failure' in found)
    return { record: await storeEvent(known, found.failure, run), state: 'waits', waitMs: found.waitMs };
  if ('waitMs' in found) return { record: known, state: 'waits', waitMs: found.waitMs };
  run.inFlight.settled(known);
  const event = await withOwnNumber(found.event, known, run.ledger);
  if (event.type === 'outcomeUnknown') return { record: await storeEvent(known, event, run), state: 'ended' };
  const next = await store(known, event, run);
  releaseNumber(next, run.ledger);
  return resumeRecord(next, line, run);
}

/**
 * Checks whether an account exists whose `process` was refused: an earlier request may have created it. `undecided`: it
 * exists without a number, or with that of another record.
 */
async function resolveRejection(
  record: LedgerRecord,
  isToBeginAnew: boolean,
  run: ResumeContext,
): Promise<LedgerRecord | 'undecided'> {
  if (record.kind !== 'account' || !isToBeginAnew || !wasRejectedAt(record, 'process')) return record;
  const account = await findAccount(record, run);
  if (account === undefined || account === 'not answered') return record;
  const { number: serviceNumber } = account;
  if (serviceNumber === null || (await isNumberOfOther(record, serviceNumber, run.ledger))) return 'undecided';
  const next = await storeEvent(record, { type: 'resolved', step: 'process', as: 'done', serviceNumber }, run);
  releaseNumber(next, run.ledger);
  return next;
}

/** Returns the content hash of the input line that a corrected line replaces; null for a line of the input. */
function correctedFrom(
  { contentHash, correctedFrom: former }: LedgerRecord,
  line: PlacedLine,
  { correctedLines }: ResumeContext,
): string | null {
  if (correctedLines === undefined) return null;
  return former ?? (contentHash === line.contentHash ? null : contentHash);
}

function placeOf({ item: { hash, source, line }, contentHash }: PlacedLine) {
  return { hash, contentHash, source, line };
}

/** Stores the event and reports it: the record has no outcome any more. */
async function storeEvent(record: LedgerRecord, event: RecordEvent, run: ResumeContext): Promise<LedgerRecord> {
  const next = await store(record, event, run);
  run.onEvent(next, event, record);
  return next;
}

async function store(record: LedgerRecord, event: RecordEvent, { ledger, now }: ResumeContext): Promise<LedgerRecord> {
  const next = { ...applyEvent(record, event, now().toISOString()), version: record.version + 1 };
  await ledger.write(next);
  return next;
}
