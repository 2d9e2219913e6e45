/**
 * What becomes of a record by what happens to it. Pure: the ledger stores what comes out, the simulation replays it.
 * An event that cannot happen to a record in its state throws: going on would be worse.
 */
import { type End, type LedgerError, type LedgerRecord, type RecordKind, STEPS, type Step } from './ledger/ledger.js';

export type RecordEvent =
  /** The book has another payload for it than when it was read before. It begins anew. */
  | { happens: 'changed'; hash: string; source: string; line: number }
  /** A call is about to be made. Stored before it is. */
  | { happens: 'announced'; step: Step }
  /** A step is done, but for what `errors` says. */
  | { happens: 'done'; step: Step; platformNumber?: string; errors?: readonly Omit<LedgerError, 'step'>[] }
  /** The platform had the account before we announced to create it. */
  | { happens: 'found'; platformNumber: string | null }
  /** Refused for what the record is; sending it again unchanged would be refused again. */
  | { happens: 'refused'; step: Step; errors: readonly Omit<LedgerError, 'step'>[] }
  /** May have been done, and nobody can tell. */
  | { happens: 'lost'; step: Step; errors?: readonly Omit<LedgerError, 'step'>[] }
  /**
   * Certainly not done, and not the record's fault: the record stays where it was. `of` says whose matter it is where
   * that stands in the way of every other record too; `code` is what was said about it.
   */
  | { happens: 'failed'; step: Step; of?: 'token' | 'supplier'; code?: string }
  /** Nothing is tried. */
  | { happens: 'skipped'; step: Step; code: string; attr: string }
  /** Nothing is left to do. */
  | { happens: 'ended' };

/** What must be done for a record of this kind before it exists; the rest is added to what exists. */
const BEFORE_IT_EXISTS: Readonly<Record<RecordKind, readonly Step[]>> = {
  business: ['check', 'create'],
  account: ['check', 'validate', 'stage', 'dryRun', 'process'],
};

export function happen(record: LedgerRecord, event: RecordEvent, at: string): LedgerRecord {
  if (record.end !== null && !(event.happens === 'changed' && mayBeginAnew(record))) {
    throw impossible(record, event, `it has ended as ${record.end}`);
  }
  return { ...record, ...changes(record, event), updatedAt: at };
}

/** Nothing of it exists on the platform, and nothing is under way that might make it exist. */
export function mayBeginAnew({ kind, done, intent, end }: LedgerRecord): boolean {
  if (end === 'created' || end === 'alreadyThere' || end === 'unknown') return false;
  const makesIt: Step = kind === 'business' ? 'create' : 'process';
  return intent !== makesIt && (done === null || STEPS.indexOf(done) < STEPS.indexOf(makesIt));
}

function changes(record: LedgerRecord, event: RecordEvent): Partial<LedgerRecord> {
  switch (event.happens) {
    case 'changed': {
      const { hash, source, line } = event;
      if (!mayBeginAnew(record)) throw impossible(record, event, 'it may exist on the platform');
      return { hash, source, line, done: null, intent: null, end: null, errors: [] };
    }
    case 'announced':
      if (record.intent !== null && record.intent !== event.step) {
        throw impossible(record, event, `${record.intent} is announced and not answered`);
      }
      return { intent: event.step };
    case 'done': {
      const { step, platformNumber = record.platformNumber, errors = [] } = event;
      return { intent: null, done: step, platformNumber, errors: [...record.errors, ...at(step, errors)] };
    }
    case 'found':
      // Whoever made it has added to it what belongs there.
      return { intent: null, platformNumber: event.platformNumber, end: 'alreadyThere' };
    case 'refused': {
      const errors = [...record.errors, ...at(event.step, event.errors)];
      // What cannot be added to an account does not undo the account: the next item has its turn.
      return isBefore(record, event.step)
        ? { intent: null, errors, end: 'rejected' }
        : { intent: null, errors, done: event.step };
    }
    case 'lost': {
      const unknown = [...record.unknown, event.step];
      const errors = [...record.errors, ...at(event.step, event.errors ?? [])];
      return isBefore(record, event.step)
        ? { unknown, errors, end: 'unknown' }
        : { intent: null, unknown, errors, done: event.step };
    }
    case 'failed':
      return { intent: null };
    case 'skipped':
      return {
        intent: null,
        end: 'skipped',
        errors: [...record.errors, { step: event.step, code: event.code, attr: event.attr }],
      };
    case 'ended':
      return { intent: null, end: endOf(record) };
  }
}

function at(step: Step, errors: readonly Omit<LedgerError, 'step'>[]): LedgerError[] {
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
