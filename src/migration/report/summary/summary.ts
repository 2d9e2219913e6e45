/**
 * Exports `summarise`: the summary of a run, with every line of the input in exactly one number, the records by step, and the remedies
 * for errors. Reads the ledger record by record; memory use does not grow with the input.
 */
import { withoutIndexes } from '../../../validation/path-patterns.js';
import { detailOf } from '../../../validation/warnings/rules.js';
import { type Item, NO_ITEMS, UNREAD_AMOUNT } from '../../ledger/items.js';
import {
  isImported,
  type Ledger,
  type LedgerCounts,
  type LedgerRecord,
  type LedgerWarning,
  LINE_OUTCOMES,
  type LineOutcome,
  OUTCOMES,
  type Outcome,
  type Step,
} from '../../ledger/ledger.js';
import { BEFORE_OPEN_PERIOD, BEFORE_OPEN_PERIOD_DETAIL } from '../../record/before-open-period.js';
import { hasOtherCustomer, isGivenUp, isNotInInput, isRemoved, pathsOf } from '../../record/changed-and-removed.js';
import { unknownSteps } from '../../record/events/record-state.js';
import { inLastLine, positionsWhere, unsentSteps } from '../../record/items/item-states.js';
import { hasOtherAmount } from '../../record/items/tally.js';
import { CORRECTION_REPLACED } from '../../record/line-of-known-record.js';
import { BUSINESS_FAILED, isWaitingForBusiness } from '../../record/preconditions/waiting-for-business.js';
import { addPlace, type CountedPlaces, nowhere } from '../../shared/counted-places.js';
import { spaced } from '../../shared/format.js';
import { labelOf, placeInWords } from '../../shared/place.js';
import { zeros } from '../../shared/zero-counts.js';
import { type AmountSummary, AmountTally, amountSummary } from './amount-totals.js';
import { byPlace, createGroups, type ErrorGroup } from './error-groups.js';
import { createFunnel, type FunnelRow } from './funnel.js';
import { addItems, type ItemKind, type ItemSummary, itemBalance, LACKS, lacksOf } from './item-totals.js';
import type { LineCounts } from './line-counts.js';
import { howToResolveStep } from './remedies.js';

/** Transactions, with the first places in order. */
export interface PlacedTransactions {
  /** Their number. */
  count: number;
  /** Up to 100 places. */
  places: string[];
}

/** Queued batches, with the first ids. */
export interface PopulatedBatches {
  /** Their number. */
  count: number;
  /** Up to 100 ids. */
  ids: string[];
}

/** The summary of a run. */
export interface Summary extends Record<LineOutcome, number> {
  /** Number of lines of the input: records, and lines without a separate record. */
  input: number;
  /**
   * Records without an outcome. Above 0 only if the run was stopped, or if something outside the records blocked them.
   */
  unfinished: number;
  /**
   * Records that are not on the service, and whose line is no longer in the input. In no other number. not-in-input.jsonl lists them.
   */
  notInInput: number;
  /** Unfinished records that may be on the service, and whose line is no longer in the input. */
  unfinishedWithoutLine: number;
  /** Those of `unfinishedWithoutLine` with a step whose outcome is unknown: `resolve` can settle it without the line. */
  resolvableWithoutLine: number;
  /** Skipped accounts whose business failed. They are sent after the business is corrected. */
  waiting: number;
  /** Skipped lines with the content of the line that was taken: their content is not missing. */
  duplicates: number;
  /** Skipped lines with other content than the line that was taken. With `waiting` and `duplicates`, all of `skipped`. */
  contradicting: number;
  /**
   * `rejected` by what a person can correct. `listed`: in rejected.jsonl, for `retry`; `lines` of them are no records yet, and `inSheet` can be
   * filled in in rejected.csv. `inFiles`: lines and rows that only their file, the mapping or the query can correct.
   */
  toCorrect: { listed: number; lines: number; inSheet: number; inFiles: number };
  /** Existing accounts with items that were refused or not sent. */
  incomplete: number;
  /**
   * Those of `incomplete` by what they lack; one account can be in several numbers. `refused`: items that the service refused. `named`:
   * refused ones of which the answer has more than its status. The others were not sent. `unsent`: items that `addToExisting` sends.
   * `neverSkipped`: of an account that existed before, statements and payment instructions. `ofAnother`: items of an account that the
   * service knows by another number.
   */
  lacking: { refused: number; named: number; unsent: number; neverSkipped: number; ofAnother: number };
  /** Records and lines that are not in the files of the last session. 0 if it did not reach every line of its input. */
  ofOtherFiles: number;
  /** Lines of the input that no session has begun, in no other number; null if the last session of `run` did not read its input to the end. */
  notBegun: number | null;
  /** created + alreadyImported + rejected + skipped + unknown + unfinished = input, as text. */
  balance: { isBalanced: boolean; text: string };
  /** The outcomes of the items of the input, by kind. */
  items: ItemSummary;
  /** The balance of the items as text, and whether they add up to the items of the input. */
  itemBalance: { isBalanced: boolean; text: string };
  /** Lines whose items are not counted, because no record has them. */
  uncounted: number;
  /** Transactions that the service gave another date, with up to 100 places in order: `input.jsonl:17 transactions.2`. ok.csv has all. */
  moved: PlacedTransactions;
  /** The control totals: the amounts of the input, those that the service confirmed, and the reasons of the difference. */
  amounts: AmountSummary;
  /** The same of transactions that the service confirmed with another amount than was sent, or with one that cannot be read. */
  otherAmounts: PlacedTransactions;
  /** Batches of supply points that the service has queued for lookup, with up to 100 ids; missing if the input has none. ok.csv has all ids. */
  batches?: PopulatedBatches;
  /** Records by step. */
  funnel: FunnelRow[];
  /** Groups of errors, the most frequent first. */
  errors: ErrorGroup[];
  /** Warnings of the local check about the records: by code and path, the most frequent first, with the first places. */
  warnings: ErrorGroup[];
  /** Unknown outcomes, by step. */
  unknowns: UnknownGroup[];
  /**
   * Lines that differ from the record that exists, unless a person has accepted that. `unsent` of them have items that were not sent, and
   * `others` are of another customer than the record, so that no item of them is sent without `changedSources` and `addToExisting`.
   * `fields`: the paths that differ, the most frequent first, each with the number of its lines and the first places.
   */
  changed: CountedPlaces & { unsent: number; others: number; fields: ChangedField[] };
  /**
   * Records that exist on the service and whose line is no longer in the input, unless a person has accepted that. In no other number.
   * not-in-input.jsonl lists them.
   */
  removed: CountedPlaces;
  /** Differences between the input and records that exist that a person has accepted (`resolve --accept`). */
  accepted: { changed: number; removed: number };
  /** Lines that `retry` replaced by a corrected line. They are not sent, and in no other number. */
  corrected: CountedPlaces;
}

/** The part of a summary that needs no settled record (`isSettled` of a `LedgerFilter`): the work that remains, and the counts. */
export type LeftSummary = Omit<
  Summary,
  'items' | 'itemBalance' | 'amounts' | 'funnel' | 'moved' | 'batches' | 'warnings'
>;

/** A field that differs in lines of records that exist. */
export interface ChangedField extends CountedPlaces {
  /** With `*` for indexes, such as `account.customers.*.email`. */
  path: string;
  /** If whole items differ: whether the line has new ones that were not sent, or lacks former ones. `path` is then their list. */
  items?: 'added' | 'removed';
}

/** Steps with an unknown outcome. */
export interface UnknownGroup extends CountedPlaces {
  /** The step. */
  step: Step;
  /** How to resolve it. */
  howToResolve: string;
}

export interface SummaryOptions {
  lines: LineCounts;
  /** The steps of the run. Default: all. */
  steps?: readonly Step[] | undefined;
  /** As `records` of `RunFacts`. @default as many as the ledger has */
  records?: number | null | undefined;
  /** Number of lines of the input, if it was read to its end. Each must be in exactly one number. */
  linesRead?: number | undefined;
  /** The items of the records, if the input was read to its end. */
  itemsRead?: ItemSummary | undefined;
  /** The amounts of these records. */
  amountsRead?: AmountTally | undefined;
  /** The records by outcome. If it is given, settled records are counted by it and not read, and the result is a `LeftSummary`. */
  ended?: LedgerCounts['ended'];
  /** Called with each record that another session must read: rejected, skipped, unknown, unfinished, or with missing items. */
  onLeft?: ((record: LedgerRecord, isOpen: boolean) => void) | undefined;
}

const MOST_SAMPLES = 3;
const MOST_PLACES = 100;

/**
 * Resolves with the summary. Calls `also` with every record, because reading a million records takes longer than both uses of them.
 */
export async function summarise(
  ledger: Ledger,
  options: SummaryOptions,
  also?: (record: LedgerRecord, waits: boolean) => Promise<void>,
): Promise<Summary> {
  const { onLeft, ended } = options;
  const settled = ended && { ...ended };
  const totals = new SummaryTotals(options);
  for await (const record of ledger.list(settled && { isSettled: false })) {
    const { outcome, errors, difference } = record;
    if (settled !== undefined && outcome !== null) settled[outcome]--;
    if (isNotInInput(record)) {
      if (!difference?.isAccepted) onLeft?.(record, false);
      totals.addNotInInput(record);
      continue;
    }
    if (isGivenUp(record)) {
      totals.addRemoved(record);
      continue;
    }
    const waits = outcome === null && (await isWaitingForBusiness(record, ledger));
    if (!isImported(record) || errors.length > 0) onLeft?.(record, outcome === null && !waits);
    if (isImported(record) && isRemoved(record)) totals.addRemoved(record);
    else totals.add(record, waits);
    await also?.(record, waits);
  }
  const { total } = await ledger.counts();
  if (settled !== undefined) totals.addSettled(settled);
  return totals.summary(total);
}

/** The totals of the records that were read so far. */
class SummaryTotals {
  readonly #options: SummaryOptions;
  readonly #found: ReturnType<typeof foundInLines>;
  readonly #groups: ReturnType<typeof createGroups>;
  readonly #warnings = createGroups([], byPlace);
  readonly #funnel: ReturnType<typeof createFunnel>;
  readonly #unknowns = new Map<Step, UnknownGroup>();
  readonly #items: ItemSummary;
  readonly #amounts = new AmountTally();
  readonly #batches = nowhere();
  readonly #changed = { ...nowhere(), unsent: 0, others: 0 };
  readonly #fields = new Map<string, ChangedField>();
  /** Records in the ledger that are in no number of the input. */
  #outside = 0;
  /** Records in a number of the input whose line it has no more. */
  #withoutLine = 0;

  constructor(options: SummaryOptions) {
    this.#options = options;
    this.#found = foundInLines(options.lines);
    this.#items = structuredClone(options.lines.items);
    this.#groups = createGroups(options.lines.groups, byPlace);
    this.#funnel = createFunnel(options.steps);
  }

  addNotInInput({ difference }: LedgerRecord): void {
    this.#outside++;
    if (difference?.isAccepted) this.#found.accepted.removed++;
    else this.#found.notInInput++;
  }

  /** Counts a record that exists, and that the input has no more. */
  addRemoved(record: LedgerRecord): void {
    this.#outside++;
    this.#amounts.addRemoved(record);
    if (record.difference?.isAccepted) this.#found.accepted.removed++;
    else addPlace(this.#found.removed, placeInWords(record));
  }

  /** `waits`: for a business that failed. */
  add(record: LedgerRecord, waits: boolean): void {
    const { outcome, errors, warnings, unknown, items } = record;
    const place = placeInWords(record);
    const isWithoutLine = outcome === null && isRemoved(record);
    if (isRemoved(record)) this.#withoutLine++;
    const lacks = lacksOf(isImported(record) ? errors : []);
    if (this.#addChange(record)) lacks.add('unsent');
    const found = this.#found;
    if (isWithoutLine) found.unfinishedWithoutLine++;
    if (isWithoutLine && unknownSteps(record).size > 0) found.resolvableWithoutLine++;
    if (waits) found.waiting++;
    if (lacks.size > 0) found.incomplete++;
    for (const lack of lacks) found.lacking[lack]++;
    if (outcome === 'rejected') {
      found.toCorrect.listed++;
      if (errors.some(({ attr }) => attr !== '')) found.toCorrect.inSheet++;
    }
    if (items !== NO_ITEMS) {
      addItems(this.#items, items, waits || outcome !== null);
      this.#amounts.addRecord(record, waits);
      addPlaces(found.moved, record, ({ isMoved }) => isMoved);
      addPlaces(found.otherAmounts, record, hasOtherAmount);
    }
    found[waits ? 'skipped' : (outcome ?? 'unfinished')]++;
    addBatch(this.#batches, record);
    this.#funnel.add(record, waits);
    // Most records have no error and no unknown step.
    if (waits || errors.length > 0) this.#groups.add(place, waits ? [...errors, BUSINESS_FAILED] : errors);
    for (const { count, ...warning } of warnings) {
      const ofWarning = placeInWords({ ...record, attr: warning.attr, label: labelOf(record) });
      this.#warnings.add(ofWarning, [{ step: 'check', ...warning, detail: warningInWords(warning) }], count);
    }
    for (const step of unknown.length > 0 ? new Set(unknown) : []) addUnknown(this.#unknowns, step, place);
  }

  addSettled(settled: Record<Outcome, number>): void {
    for (const outcome of OUTCOMES) this.#found[outcome] += settled[outcome];
  }

  /** Returns whether the changed line has items that were not sent. */
  #addChange(record: LedgerRecord): boolean {
    const { difference, source, line, items } = record;
    if (difference?.is !== 'changed') return false;
    if (difference.isAccepted) {
      this.#found.accepted.changed++;
      return false;
    }
    const place = placeInWords({ source: difference.source ?? source, line: difference.line ?? line });
    addPlace(this.#changed, place);
    const isOfOther = hasOtherCustomer(record);
    const isUnsent = !isOfOther && unsentSteps(items, inLastLine(items)).length > 0;
    if (isOfOther) this.#changed.others++;
    if (isUnsent) this.#changed.unsent++;
    const { paths, added, removed } = pathsOf(difference);
    for (const path of paths) this.#addField({ path }, place);
    for (const path of added) this.#addField({ path, items: 'added' }, place);
    for (const path of removed) this.#addField({ path, items: 'removed' }, place);
    return isUnsent;
  }

  #addField(found: Pick<ChangedField, 'path' | 'items'>, place: string): void {
    const key = `${found.path} ${found.items}`;
    const field = this.#fields.get(key) ?? { ...found, ...nowhere() };
    this.#fields.set(key, field);
    addPlace(field, place);
  }

  /** `records`: how many the ledger has. */
  summary(records: number): Summary {
    const { lines, linesRead, itemsRead, amountsRead, records: all = records } = this.#options;
    const found = this.#found;
    const input = records - this.#outside + lines.rejected + lines.skipped;
    const read = itemsRead && ((kind: ItemKind) => itemsRead[kind].input + lines.items[kind].input);
    return {
      ...found,
      input,
      // A canary has read a part of its files, and no items.
      ofOtherFiles: itemsRead === undefined ? 0 : Math.max(0, input - this.#withoutLine - (linesRead ?? input)),
      notBegun: all === null ? null : Math.max(0, all - records),
      balance: balanceOf(input, found, linesRead),
      items: this.#items,
      itemBalance: itemBalance(this.#items, read),
      moved: inOrder(found.moved),
      amounts: amountSummary(this.#amounts, lines.amounts, amountsRead),
      otherAmounts: inOrder(found.otherAmounts),
      ...(this.#batches.count > 0 && { batches: listed(this.#batches) }),
      funnel: this.#funnel.rows(),
      errors: this.#groups.list(),
      warnings: this.#warnings.list(),
      unknowns: [...this.#unknowns.values()],
      changed: {
        ...this.#changed,
        count: this.#changed.count + lines.changed.count,
        samples: [...this.#changed.samples, ...lines.changed.samples].slice(0, MOST_SAMPLES),
        fields: [...this.#fields.values()].sort(
          (one, other) => other.count - one.count || byPlace(one.path, other.path),
        ),
      },
    };
  }
}

/** Returns the numbers of the summary that grow with each record, with those of lines without a record. */
function foundInLines(lines: LineCounts) {
  const { rejected, listed, inSheet, inFiles, skipped, duplicates, contradicting, uncounted } = lines;
  return {
    ...zeros([...PARTS, 'notInInput', 'unfinishedWithoutLine', 'resolvableWithoutLine', 'waiting', 'incomplete']),
    ...{ rejected, skipped, lacking: zeros(LACKS) },
    ...{ duplicates, contradicting, toCorrect: { listed, lines: listed, inSheet, inFiles } },
    ...{ uncounted, corrected: lines.corrected },
    ...{ moved: nowhere(), otherAmounts: nowhere(), removed: nowhere(), accepted: { changed: 0, removed: 0 } },
  };
}

function addBatch(batches: CountedPlaces, { kind, serviceNumber }: LedgerRecord): void {
  if (kind === 'populate' && serviceNumber !== null) addPlace(batches, serviceNumber, MOST_PLACES);
}

/** Resolves with the queued batches; undefined if there are none. */
export async function batchesOf(ledger: Ledger): Promise<PopulatedBatches | undefined> {
  const batches = nowhere();
  for await (const record of ledger.list({ kind: 'populate' })) addBatch(batches, record);
  return batches.count === 0 ? undefined : listed(batches);
}

function listed({ count, samples }: CountedPlaces): PopulatedBatches {
  return { count, ids: samples };
}

/** Of warnings that are not about a value. */
const DETAILS = new Map([
  [BEFORE_OPEN_PERIOD, BEFORE_OPEN_PERIOD_DETAIL],
  [
    CORRECTION_REPLACED,
    'retry had other content for this record, and did not create it: the line of the input was sent in its place. See whether it has the corrections.',
  ],
]);

function warningInWords(warning: Pick<LedgerWarning, 'code' | 'attr'>): string | undefined {
  return DETAILS.get(warning.code) ?? detailOf({ ...warning, attr: withoutIndexes(warning.attr) });
}

function addPlaces(to: CountedPlaces, record: LedgerRecord, isWanted: (item: Item) => boolean): void {
  for (const position of positionsWhere(record.items.transactions, isWanted)) {
    const isUnread = record.items.transactions[position]?.confirmed === UNREAD_AMOUNT;
    const place = placeInWords({ ...record, attr: `transactions.${position}` });
    addPlace(to, isUnread ? `${place}: the amount of the answer cannot be read` : place, MOST_PLACES);
  }
}

function inOrder({ count, samples }: CountedPlaces): PlacedTransactions {
  return { count, places: samples.sort(byPlace) };
}

function addUnknown(unknowns: Map<Step, UnknownGroup>, step: Step, sample: string): void {
  const group = unknowns.get(step) ?? { step, ...nowhere(), howToResolve: howToResolveStep(step) };
  addPlace(group, sample);
  unknowns.set(step, group);
}

/** The numbers whose sum is the input. */
export const PARTS = [...LINE_OUTCOMES, 'unfinished'] as const;

/** Returns the balance. Too many records, or lines in no number, are bugs of this package, and the text says so. */
function balanceOf(
  input: number,
  counts: Record<(typeof PARTS)[number], number>,
  linesRead: number | undefined,
): Summary['balance'] {
  const parts = PARTS.filter((part) => part !== 'unfinished' || counts[part] > 0);
  const sum = parts.reduce((total, part) => total + counts[part], 0);
  const left = parts.map((part) => `${counts[part]} ${spaced(part)}`).join(' + ');
  if (sum !== input) {
    const text = `${left} = ${sum}, but the input is ${input}: ${Math.abs(input - sum)} do not balance. This is a bug; keep the run folder and report it.`;
    return { isBalanced: false, text };
  }
  if (linesRead !== undefined && linesRead > input) {
    const text = `${left} = ${input}, but the input has ${linesRead} lines: ${linesRead - input} are in none of these numbers. This is a bug; keep the run folder and report it.`;
    return { isBalanced: false, text };
  }
  return { isBalanced: true, text: `${left} = ${input}` };
}
