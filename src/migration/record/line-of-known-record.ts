/** Decides what to do about an input line whose record is already in the ledger: `items-to-send-again.ts` does for the items of an existing account. */
import type { InputLine } from '../input/source.js';
import type { RecordItems } from '../ledger/items.js';
import type { Ledger, LedgerRecord, LedgerWarning } from '../ledger/ledger.js';
import { applyEvent } from './events/apply-event.js';
import type { RecordEvent } from './events/record-event.js';
import { canStartOver, wasRejectedAt } from './events/record-state.js';
import { hasUnsent, itemsIn, matched } from './items/item-states.js';
import { isLineOf, itemsEventOf, type KnownLine, placeOf } from './items-to-send-again.js';
import { wasRefusedTooEarly } from './preconditions/refused-too-early.js';
import { contractOf } from './record-key.js';
import type { CallSettings } from './steps/call-settings.js';
import { warningsOf } from './steps/check-record.js';
import { isNumberOfOther, releaseNumber, withOwnNumber } from './steps/own-answer.js';
import { type ReconcileContext, reconcileProcess, remainingWaitMs } from './steps/reconcile.js';
import { findAccount } from './steps/service-number.js';
import { store } from './store.js';

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

/**
 * Returns whether `retry` has replaced this input line by a corrected line, so that this line is not sent any more, unless rejected records
 * are sent again. An unfinished record continues only with its corrected line.
 */
export function wasCorrected(
  known: LedgerRecord,
  { contentHash, isRetried }: Pick<KnownLine, 'contentHash' | 'isRetried'>,
  { addToExisting }: Pick<CallSettings, 'addToExisting'>,
): boolean {
  if (known.correctedFrom !== contentHash) return false;
  if (known.outcome === null) return true;
  if (known.outcome === 'rejected' && !isRetried) return true;
  return !canStartOver(known) && !(addToExisting && hasUnsent(known));
}

/**
 * How a known record continues. `changed`: it exists, and the line differs in what is not sent; `items` are those of the line. If it has no
 * outcome, it continues with the other items. `corrected`: `retry` has already replaced this line by a corrected one. `ended`: nothing to
 * do. `waits`: its last request may still be running; look again after `waitMs`.
 */
export type ResumedRecord =
  | { record: LedgerRecord; state: 'continues' | 'ended' | 'corrected' }
  | { record: LedgerRecord; state: 'changed'; items: RecordItems }
  | { record: LedgerRecord; state: 'waits'; waitMs: number | undefined };

export async function resumeRecord(known: LedgerRecord, given: KnownLine, run: ResumeContext): Promise<ResumedRecord> {
  const { payload } = given;
  let line = given;
  const isSame = isLineOf(known, line);
  if (run.correctedLines === undefined && known.correctedFrom !== null) {
    const isReplaced = !isSame && wasCorrected(known, line, run);
    const record = await storeReplacedLine(known, isReplaced ? itemsIn(payload) : null, run);
    if (isReplaced) return { record, state: 'corrected' };
    known = record;
  }
  if (isSame && known.outcome === null) return { record: await asWritten(known, line, run), state: 'continues' };
  if (known.intent === 'process' && known.outcome === null) return reconciled(known, line, run);
  if (isSame && !given.isRetried && (await wasRefusedTooEarly(known, payload, run.ledger)))
    line = { ...given, isRetried: true };
  const { isRetried } = line;
  const settled = await resolveRejection(known, isSame ? isRetried : true, run);
  if (settled === 'undecided') return { record: known, state: 'waits', waitMs: undefined };
  const from = correctedFrom(settled, line, run);
  if (isSame && settled.outcome === null) return { record: await asWritten(settled, line, run), state: 'continues' };
  if (isSame ? isRetried && settled.outcome === 'rejected' : canStartOver(settled)) {
    const contract = contractOf(payload) ?? null;
    const items = itemsIn(payload);
    const warnings = warningsFor(settled, line, run);
    const event: RecordEvent = {
      type: 'lineChanged',
      ...placeOf(line),
      ...inInput(settled, line, run),
      correctedFrom: from,
      contract,
      items,
      warnings,
    };
    return { record: await storeEvent(settled, event, run), state: 'continues' };
  }
  const event = itemsEventOf(settled, line, run);
  const differs = event?.difference !== null;
  // A corrected line that differs in more than its refused items is not sent.
  if (event !== undefined && !(differs && run.correctedLines !== undefined)) {
    const warnings = warningsFor(settled, line, run);
    const place = inInput(settled, line, run);
    const record = await storeEvent(settled, { ...event, ...place, correctedFrom: from, warnings }, run);
    return differs ? { record, state: 'changed', items: record.items } : { record, state: 'continues' };
  }
  if (isSame) {
    const isOfInput = run.correctedLines === undefined;
    return { record: isOfInput ? await asWritten(settled, line, run) : settled, state: 'ended' };
  }
  return { record: settled, state: 'changed', items: matched(settled.items, itemsIn(payload)) };
}

/** Stores the amounts of the input line that a corrected line has replaced, and that the input does not differ, unless the record has both. */
async function storeReplacedLine(
  record: LedgerRecord,
  items: RecordItems | null,
  run: ResumeContext,
): Promise<LedgerRecord> {
  const event: RecordEvent = { type: 'replacedLineRead', items };
  const next = applyEvent(record, event, '');
  const isStored = next.items === record.items && next.difference === record.difference;
  return isStored ? record : store(record, event, run);
}

/**
 * Stores the hash of the rewritten line, so that the next pass recognises the line without parsing it, and the new places of its items; and
 * that the record differs no longer.
 */
async function asWritten(record: LedgerRecord, line: KnownLine, run: ResumeContext): Promise<LedgerRecord> {
  const { hash } = line.item;
  const place = inInput(record, line, run);
  // A corrected line had no place in the input before, or the input has another name now.
  const isMoved = (record.correctedFrom !== null && record.source !== place.source) || isMovedInFile(record, place);
  if (record.hash !== hash || isMoved) {
    return store(record, { type: 'lineRewritten', hash, ...place, items: itemsIn(line.payload) }, run);
  }
  if (record.difference === null) return record;
  return store(record, { type: 'lineDiffers', difference: null, place: placeIfRemoved(record, line) }, run);
}

/** Returns the place of a line that had left its file; undefined for another one. */
export function placeIfRemoved({ difference }: LedgerRecord, { item: { source, line } }: Pick<KnownLine, 'item'>) {
  return difference?.is === 'removed' ? { source, line } : undefined;
}

/**
 * Returns whether reports name the line of the record, because of its errors, and it is another one of its file now. In a file of another
 * name it keeps its former place: the file of a record tells with which others it may leave the input.
 */
export function isMovedInFile(
  { errors, source, line }: LedgerRecord,
  place: Pick<InputLine, 'source' | 'line'>,
): boolean {
  return errors.length > 0 && source === place.source && line !== place.line;
}

/** Finds out whether the account was created, before another payload replaces that of the record. */
async function reconciled(known: LedgerRecord, line: KnownLine, run: ResumeContext): Promise<ResumedRecord> {
  const restMs = remainingWaitMs('process', known, run.inFlight);
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
  line: KnownLine,
  { correctedLines }: ResumeContext,
): string | null {
  if (correctedLines === undefined) return null;
  return former ?? (contentHash === line.contentHash ? null : contentHash);
}

/** Code of a warning. */
export const CORRECTION_REPLACED = 'correction_replaced';

/** Returns the warnings of a line that is sent, and whether it replaces a corrected line of which nothing, or not all, was sent. */
function warningsFor(
  known: LedgerRecord,
  { payload, contentHash }: KnownLine,
  { correctedLines, profile }: ResumeContext,
): LedgerWarning[] {
  const isOpen = known.outcome === null || canStartOver(known);
  const isReplaced = correctedLines === undefined && known.correctedFrom !== null && known.contentHash !== contentHash;
  const replaced = isOpen && isReplaced ? [{ code: CORRECTION_REPLACED, attr: '', count: 1 }] : [];
  return [...warningsOf(payload, profile), ...replaced];
}

/** Returns the place of the line in the input. A corrected line has that of the line that it replaces: it tells whether the record leaves the input. */
function inInput({ source, line }: LedgerRecord, { item }: KnownLine, { correctedLines }: ResumeContext) {
  return correctedLines === undefined ? { source: item.source, line: item.line } : { source, line };
}

/** Stores the event and reports it: the record has no outcome any more. */
async function storeEvent(record: LedgerRecord, event: RecordEvent, run: ResumeContext): Promise<LedgerRecord> {
  const next = await store(record, event, run);
  run.onEvent(next, event, record);
  return next;
}
