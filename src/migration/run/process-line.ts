/** Processes one input line during one pass over the input. */
import { isDeepStrictEqual } from 'node:util';
import { internalsOf } from '../../client.js';
import { backoffMs } from '../../http/time/delay.js';
import type { Profile } from '../../validation/profile.js';
import type { ImportRecord } from '../../validation/records/import-record.js';
import { KEY_ATTRS } from '../../validation/records/record-findings.js';
import type { InputLine } from '../input/source.js';
import { idOf, type LedgerError, type LedgerRecord, type ReadStoredLine, StaleRecordError } from '../ledger/ledger.js';
import { differenceOf } from '../record/changed-and-removed.js';
import { existsOnService } from '../record/events/record-state.js';
import { isOver } from '../record/is-over.js';
import { hasRefused, itemsIn } from '../record/items/item-states.js';
import { isHeldBack, isLineOf } from '../record/items-to-send-again.js';
import { placeIfRemoved, resumeRecord } from '../record/line-of-known-record.js';
import { lacksAccounts, lacksBusiness } from '../record/preconditions/refused-too-early.js';
import { accountsNamed } from '../record/preconditions/waiting-for-accounts.js';
import type { RecordProgress } from '../record/record-context.js';
import { contractId, contractOf, contractsOf, keyOf } from '../record/record-key.js';
import { runRecord } from '../record/run-record.js';
import { checkRecord, warningsOf } from '../record/steps/check-record.js';
import { store } from '../record/store.js';
import { digestsOf } from '../shared/content-digests.js';
import { wasRejectedByCheck } from './recheck-rejected.js';
import type { LineFinding, RunContext, RunWorkers } from './run-context.js';
import { type InputPass, lineReporter, type ReadLine } from './run-context.js';

const CHANGED = { code: 'changed_after_import', attr: '' } as const;
export const CORRECTED: LineFinding = { as: 'corrected', code: 'corrected_by_retry', attr: '' };

/** Returns whether the record was rejected or has refused items. */
function canBeRetried(record: LedgerRecord): boolean {
  return record.outcome === 'rejected' || hasRefused(record);
}

/** Returns the record of a line; undefined if it has no usable record, which is then reported. */
export function readRecord(item: InputLine, pass: InputPass): ReadLine | undefined {
  const report = lineReporter(item, pass);
  const read = item.read();
  if ('problem' in read) {
    report({ as: 'rejected', ...read.problem });
    return undefined;
  }
  const { record } = read;
  const key = keyOf(record);
  if (key === undefined) {
    const { code, attr, didYouMean } = whyNoKey(record);
    report({
      as: 'rejected',
      code,
      attr,
      ...(didYouMean !== undefined && { detail: `Did you mean \`${didYouMean}\`?` }),
    });
    return undefined;
  }
  return { item, payload: record, key, contentHash: digestsOf(record, key.number) };
}

/** Returns the error of a record without a key: the identifier that is missing or empty. */
function whyNoKey(record: ImportRecord): Omit<LedgerError, 'step'> {
  const errors = checkRecord(record, undefined);
  return errors.find(({ attr }) => KEY_ATTRS.has(attr)) ?? errors[0] ?? { code: 'required', attr: '' };
}

/** Processes a line. `inSlot` runs a task while the record counts as in progress; a waiting record does not count. */
export async function processLine(line: ReadLine, pass: InputPass, inSlot: InSlot): Promise<void> {
  const { payload, key } = line;
  const ids = contractsOf(payload).map((contract) => contractId(key.supplier, contract));
  const advanced = advanceUntilStopped(line, pass, inSlot);
  for (const id of ids) registerBusiness(id, advanced, pass);
  const record = await advanced;
  // Accounts that wait for another business with the same contract can continue; so can a business whose payment instruction names this account.
  if (isOnService(record) && [idOf(key), ...ids].some((id) => pass.waitedFor.has(id))) pass.unfinished++;
}

type InSlot = <Result>(task: () => Promise<Result>) => Promise<Result>;

/** Maximum number of records that wait in memory. Further ones are left for the next pass. */
const MOST_WAITING = 1000;

async function advanceUntilStopped(line: ReadLine, pass: InputPass, inSlot: InSlot): Promise<LedgerRecord | undefined> {
  const { run } = pass;
  const { maxRetries, retryBaseMs } = internalsOf(run.client).settings;
  let failures = 0;
  for (let isRevisit = false; ; isRevisit = true) {
    const advance = () => advanceLine(line, pass, isRevisit);
    // Its accounts may have all slots, and wait for it.
    const progress = await (isRevisit && line.key.kind === 'business' ? advance() : inSlot(advance));
    if (progress === undefined) return undefined;
    const { record, waitMs, hasFailed } = progress;
    if (record.outcome !== null) return record;
    const isLeft = waitMs === undefined || (hasFailed && failures++ >= maxRetries);
    if (isLeft || !run.isAccepting() || pass.waiting >= MOST_WAITING) {
      const isRefused = run.refusedSuppliers?.has(record.supplier) === true;
      // Another pass would not change that.
      if (progress.isLeftToOthers !== true && !isRefused) pass.unfinished++;
      if (isRefused && record.version === 0) run.refusedSuppliers?.leave();
      return record;
    }
    pass.waiting++;
    await run.sleep(Math.max(waitMs, hasFailed ? backoffMs(retryBaseMs, failures - 1) : 0));
    pass.waiting--;
    if (!run.isAccepting()) {
      pass.unfinished++;
      return record;
    }
  }
}

/** Makes later accounts wait for this business and for all other unfinished businesses that declare the contract. */
function registerBusiness(id: string, advanced: Promise<LedgerRecord | undefined>, { businesses }: InputPass): void {
  const other = businesses.get(id);
  const all = other === undefined ? advanced : firstOnService(other, advanced);
  businesses.set(id, all);
  // From now on the ledger has it.
  const forget = () => {
    if (businesses.get(id) === all) businesses.delete(id);
  };
  all.then(forget, forget);
}

async function firstOnService(...declaring: Promise<LedgerRecord | undefined>[]): Promise<LedgerRecord | undefined> {
  const records = await Promise.all(declaring);
  return records.find(isOnService) ?? records.at(-1);
}

function isOnService(record: LedgerRecord | undefined): boolean {
  return record !== undefined && existsOnService(record);
}

/**
 * `isLeftToOthers`: the record waits for a business, or for a worker, and another pass would not change that. `correction`: the stored line of an earlier
 * `retry`, which is sent in place of this one.
 */
type LineProgress = RecordProgress & { isLeftToOthers?: true; correction?: ReadStoredLine };

async function advanceLine(line: ReadLine, pass: InputPass, isRevisit: boolean): Promise<LineProgress | undefined> {
  const { item, payload, key } = line;
  const { run, isFirst, reading } = pass;
  const isNew = reading.isNew && isFirst && !isRevisit;
  const known = isNew ? undefined : await run.ledger.find(key);
  // Only a corrected line that had no readable record may become a new record of the run.
  const formerLine = item.corrects ?? null;
  if (known === undefined && run.correctedLines !== undefined && formerLine === null) {
    if (isFirst) run.correctedLines.ignore(item, 'notInRun');
    return undefined;
  }
  const progress: LineProgress | undefined = await (run.workers === undefined
    ? beginLine(known, line, pass, isRevisit)
    : register(known, line, run.workers, pass));
  const { record: found = known } = progress ?? {};
  if (known !== undefined && found !== undefined && isOver(found)) pass.over.push(key);
  if (progress !== undefined && progress.correction === undefined && isFirst && !isRevisit) {
    run.onRecord?.((known === undefined && progress.record.items) || itemsIn(payload));
  }
  if (run.workers !== undefined || !mayContinue(progress)) return progress;
  const { record } = progress;
  const waiting = await waitingForBusiness(record, pass);
  if (waiting !== undefined) return waiting;
  const runProgress = await runRecord(record, progress.correction?.record ?? payload, run);
  // In a part of the input, and among corrected lines, the accounts that it names may be missing, so another pass would not help.
  const isPart = run.wholeInput !== undefined || (run.correctedLines !== undefined && !isFirst);
  return runProgress.awaitsAccounts && isPart ? { ...runProgress, isLeftToOthers: true } : runProgress;
}

/** Returns the record with which a line begins or continues; undefined if the line needs no work. */
async function beginLine(
  known: LedgerRecord | undefined,
  line: ReadLine,
  pass: InputPass,
  isRevisit: boolean,
): Promise<LineProgress | undefined> {
  if (known !== undefined) return resumeLine(known, line, pass, isRevisit);
  return { record: newRecord(line, { formerLine: line.item.corrects ?? null, profile: pass.run.profile }) };
}

function mayContinue(progress: LineProgress | undefined): progress is LineProgress {
  return progress !== undefined && progress.record.outcome === null && !('waitMs' in progress);
}

/** A worker that still works on a record of an earlier session writes a few times. */
const MOST_CONFLICTS = 20;

/** Passes the record to the workers. If a worker writes it at the same time, this is repeated with what the worker has written. */
async function register(
  found: LedgerRecord | undefined,
  line: ReadLine,
  workers: RunWorkers,
  pass: InputPass,
): Promise<LineProgress | undefined> {
  let known = found;
  for (let conflicts = 0; ; conflicts++) {
    try {
      return await tryToRegister(known, line, workers, pass);
    } catch (error) {
      if (!(error instanceof StaleRecordError) || conflicts === MOST_CONFLICTS) throw error;
      known = await pass.run.ledger.find(line.key);
    }
  }
}

async function tryToRegister(
  known: LedgerRecord | undefined,
  line: ReadLine,
  workers: RunWorkers,
  pass: InputPass,
): Promise<LineProgress | undefined> {
  const progress = await beginLine(known, line, pass, false);
  if (!mayContinue(progress)) return progress;
  const { record } = progress;
  const waiting = await waitingForBusiness(record, pass);
  if (waiting !== undefined) return waiting;
  // The workers continue with it.
  const payload = progress.correction?.record ?? line.payload;
  return { record: await registerInTurn(record, payload, workers, pass.run), isLeftToOthers: true };
}

/** The first account is registered on its own: the others wait until the service has accepted its team. */
async function registerInTurn(
  record: LedgerRecord,
  payload: ImportRecord,
  workers: RunWorkers,
  { firstAccount, isWholeInputKnown = false }: RunContext,
): Promise<LedgerRecord> {
  const first = record.kind === 'account' ? firstAccount : undefined;
  await first?.enter(record);
  try {
    const registered = await workers.register(record, payload, isWholeInputKnown);
    if (first?.isAlone(record) && (await workers.isFirstAccepted(registered))) first.open();
    return registered;
  } finally {
    first?.leave(record);
  }
}

/** Returns the first version of a record. `formerLine`: see `correctedFrom`. Field by field: an object literal that begins with a spread takes ten times as long. */
export function newRecord(
  { item, payload, key, contentHash }: ReadLine,
  { formerLine = null, profile }: { formerLine?: string | null; profile?: Profile | undefined } = {},
): LedgerRecord {
  return {
    supplier: key.supplier,
    kind: key.kind,
    number: key.number,
    version: 0,
    hash: item.hash,
    contentHash,
    correctedFrom: formerLine,
    done: null,
    intent: null,
    intentAt: null,
    intentHash: null,
    intentOnce: false,
    stageUnansweredAt: null,
    outcome: null,
    serviceNumber: null,
    unknown: [],
    errors: [],
    warnings: warningsOf(payload, profile),
    difference: null,
    decisions: [],
    items: itemsIn(payload),
    contract: contractOf(payload) ?? null,
    source: item.source,
    line: item.line,
    updatedAt: '',
  };
}

/** Stores that the record waits for its business; undefined if it does not. */
async function waitingForBusiness(record: LedgerRecord, pass: InputPass): Promise<LineProgress | undefined> {
  const business = await businessOf(record, pass);
  if (business === undefined || isOnService(business)) return undefined;
  if (record.contract !== null) pass.waitedFor.add(contractId(record.supplier, record.contract));
  return { record: record.version === 0 ? await storeWaiting(record, pass.run) : record, isLeftToOthers: true };
}

/** Returns the business that an account waits for; undefined if it waits for none, or if neither this pass nor the ledger has it. */
async function businessOf(
  { supplier, contract }: LedgerRecord,
  { run, businesses }: InputPass,
): Promise<LedgerRecord | undefined> {
  if (contract === null) return undefined;
  return (await businesses.get(contractId(supplier, contract))) ?? run.ledger.business(supplier, contract);
}

/** Stores a record that waits before its first step. */
async function storeWaiting(record: LedgerRecord, run: RunContext): Promise<LedgerRecord> {
  const next = { ...record, version: record.version + 1, updatedAt: run.now().toISOString() };
  await run.ledger.write(next);
  return next;
}

/** Returns the record to continue with, or undefined if the line needs no work. */
async function resumeLine(
  known: LedgerRecord,
  line: ReadLine,
  pass: InputPass,
  isRevisit: boolean,
): Promise<LineProgress | undefined> {
  const { item } = line;
  const { run, isFirst } = pass;
  const report = isRevisit ? () => {} : lineReporter(item, pass);
  const isRetried = isFirst && (run.retryRejected || (run.recheckRejected === true && wasRejectedByCheck(known)));
  const isOtherAccepted = run.areChangesAccepted || pass.reading.areOthersAccepted === true;
  if (!isRetried && lacksBusiness(known)) await businessOf(known, pass);
  if (isFirst && lacksAccounts(known)) {
    for (const number of accountsNamed(line.payload)) {
      pass.waitedFor.add(idOf({ supplier: known.supplier, kind: 'account', number }));
    }
  }
  const resumed = await resumeRecord(known, { isRetried, isOtherAccepted, ...line }, run);
  const { record, state } = resumed;
  if (state === 'continues') return { record };
  if (state === 'waits') return { record, waitMs: resumed.waitMs };
  if (state === 'corrected') {
    // The items of the record are those of the corrected line.
    report({ ...CORRECTED, key: line.key });
    const correction = record.outcome === null ? await run.ledger.line(line.key, record.hash) : undefined;
    return correction && { record, correction };
  }
  if (isFirst && run.correctedLines !== undefined && record.outcome !== null && !canBeRetried(record)) {
    const wasSent = record.correctedFrom !== null && isLineOf(record, line) && existsOnService(record);
    const why = record.outcome === 'created' && !isLineOf(record, line) ? 'otherLine' : record.outcome;
    run.correctedLines.ignore(item, wasSent ? 'sent' : why);
    return undefined;
  }
  if (resumed.state !== 'changed') return { record };
  // The items of the record are counted by the line of the input, not by a corrected line that is not sent.
  if (run.correctedLines !== undefined) {
    report({ as: 'changed', ...CHANGED, key: line.key });
    return undefined;
  }
  const difference = differenceOf(record, line, resumed.items);
  const change = { record, items: resumed.items, difference };
  report({ as: difference.isAccepted ? 'accepted' : 'changed', ...CHANGED, key: line.key, change });
  const place = placeIfRemoved(record, line);
  const isStored = isDeepStrictEqual(difference, record.difference);
  const event = { type: 'lineDiffers', difference, place, items: resumed.items } as const;
  const next = isStored ? record : await store(record, event, run);
  if (isHeldBack(next, { isRetried, isOtherAccepted, ...line }, run)) {
    return { record: next, waitMs: undefined, isLeftToOthers: true };
  }
  return { record: next };
}
