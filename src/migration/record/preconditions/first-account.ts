/**
 * Sends the first account of a run before all others: it is staged and dry-run before another account is staged, so
 * that a wrong team or token stages one account at most (decision 27).
 */
import type { Ledger, RecordKey, Step } from '../../ledger/ledger.js';
import type { RecordEvent } from '../events/record-event.js';

export type FirstAccount = ReturnType<typeof createFirstAccount>;

/** Ledger fact with the team that the service has accepted. */
const ACCEPTED_TEAM = 'acceptedTeam';

export async function isAcceptedTeam(ledger: Pick<Ledger, 'fact'>, team: string): Promise<boolean> {
  return (await ledger.fact(ACCEPTED_TEAM)) === team;
}

export async function storeAcceptedTeam(ledger: Pick<Ledger, 'setFact'>, team: string): Promise<void> {
  await ledger.setFact(ACCEPTED_TEAM, team);
}

/**
 * After this many accounts that were refused, or existed already, before the service checked their team, all accounts
 * may continue: an input of only such accounts would otherwise be sent one request at a time.
 */
const MOST_REFUSED = 100;

/** The steps that stage an account or name the team. */
const GUARDED: ReadonlySet<Step> = new Set(['stage', 'dryRun', 'process']);

export function isGuarded(step: Step): boolean {
  return GUARDED.has(step);
}

/** For a forecast: selects the account that the run will send first; none if the team was accepted before. */
export async function foreseenFirst(
  ledger: Pick<Ledger, 'fact'> | undefined,
  team: string | undefined,
): Promise<Pick<FirstAccount, 'isAlone'>> {
  const accepted = await ledger?.fact(ACCEPTED_TEAM);
  if (accepted !== undefined && (team === undefined || team === accepted)) return { isAlone: () => false };
  let first: RecordKey | undefined;
  return {
    isAlone(record) {
      first ??= record;
      return first.number === record.number && first.supplier === record.supplier;
    },
  };
}

export interface FirstAccountOptions {
  /** Called when the service has accepted the team of the run. */
  onAccepted: () => void;
  /** Called when all accounts may continue, for any reason. */
  onOver?: () => void;
}

export function createFirstAccount({ onAccepted, onOver = () => {} }: FirstAccountOptions) {
  let isOver = false;
  let current: RecordKey | undefined;
  let waiting: { record: RecordKey; go: () => void }[] = [];
  let refused = 0;
  let lastEvent: RecordEvent | undefined;

  const isAlone = ({ supplier, number }: RecordKey) => current?.number === number && current.supplier === supplier;
  const open = () => {
    if (isOver) return;
    isOver = true;
    onOver();
    current = undefined;
    const all = waiting;
    waiting = [];
    for (const { go } of all) go();
  };
  const admitNext = () => {
    const first = waiting.shift();
    current = first?.record;
    lastEvent = undefined;
    first?.go();
  };

  return {
    /** Whether all accounts may continue. */
    isOver: () => isOver,
    /** Whether this account is the first account now. */
    isAlone,
    /** Ends the wait: all accounts may continue. */
    open,
    /** Resolves when this account may be staged: as the first account, or because the first account was accepted. */
    enter(record: RecordKey): Promise<void> {
      if (isOver || isAlone(record)) return Promise.resolve();
      if (current === undefined) {
        current = record;
        return Promise.resolve();
      }
      return new Promise((go) => waiting.push({ record, go }));
    },
    /** Call with every event of an account. */
    onEvent(record: RecordKey, event: RecordEvent): void {
      if (isOver || !isAlone(record)) return;
      lastEvent = event;
      if (event.type !== 'stepSucceeded' || (event.step !== 'dryRun' && event.step !== 'process')) return;
      onAccepted();
      open();
    },
    /** The account has ended, or cannot continue now: the next one becomes the first account. */
    leave(record: RecordKey): void {
      if (isOver || !isAlone(record)) return;
      const isFailure = lastEvent?.type === 'stepFailed' && lastEvent.of === undefined;
      // A failed call says nothing about the team. If all fail, the halt rules stop the run.
      if (!isFailure && lastEvent?.type !== 'noAnswer') refused++;
      if (refused >= MOST_REFUSED) open();
      else admitNext();
    },
  };
}
