/**
 * What becomes of a record by what happens to it. Pure: the ledger stores what comes out, the simulation replays it.
 * An event that cannot happen to a record in its state throws: going on would be worse.
 */
import { ended, isPending, positionsOf, toDoAgain, tried } from './lacking.js';
import { type End, type LedgerError, type LedgerRecord, type RecordKind, STEPS, type Step } from './ledger/ledger.js';

/** Something that happens to a record; told by `onEvent` after it is on disk. */
export type RecordEvent =
  /** The book has another payload for it than when it was read before. It begins anew. */
  | { happens: 'changed'; hash: string; source: string; line: number; contract: string | null }
  /** A call is about to be made. Stored before it is. */
  | { happens: 'announced'; step: Step }
  /** A step is done, but for the items at the positions that are `left`; `errors` says why. */
  | {
      happens: 'done';
      step: Step;
      platformNumber?: string;
      errors?: readonly Omit<LedgerError, 'step'>[];
      left?: readonly number[];
    }
  /** The platform had the account before we announced to create it. */
  | { happens: 'found'; platformNumber: string | null }
  /**
   * Refused for what the record is; sending it again unchanged would be refused again. `left` are the positions of the
   * items that were not added, where that is not all that was sent.
   */
  | { happens: 'refused'; step: Step; errors: readonly Omit<LedgerError, 'step'>[]; left?: readonly number[] }
  /** The request was sent and no answer came: the service may still be working on it. The intent stays. */
  | { happens: 'unanswered'; step: Step; code?: string }
  /** May have been done, and nobody can tell. */
  | { happens: 'lost'; step: Step; errors?: readonly Omit<LedgerError, 'step'>[] }
  /**
   * Certainly not done, and not the record's fault: the record stays where it was. `of` says whose matter it is where
   * that stands in the way of every other record too; `code` is what was said about it, and `host` the one that gave no
   * answer, where `code` is the reason. `isOpen`: this attempt did not do
   * it, an earlier one may have, and what was announced stays so.
   */
  | { happens: 'failed'; step: Step; of?: 'token' | 'supplier' | 'team'; code?: string; host?: string; isOpen?: true }
  /** Nothing is tried. */
  | { happens: 'skipped'; step: Step; code: string; attr: string }
  /** Nothing is left to do. `restHash` is of the payload without what the record lacks, where it lacks something. */
  | { happens: 'ended'; restHash?: string }
  /** These steps of an account that exists are to be tried again, as the line that is named has them. */
  | { happens: 'again'; steps: readonly Step[]; hash: string; source: string; line: number }
  /** Somebody found out what became of a step that nobody could tell of. */
  | { happens: 'settled'; step: Step; as: 'done' | 'notDone'; platformNumber?: string };

/** What must be done for a record of this kind before it exists; the rest is added to what exists. */
const BEFORE_IT_EXISTS: Readonly<Record<RecordKind, readonly Step[]>> = {
  business: ['check', 'create'],
  account: ['check', 'validate', 'stage', 'dryRun', 'process'],
};

export function happen(record: LedgerRecord, event: RecordEvent, at: string): LedgerRecord {
  if (record.end !== null && !OF_ENDED.has(event.happens)) {
    throw impossible(record, event, `it has ended as ${record.end}`);
  }
  const { supplier, kind, number, version } = record;
  const {
    hash = record.hash,
    done = record.done,
    intent = record.intent,
    end = record.end,
    platformNumber = record.platformNumber,
    unknown = record.unknown,
    errors = record.errors,
    lacking = record.lacking,
    contract = record.contract,
    source = record.source,
    line = record.line,
    intentAt = record.intentAt,
    intentHash = record.intentHash,
  }: Partial<LedgerRecord> = changes(record, event, at);
  // Field by field: to copy all and then to assign what changed takes some ten times as long (0.8 to 1.6 us).
  return {
    supplier,
    kind,
    number,
    version,
    hash,
    done,
    intent,
    intentAt: intent === null ? null : intentAt,
    intentHash: intent === null ? null : intentHash,
    end,
    platformNumber,
    unknown,
    errors,
    lacking,
    contract,
    source,
    line,
    updatedAt: at,
  };
}

/** What can happen to a record that has ended. */
const OF_ENDED: ReadonlySet<RecordEvent['happens']> = new Set(['changed', 'again', 'settled']);

/** Nothing of it exists on the platform, and nothing is under way that might make it exist. */
export function mayBeginAnew({ kind, done, intent, end }: LedgerRecord): boolean {
  if (end === 'created' || end === 'alreadyThere' || end === 'unknown') return false;
  const makesIt: Step = kind === 'business' ? 'create' : 'process';
  return intent !== makesIt && (done === null || STEPS.indexOf(done) < STEPS.indexOf(makesIt));
}

function changes(record: LedgerRecord, event: RecordEvent, at: string): Partial<LedgerRecord> {
  switch (event.happens) {
    case 'changed': {
      const { hash, source, line, contract } = event;
      if (!mayBeginAnew(record)) throw impossible(record, event, 'it may exist on the platform');
      return { hash, source, line, contract, done: null, intent: null, end: null, errors: [], lacking: null };
    }
    case 'announced':
      if (record.intent !== null && record.intent !== event.step) {
        throw impossible(record, event, `${record.intent} is announced and not answered`);
      }
      return { intent: event.step, intentAt: at, intentHash: record.hash };
    case 'unanswered':
      if (record.intent !== event.step) throw impossible(record, event, 'it is not announced');
      return { intentAt: at };
    case 'done': {
      const { step, platformNumber = record.platformNumber, errors = [], left = [] } = event;
      // A spread comes last: what is added after one costs a hundred times as much.
      return {
        platformNumber,
        errors: [...record.errors, ...ofStep(step, errors)],
        lacking: isBefore(record, step) ? record.lacking : tried(record, step, left),
        ...passed(record, step),
      };
    }
    case 'found':
      // Whoever made it has added to it what belongs there.
      return { intent: null, platformNumber: event.platformNumber, end: 'alreadyThere' };
    case 'refused': {
      const errors = [...record.errors, ...ofStep(event.step, event.errors)];
      const attempted = positionsOf(record, event.step);
      // What cannot be added to an account does not undo the account: the next item has its turn.
      return isBefore(record, event.step)
        ? { intent: null, errors, end: 'rejected' }
        : { ...passed(record, event.step), errors, lacking: tried(record, event.step, event.left ?? attempted) };
    }
    case 'lost': {
      const unknown = [...record.unknown, event.step];
      const errors = [...record.errors, ...ofStep(event.step, event.errors ?? [])];
      const attempted = positionsOf(record, event.step);
      return isBefore(record, event.step)
        ? { unknown, errors, end: 'unknown' }
        : { ...passed(record, event.step), unknown, errors, lacking: tried(record, event.step, attempted) };
    }
    case 'failed':
      return event.isOpen ? {} : { intent: null };
    case 'skipped':
      return {
        intent: null,
        end: 'skipped',
        errors: [...record.errors, { step: event.step, code: event.code, attr: event.attr }],
      };
    case 'ended':
      return { intent: null, end: endOf(record), lacking: ended(record, event.restHash) };
    case 'again':
      return tryAgain(record, event);
    case 'settled':
      return settle(record, event);
  }
}

/** A step that is done again does not take the record back to where it was then. */
function passed(record: LedgerRecord, step: Step): Partial<LedgerRecord> {
  return isPending(record, step) ? { intent: null } : { intent: null, done: step };
}

function tryAgain(record: LedgerRecord, event: Extract<RecordEvent, { happens: 'again' }>): Partial<LedgerRecord> {
  const { steps, hash, source, line } = event;
  if (record.intent !== null) throw impossible(record, event, `${record.intent} is announced and not answered`);
  const known = record.lacking?.items.map(({ step }) => step) ?? [];
  const wrong = steps.find((step) => !known.includes(step) || record.unknown.includes(step));
  if (wrong !== undefined) throw impossible(record, event, `${wrong} is not known to be lacking`);
  const errors = record.errors.filter(({ step }) => !steps.includes(step));
  return { hash, source, line, errors, lacking: toDoAgain(record, steps), end: null };
}

function settle(record: LedgerRecord, event: Extract<RecordEvent, { happens: 'settled' }>): Partial<LedgerRecord> {
  const { step, as, platformNumber = record.platformNumber } = event;
  if (!maySettle(record, step) && !(as === 'done' && wasRefusedAt(record, step))) {
    throw impossible(record, event, 'it is not unknown');
  }
  const unknown = record.unknown.filter((other) => other !== step);
  const intent = record.intent === step ? null : record.intent;
  // They told why nobody could tell.
  const errors = record.errors.filter((error) => error.step !== step);
  const settled = { unknown, intent, errors };
  const isAdded = !isBefore(record, step);
  if (as === 'notDone') {
    // What was announced and never answered is the next step by itself.
    const isNext = record.intent === step;
    return { ...settled, end: null, lacking: isAdded && !isNext ? toDoAgain(record, [step]) : record.lacking };
  }
  if (!isAdded) {
    const end = step === 'create' ? 'created' : null;
    return { ...settled, done: step, end, platformNumber };
  }
  const lacking = tried(record, step, []);
  if (record.intent === step) return { ...settled, ...passed(record, step), lacking };
  const isOpen = record.end === null || (lacking?.pending.length ?? 0) > 0;
  return { ...settled, lacking, end: isOpen ? null : endOf({ ...record, unknown }) };
}

/** Whether nobody can tell what became of the step, so that somebody may say it. */
function maySettle({ unknown, intent }: LedgerRecord, step: Step): boolean {
  return unknown.includes(step) || intent === step;
}

/** The refusal may have been the trace of a request that the service was still at. */
export function wasRefusedAt({ end, errors }: LedgerRecord, step: Step): boolean {
  return end === 'rejected' && errors.some((error) => error.step === step);
}

function ofStep(step: Step, errors: readonly Omit<LedgerError, 'step'>[]): LedgerError[] {
  return errors.map(({ code, attr }) => ({ step, code, attr }));
}

function endOf({ unknown }: LedgerRecord): End {
  return unknown.length > 0 ? 'unknown' : 'created';
}

function isBefore({ kind }: LedgerRecord, step: Step): boolean {
  return BEFORE_IT_EXISTS[kind].includes(step);
}

function impossible(record: LedgerRecord, event: RecordEvent, why: string): Error {
  const what = 'step' in event ? `${event.happens} ${event.step}` : event.happens;
  return new Error(`ledger: ${record.kind} ${record.number} cannot have "${what}" happen: ${why}.`);
}
