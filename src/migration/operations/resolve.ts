/**
 * Exports the functions for unknown outcomes: list them, query the service, and store the decision of a person. A step that is
 * resolved as not done is sent by the next session; a step that is resolved as done is not.
 */
import { existingAccount } from '../../../schemas/import-status.js';
import type { DataImportClient } from '../../client.js';
import { NotFoundError } from '../../errors/api-errors.js';
import type { DataImportError } from '../../errors/data-import-error.js';
import { isDataImportError } from '../../errors/guards.js';
import {
  type Decision,
  type Difference,
  isImported,
  type Ledger,
  type LedgerRecord,
  type RecordKey,
  type RecordKind,
  type Step,
} from '../ledger/ledger.js';
import { hasOtherCustomer, isLeftUnfinished, storeDifferences } from '../record/changed-and-removed.js';
import { decisionAbout, undecided } from '../record/events/decisions.js';
import type { RecordEvent } from '../record/events/record-event.js';
import { CREATING_STEP, canStartOver, unknownSteps } from '../record/events/record-state.js';
import { isItemStep } from '../record/items/items.js';
import type { InFlightRecords } from '../record/preconditions/quiet-time.js';
import { recordsWith } from '../record/record-key.js';
import { statusQuery } from '../record/steps/service-number.js';
import { store } from '../record/store.js';
import { unknownItems } from '../report/result-files/ok-and-unknown-files.js';
import { type UnknownRow, unknownRows } from '../report/result-files/rows-of-unknown-csv.js';
import { storeLastReading } from '../run/unchanged-input.js';
import { moment, spaced } from '../shared/format.js';

export interface Unknown {
  record: LedgerRecord;
  step: Step;
  /** The items that were chosen; without it all of the step that are unknown. */
  items?: readonly UnknownRow[];
  /** The earlier decision that is replaced. */
  was?: Decision;
}

/** Selects unknown outcomes. An outcome must match all given fields. */
export interface Choice {
  step: Step;
  kind?: RecordKind | undefined;
  number?: string | undefined;
  supplier?: string | undefined;
  /** Items of one record, by their names or marks in unknown.csv. */
  items?: readonly string[] | undefined;
}

/** What a person has found out. */
export interface Answer {
  choice: Choice;
  as: Decision['as'];
  /** The service's number of the account, if one was created. */
  serviceNumber?: string | undefined;
}

/** Outcomes with the answer about them. */
export type Answered = Unknown & Pick<Answer, 'as' | 'serviceNumber'>;

/** A decision selects no unknown outcome, or two records. The message lists the unknown outcomes and the remedy. */
export class ResolveError extends Error {
  override readonly name = 'ResolveError';
}

/** The outcome is known, and there is no other decision that could be replaced. */
export class KnownOutcomeError extends ResolveError {}

/** Only the ledger may have a corrected line, which a replaced decision needs: the next run erases it. */
const keepsCorrected = true;

/** Returns all unknown outcomes, in the order of first writing of their records. */
export async function unknownsOf(ledger: Ledger): Promise<Unknown[]> {
  const found: Unknown[] = [];
  for (const outcome of ['unknown', null] as const) {
    for await (const record of ledger.list({ outcome })) found.push(...unknownsIn(record));
  }
  return found;
}

function unknownsIn(record: LedgerRecord): Unknown[] {
  return [...unknownSteps(record)].map((step) => ({ record, step }));
}

export interface Asked {
  /** Accounts that the service does not know although they were staged. They cannot be resolved. */
  strange: Unknown[];
  /** Accounts that the service does not have yet, or without a number, and whose request may still be running. */
  running: Unknown[];
  /** Accounts for which the service answers with the number of another record. They cannot be resolved. */
  ofOthers: Unknown[];
  /** The error that ended the queries: of token, network or service. */
  failure: DataImportError | undefined;
}

/**
 * Asks the service whether accounts exist whose `process` request got no answer. An account that the service does not have counts as
 * not created only after the quiet time of its request and a second query. `onResolved` is called after the ledger has stored a result.
 */
export async function queryService(
  { ledger, inFlight, now }: { ledger: Ledger; inFlight: InFlightRecords; now: () => Date },
  client: DataImportClient,
  sleep: (ms: number) => Promise<void>,
  onResolved: (settled: Unknown & { as: 'done' | 'notDone' }) => void,
): Promise<Asked> {
  const storing = { ledger, now, keepsCorrected };
  const asked: Asked = { strange: [], running: [], ofOthers: [], failure: undefined };
  let unknowns = (await unknownsOf(ledger)).filter(({ step }) => step === 'process');
  while (unknowns.length > 0) {
    const askedAgain: Unknown[] = [];
    for (const { record, step } of unknowns) {
      try {
        const account = existingAccount(await client.imports.status(statusQuery(record)));
        if (account?.number === null) {
          asked.running.push({ record, step });
          continue;
        }
        if (account !== undefined && (await ledger.isNumberOfOther({ ...record, serviceNumber: account.number }))) {
          asked.ofOthers.push({ record, step });
          continue;
        }
        const isNo = account === undefined;
        if (isNo && record.intentAt !== null && !inFlight.answeredNo(record)) {
          if (inFlight.untilQuiet(record) > 0) asked.running.push({ record, step });
          else askedAgain.push({ record, step });
          continue;
        }
        const as = isNo ? 'notDone' : 'done';
        const serviceNumber = account && { serviceNumber: account.number };
        await store(record, { type: 'resolved', step, as, ...serviceNumber }, storing);
        onResolved({ record, step, as });
      } catch (error) {
        if (!isDataImportError(error)) throw error;
        // The service answers 200 for staged accounts: a 404 means another service, or one that has lost the account.
        if (error instanceof NotFoundError) asked.strange.push({ record, step });
        else return { ...asked, failure: error };
      }
    }
    unknowns = askedAgain;
    if (unknowns.length > 0) await sleep(Math.max(...unknowns.map(({ record }) => inFlight.untilQuestion(record))));
  }
  return asked;
}

/** `unknowns`: the unknown outcomes that an answer can be about. */
export interface AnswerContext {
  ledger: Ledger;
  inFlight: InFlightRecords;
  unknowns: readonly Unknown[];
}

/**
 * Resolves with the outcomes that an answer is about, and stores nothing. An answer about one record replaces an earlier one if nothing was
 * sent because of that. Rejects with a `ResolveError` if the choice has no unknown outcome, and for `notDone` while the request may still
 * be running.
 */
export async function outcomesOf(answer: Answer, { ledger, inFlight, unknowns }: AnswerContext): Promise<Answered[]> {
  const { choice, as, serviceNumber } = answer;
  const chosen = await chosenBy(answer, ledger, unknowns);
  const suppliers = new Set(chosen.map(({ record }) => record.supplier));
  if (choice.number !== undefined && suppliers.size > 1) {
    throw new ResolveError(
      `${choice.kind} ${choice.number} belongs to several suppliers (${[...suppliers].join(', ')}): choose one with --supplier.`,
    );
  }
  const quietMs = as === 'done' ? 0 : Math.max(...chosen.map((one) => untilQuiet(one, inFlight)));
  if (quietMs > 0) {
    throw new ResolveError(
      `the request may still be running on the service for up to ${Math.ceil(quietMs / 1000)} s. Check after that time whether it took effect, then repeat the command.`,
    );
  }
  for (const { record } of choice.kind === 'populate' ? [] : chosen) {
    if (serviceNumber === undefined || !(await ledger.isNumberOfOther({ ...record, serviceNumber }))) continue;
    throw new ResolveError(
      `another ${record.kind} of the run has the number that was given: check which of them the service has under it.`,
    );
  }
  return chosen.map((one) => ({ ...one, as, serviceNumber }));
}

/**
 * Throws a `ResolveError` for a service id that does not belong to the answer. Specification: a service_business_id is an integer, a
 * service_account_number is text.
 */
export function expectServiceId(
  id: string,
  { kind, step, as }: { kind: RecordKind | undefined; step: string | undefined; as: string | undefined },
): void {
  if (as !== 'done' || kind === undefined || step !== CREATING_STEP[kind]) {
    throw new ResolveError(
      '--service-id needs one record that was created: --business <identifier> --step create --as done, --account <number> --step process --as done, or --populate <number> --step populate --as done.',
    );
  }
  const [form, expected] = SERVICE_IDS[kind];
  if (!form.test(id)) throw new ResolveError(`--service-id: expected ${expected}, found ${JSON.stringify(id)}.`);
}

const TEXT_ID = /^[\x21-\x7e]+$/;
const SERVICE_IDS: Readonly<Record<RecordKind, readonly [form: RegExp, expected: string]>> = {
  populate: [TEXT_ID, 'a batch_id'],
  business: [/^[1-9]\d*$/, 'a service_business_id, a whole number'],
  account: [TEXT_ID, 'a service_account_number'],
};

/** Returns the answers with one for all items of a step that have the same answer, and had the same one before. */
export function merged(answers: readonly Answered[]): Answered[] {
  const groups = new Map<string, Answered>();
  for (const one of answers) {
    const { supplier, kind, number } = one.record;
    const ofItems = [supplier, kind, number, one.step, one.as, one.was?.at];
    const group = one.items === undefined ? String(groups.size) : JSON.stringify(ofItems);
    const items = one.items && [...(groups.get(group)?.items ?? []), ...one.items];
    groups.set(group, { ...one, ...(items !== undefined && { items }) });
  }
  return [...groups.values()];
}

/** Stores answers of a person. */
export async function storeAnswers(answers: readonly Answered[], ledger: Ledger, now: () => Date): Promise<void> {
  for (const { record: before, step, as, serviceNumber, was, items } of answers) {
    // Read again, because several steps of one record may be resolved.
    const record = await ledger.find(before);
    if (record === undefined) continue;
    const marks = new Set(items?.map(({ mark }) => mark));
    const rows = unknownRows(record, step, () => true).filter(({ mark }) => marks.has(mark));
    const event: RecordEvent = {
      ...{ type: 'resolved', step, as, isByPerson: true },
      ...(serviceNumber !== undefined && { serviceNumber }),
      ...(items !== undefined && { items: rows.flatMap(({ position }) => position ?? []) }),
    };
    await store(record, event, { ledger, now, keepsCorrected });
    // The line of a record that had ended may be erased: the next run reads the input.
    if (was !== undefined) await storeLastReading(ledger, undefined);
  }
}

async function chosenBy(
  { choice, ...answer }: Answer,
  ledger: Ledger,
  unknowns: readonly Unknown[],
): Promise<Unknown[]> {
  const { kind, number, supplier, step, items } = choice;
  const unknown = unknowns.filter((one) => one.step === step && isOf(one.record, choice));
  if (items === undefined && unknown.length > 0) return unknown;
  const found = unknown.flatMap(({ record }) => {
    const named = unknownRows(record, step).filter((row) => isNamed(row, items));
    return named.length === 0 ? [] : [{ record, step, items: named }];
  });
  const left = items?.filter((text) => !found.some((one) => one.items.some((row) => isNamed(row, [text]))));
  if (left?.length === 0) return found;
  const isOne = kind !== undefined && number !== undefined;
  const records = isOne ? await recordsWith({ kind, number, supplier }, ledger) : [];
  const decided = await decidedOf(records, { step, items: left }, answer, ledger);
  if (decided.length > 0) return [...found, ...decided];
  const isMissing = isOne && supplier !== undefined && records.length === 0;
  const ErrorClass = isMissing || (left !== undefined && unknown.length > 0) ? ResolveError : KnownOutcomeError;
  throw new ErrorClass(nothingOf({ ...choice, items: left }, unknowns, isMissing));
}

/** Returns whether the row has one of these names or marks. A list of one may have another name in the line than the ledger knows. */
function isNamed({ name, mark }: UnknownRow, texts: readonly string[] = []): boolean {
  const plain = (one: string) => one.replace(/^payment_instructions\b/, 'payment_instruction');
  return texts.some((text) => mark === text || (name !== '' && plain(name) === plain(text)));
}

/**
 * Resolves with those of the records whose earlier decision is another one, as they were before it, for each decision. Rejects with a
 * `ResolveError` if a decision cannot be replaced.
 */
async function decidedOf(
  records: readonly LedgerRecord[],
  { step, items }: Pick<Choice, 'step' | 'items'>,
  { as, serviceNumber }: Pick<Answer, 'as' | 'serviceNumber'>,
  ledger: Ledger,
): Promise<Unknown[]> {
  const found: Unknown[] = [];
  let known: string | undefined;
  for (const record of records) {
    const { kind, number } = record;
    for (const { was, row } of decisionsAbout(record, step, items)) {
      const name = `${kind} ${number} ${row?.name ?? spaced(step)}`;
      if (was.as === as && (serviceNumber === undefined || serviceNumber === record.serviceNumber)) {
        known ??= `${name} is ${decisionWord(as)} already, since ${moment(was.at)}.`;
        continue;
      }
      const before = undecided(record, step, row?.position == null ? undefined : [row.position]);
      const account = as === 'notDone' && kind === 'business' ? await accountOf(record, ledger) : undefined;
      if (before === undefined || account !== undefined) {
        const since = account === undefined ? 'sent it' : `created account ${account.number} of it`;
        throw new ResolveError(
          `${name} was resolved as ${decisionWord(was.as)} on ${moment(was.at)}, and a run has ${since} since: that decision cannot be replaced.`,
        );
      }
      found.push({ record: before, step, was, ...(row !== undefined && { items: [row] }) });
    }
  }
  if (found.length === 0 && known !== undefined) throw new KnownOutcomeError(known);
  return found;
}

/** Returns the decisions about a step, or about each of the items. */
function decisionsAbout(
  record: LedgerRecord,
  step: Step,
  items: readonly string[] | undefined,
): { was: Decision; row?: UnknownRow }[] {
  const ofStep = record.decisions.filter((one) => one.step === step);
  if (items === undefined || !isItemStep(step)) return ofStep.map((was) => ({ was }));
  return unknownRows(record, step, () => true).flatMap((row) => {
    const item = row.position === null || !isNamed(row, items) ? undefined : record.items[step][row.position];
    const was = item && decisionAbout(item, ofStep);
    return was === undefined ? [] : [{ was, row }];
  });
}

export function decisionWord(as: Decision['as']): string {
  return as === 'done' ? 'done' : 'not done';
}

/** Resolves with an account of the business that exists, or may exist; undefined if there is none. */
async function accountOf(business: LedgerRecord, ledger: Ledger): Promise<LedgerRecord | undefined> {
  const { supplier } = business;
  for await (const record of ledger.list({ kind: 'account', supplier })) {
    if (record.contract === null || canStartOver(record)) continue;
    if ((await ledger.business(supplier, record.contract))?.number === business.number) return record;
  }
  return undefined;
}

/**
 * Accepts how the input differs from the records, of one record or of all. Resolves with the records. Two kinds of records are accepted
 * only by their number: one that has to be finished and has no line, because what was not sent of it is given up; and one whose line is of
 * another customer.
 */
export async function acceptDifferences(
  ledger: Ledger,
  is: Difference['is'],
  choice: Pick<Choice, 'kind' | 'number' | 'supplier'>,
  now: () => Date,
): Promise<LedgerRecord[]> {
  const found: LedgerRecord[] = [];
  for await (const record of ledger.list({ difference: is })) {
    const isNamed = choice.number !== undefined;
    if (is === 'changed' && !isNamed && hasOtherCustomer(record)) continue;
    const isLeft = isNamed && isLeftUnfinished(record);
    if (is === 'removed' && !isLeft && !isImported(record) && !canStartOver(record)) continue;
    if (record.difference?.isAccepted !== true && isOf(record, choice)) found.push(record);
  }
  const accepted = ({ difference }: LedgerRecord) => difference && { ...difference, isAccepted: true as const };
  await storeDifferences(found, accepted, { ledger, now });
  return found;
}

function untilQuiet({ record, step }: Unknown, inFlight: InFlightRecords): number {
  // A request with items has no intent any more. It was given up before the last write.
  const intentAt = record.intent === step ? record.intentAt : record.updatedAt;
  return intentAt === null ? 0 : inFlight.untilQuiet({ ...record, intent: step, intentAt });
}

function isOf(record: LedgerRecord, { kind, number, supplier }: Omit<Choice, 'step'>): boolean {
  return (
    (kind === undefined || record.kind === kind) &&
    (number === undefined || record.number === number) &&
    (supplier === undefined || record.supplier === supplier)
  );
}

function nothingOf(
  { kind, number, supplier, step, items }: Choice,
  unknowns: readonly Unknown[],
  isMissing: boolean,
): string {
  if (isMissing) return `the run has no ${kind} ${number} of ${supplier}.`;
  if (number === undefined) return `nothing is unknown at ${spaced(step)}. data-import-sdk resolve lists what is.`;
  const steps = unknowns.filter(({ record }) => record.kind === kind && record.number === number);
  const ofStep = steps.filter((one) => one.step === step);
  if (items !== undefined && ofStep.length > 0) {
    const names = ofStep.map(({ record }) => unknownItems(record, step).items).join('; ');
    return `${kind} ${number} has no item ${items.join('; ')} at ${spaced(step)} whose outcome is unknown: unknown are ${names}.`;
  }
  const known =
    steps.length === 0 ? 'it has no unknown step' : `unknown are ${steps.map((one) => spaced(one.step)).join(', ')}`;
  return `${kind} ${number} is not unknown at ${spaced(step)}: ${known}. data-import-sdk resolve lists what is.`;
}

/** An outcome of a row of unknown.csv. */
export interface Marked {
  record: LedgerRecord;
  step: Step;
  row: UnknownRow;
  /** The unknown outcomes of the record. */
  unknowns: readonly Unknown[];
}

/**
 * Resolves with the outcomes of these marks, by mark: those that are unknown, and those that were. `likely`: the records that the rows name.
 */
export async function outcomesWith(
  marks: ReadonlySet<string>,
  likely: readonly RecordKey[],
  { ledger, unknowns }: AnswerContext,
): Promise<ReadonlyMap<string, Marked>> {
  const found = new Map<string, Marked>();
  const add = (record: LedgerRecord) => {
    const ofRecord = unknownsIn(record);
    const steps = [CREATING_STEP[record.kind], ...[...ofRecord, ...record.decisions].map(({ step }) => step)];
    for (const step of new Set(steps)) {
      for (const row of unknownRows(record, step, () => true)) {
        if (marks.has(row.mark)) found.set(row.mark, { record, step, row, unknowns: ofRecord });
      }
    }
  };
  for (const record of new Set(unknowns.map(({ record }) => record))) add(record);
  for (const key of found.size < marks.size ? likely : []) {
    const record = await ledger.find(key);
    if (record !== undefined) add(record);
  }
  // A spreadsheet may have changed the numbers.
  if (found.size < marks.size) for await (const record of ledger.list()) add(record);
  return found;
}
