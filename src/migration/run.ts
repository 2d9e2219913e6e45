/**
 * A whole book, from its first record to its last: businesses before their accounts, so many records at a time, each
 * by `runRecord`. The book is read again until nothing is left open that another try might end.
 */
import { hash as digest } from 'node:crypto';
import pLimit from 'p-limit';
import type { BookRecord } from '../validation/book.js';
import { checkRecord } from './check.js';
import { createHashSet, type HashSet } from './hash-set.js';
import { contractOf, contractsOf, keyOf } from './keys.js';
import { standingOf } from './known-record.js';
import type { End, LedgerRecord, RecordKey } from './ledger/ledger.js';
import { type RecordRun, runRecord } from './run-record.js';
import type { Source, SourceItem } from './source/source.js';

export interface BookRun extends RecordRun {
  book: Source;
  /** Records under way at the same time. */
  recordsAtOnce: number;
  /**
   * Whether what was refused is tried again, also where the line is the same: records that were rejected, and of
   * accounts that exist what could not be added to them.
   */
  retryRejected: boolean;
  /** Where the book is not the whole one, but lines of it that were mended: nothing else is begun. */
  mended?: MendedLines | undefined;
  /** Whether records are still begun: false once the run drains. */
  mayBegin: () => boolean;
  /** Told of every line that is not carried through as a record of its own. */
  onLine: (item: SourceItem, finding: LineFinding) => void;
}

interface MendedLines {
  /** Whether the line may become a record that the ledger does not know. */
  mayBegin: (item: SourceItem) => boolean;
  /** Told of every line of which nothing is done. */
  leave: (item: SourceItem, why: LeftAlone) => void;
}

/** Why nothing is done about a mended line: how its record ended, or that there is none, or that it is there twice. */
export type LeftAlone = End | 'notInRun' | 'noRecord' | 'twice';

/** Why a line is not carried through as a record of its own. */
export interface LineFinding {
  /** `rejected`: it holds no record. `skipped`: another record has its number. `changed`: it differs from what exists. */
  as: 'rejected' | 'skipped' | 'changed';
  /** Stable, such as `duplicate_record`. */
  code: string;
  /** Where; empty for the line as a whole. */
  attr: string;
  /** What helps whoever mends it; nothing of the line. */
  detail?: string;
}

/** How often a book is read for records that something else than themselves kept from going on. */
const MOST_PASSES = 3;

/** Resolves when every record has ended, or none can go on. Rejects where the ledger or the book does. */
export async function runBook(run: BookRun): Promise<void> {
  for (let pass = 1; pass <= MOST_PASSES && run.mayBegin(); pass++) {
    const open = await runPass(run, pass === 1);
    if (open === 0) return;
  }
}

interface Pass {
  run: BookRun;
  /** Lines are reported once, however often the book is read. */
  isFirst: boolean;
  /** Nothing was known when it began, and each key is met once: no record need be looked for. */
  isNew: boolean;
  /** Hashes of the keys of the records that this pass met. */
  met: HashSet;
  /** Hashes of the lines that it passed over, because their record has ended. */
  passedOver: HashSet;
  /** Businesses under way, by contract. */
  businesses: Map<string, Promise<LedgerRecord | undefined>>;
  /** Records that were tried and are open still: another pass may end them. */
  open: number;
  failure: { error: unknown } | undefined;
}

async function runPass(run: BookRun, isFirst: boolean): Promise<number> {
  const [met, passedOver] = [createHashSet(), createHashSet()];
  const isNew = isFirst && (await isEmpty(run));
  const pass: Pass = { run, isFirst, isNew, met, passedOver, businesses: new Map(), open: 0, failure: undefined };
  const ended = await endedIn(pass);

  const limit = pLimit(run.recordsAtOnce);
  const underWay = new Set<Promise<void>>();
  for await (const item of run.book) {
    if (!run.mayBegin() || pass.failure !== undefined) break;
    if (ended.has(item.hash)) {
      if (!passedOver.add(item.hash)) teller(item, pass)(DUPLICATE);
      continue;
    }
    const found = recordIn(item, pass);
    if (found === undefined) continue;
    const { record, key } = found;
    // The next line is read when this one has begun: memory holds no more than what is under way.
    await new Promise<void>((begun) => {
      const work: Promise<void> = limit(() => {
        begun();
        return carry(item, record, key, pass);
      })
        .catch((error) => {
          pass.failure ??= { error };
        })
        // One that takes long holds up no other.
        .then(() => void underWay.delete(work));
      underWay.add(work);
    });
  }
  await Promise.all(underWay);
  if (pass.failure !== undefined) throw pass.failure.error;
  return pass.open;
}

const DUPLICATE: LineFinding = { as: 'skipped', code: 'duplicate_record', attr: '' };
const CHANGED: LineFinding = { as: 'changed', code: 'changed_after_import', attr: '' };

async function isEmpty({ ledger }: BookRun): Promise<boolean> {
  for await (const _ of ledger.list()) return false;
  return true;
}

/** Hashes of what need not be looked at. */
async function endedIn({ run, isFirst }: Pass): Promise<HashSet> {
  const ended = createHashSet();
  // Of mended lines each is told of.
  if (isFirst && run.mended !== undefined) return ended;
  if (isFirst && run.retryRejected) {
    for await (const record of run.ledger.list())
      if (record.end !== null && !wasRefused(record)) ended.add(record.hash);
  } else {
    for await (const hash of run.ledger.endedHashes()) ended.add(hash);
  }
  return ended;
}

/** Something of it may be tried again. */
export function wasRefused({ end, lacking }: LedgerRecord): boolean {
  return end === 'rejected' || (end === 'created' && lacking !== null);
}

/** Lines are told of once, however often the book is read; of mended lines the whole book was told of already. */
function teller(item: SourceItem, { run, isFirst }: Pass): (finding: LineFinding) => void {
  return (finding) => {
    if (!isFirst) return;
    if (run.mended === undefined || finding.as === 'changed') run.onLine(item, finding);
    else run.mended.leave(item, finding.as === 'rejected' ? 'noRecord' : 'twice');
  };
}

/** undefined where the line is not to be carried through; the run was told why. */
function recordIn(item: SourceItem, pass: Pass): { record: BookRecord; key: RecordKey } | undefined {
  const tell = teller(item, pass);
  const read = item.read();
  if ('problem' in read) {
    tell({ as: 'rejected', ...read.problem });
    return undefined;
  }
  const { record } = read;
  const key = keyOf(record);
  if (key === undefined) {
    const [first] = checkRecord(record, undefined);
    tell({ as: 'rejected', code: first?.code ?? 'required', attr: first?.attr ?? '' });
    return undefined;
  }
  if (!pass.met.add(digest('sha256', JSON.stringify(key)))) {
    tell(DUPLICATE);
    return undefined;
  }
  return { record, key };
}

async function carry(item: SourceItem, payload: BookRecord, key: RecordKey, pass: Pass): Promise<void> {
  const contracts = contractsOf(payload);
  const carried = asFarAsItGoes(item, payload, key, pass);
  // Accounts that come later wait for it.
  const ids = contracts.map((contract) => contractId(key.supplier, contract));
  for (const id of ids) pass.businesses.set(id, carried);
  await carried;
  // From now on the ledger knows it.
  for (const id of ids) pass.businesses.delete(id);
}

async function asFarAsItGoes(
  item: SourceItem,
  payload: BookRecord,
  key: RecordKey,
  pass: Pass,
): Promise<LedgerRecord | undefined> {
  const { run, isFirst, isNew } = pass;
  const known = isNew ? undefined : await run.ledger.find(key);
  if (known === undefined && run.mended?.mayBegin(item) === false) {
    if (isFirst) run.mended.leave(item, 'notInRun');
    return undefined;
  }
  const record = known === undefined ? newRecord(item, payload, key) : await asInBook(known, item, payload, pass);
  if (record === undefined || record.end !== null) return record;
  const business = await businessOf(record, pass);
  if (business !== undefined && business.end !== 'created' && business.end !== 'alreadyThere') {
    return record.version === 0 ? storeWaiting(record, run) : record;
  }
  const carried = await runRecord(record, payload, run);
  if (carried.end === null) pass.open++;
  return carried;
}

/** Field by field: a literal that begins with a spread costs ten times as much. */
export function newRecord(item: SourceItem, payload: BookRecord, key: RecordKey): LedgerRecord {
  return {
    supplier: key.supplier,
    kind: key.kind,
    number: key.number,
    version: 0,
    hash: item.hash,
    done: null,
    intent: null,
    end: null,
    platformNumber: null,
    unknown: [],
    errors: [],
    lacking: null,
    contract: contractOf(payload) ?? null,
    source: item.source,
    line: item.line,
    updatedAt: '',
  };
}

/** The business that an account waits for; undefined for none, and for one that the book has not shown. */
async function businessOf(
  { supplier, contract }: LedgerRecord,
  { run, businesses }: Pass,
): Promise<LedgerRecord | undefined> {
  if (contract === null) return undefined;
  return (await businesses.get(contractId(supplier, contract))) ?? run.ledger.business(supplier, contract);
}

/** Writes a record that waits before anything of it was tried. */
async function storeWaiting(record: LedgerRecord, run: BookRun): Promise<LedgerRecord> {
  const next = { ...record, version: record.version + 1, updatedAt: run.now().toISOString() };
  await run.ledger.write(next);
  return next;
}

/** The record as it goes on; undefined where nothing of this line is to be done. */
async function asInBook(
  known: LedgerRecord,
  item: SourceItem,
  payload: BookRecord,
  pass: Pass,
): Promise<LedgerRecord | undefined> {
  const { run, isFirst, passedOver } = pass;
  const tell = teller(item, pass);
  if (passedOver.has(known.hash)) {
    // The line that the record was made of is still in the book, so this one is another.
    tell(DUPLICATE);
    return undefined;
  }
  const { record, is } = await standingOf(known, { item, payload, isRetried: isFirst && run.retryRejected }, run);
  if (is === 'open') return record;
  if (isFirst && run.mended !== undefined && record.end !== null && !wasRefused(record)) {
    run.mended.leave(item, record.end);
    return undefined;
  }
  if (is === 'ended') return record;
  // This line stands for the record now, unless a later one that reads as the record does was passed over meanwhile.
  tell(passedOver.add(known.hash) ? CHANGED : DUPLICATE);
  // What is sent again is sent as it was mended, and by no other line; what is left to send is sent as it reads now.
  const isSentAgain = record.lacking !== null && record.lacking.pending.length > 0;
  return run.mended === undefined && !isSentAgain ? record : undefined;
}

function contractId(supplier: string, contract: string): string {
  return JSON.stringify([supplier, contract]);
}
