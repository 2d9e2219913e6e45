/**
 * The first account of a run goes alone: it is staged and tried before another account is staged, so that a wrong team or
 * token stages one account and no more (decision 27).
 */
import type { Ledger, RecordKey, Step } from '../../ledger/ledger.js';
import type { RecordEvent } from '../apply-event.js';

export interface FirstAccount {
  /** Whether every account may go on at once. */
  isOver(): boolean;
  /** Resolves when this account may be staged: alone, or because it is over. */
  enter(record: RecordKey): Promise<void>;
  /** Whether this account goes alone now. */
  isAlone(record: RecordKey): boolean;
  /** Told of what happens to every account. */
  onEvent(record: RecordKey, event: RecordEvent): void;
  /** The account has ended, or is left open: the next one goes alone. */
  leave(record: RecordKey): void;
  /** It is over: everybody may go on. */
  open(): void;
}

/** The fact of a ledger that says which team the service has taken. */
const ACCEPTED_TEAM = 'acceptedTeam';

export async function isAcceptedTeam(ledger: Pick<Ledger, 'fact'>, team: string): Promise<boolean> {
  return (await ledger.fact(ACCEPTED_TEAM)) === team;
}

export async function storeAcceptedTeam(ledger: Pick<Ledger, 'setFact'>, team: string): Promise<void> {
  await ledger.setFact(ACCEPTED_TEAM, team);
}

/**
 * So many accounts are refused, or exist already, before they come as far as their team: then the others go on, for an
 * input of such accounts alone would take as long as all its requests one after the other.
 */
const MOST_REFUSED = 100;
/** So many calls fail for no fault of their account: then the rules that halt a run see to it. */
const MOST_FAILED = 3;

/** The steps that stage an account, or that the team is named in. */
const GUARDED: ReadonlySet<Step> = new Set(['stage', 'dryRun', 'process']);

export function isGuarded(step: Step): boolean {
  return GUARDED.has(step);
}

/** For a forecast: the first account that comes as far as its dry run; none where the team was accepted before. */
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
  /** Called when the service has taken the team of the run. */
  onAccepted: () => void;
  /** Called when it is over, for that reason or another. */
  onOver?: () => void;
}

export function createFirstAccount({ onAccepted, onOver = () => {} }: FirstAccountOptions): FirstAccount {
  let isOver = false;
  let alone: RecordKey | undefined;
  let waiting: { record: RecordKey; go: () => void }[] = [];
  let [refused, failed] = [0, 0];
  let lastEvent: RecordEvent | undefined;

  const isAlone = ({ supplier, number }: RecordKey) => alone?.number === number && alone.supplier === supplier;
  const open = () => {
    if (isOver) return;
    isOver = true;
    onOver();
    alone = undefined;
    const everybody = waiting;
    waiting = [];
    for (const { go } of everybody) go();
  };
  const goOn = () => {
    const first = waiting.shift();
    alone = first?.record;
    lastEvent = undefined;
    first?.go();
  };

  return {
    isOver: () => isOver,
    isAlone,
    open,
    enter(record) {
      if (isOver || isAlone(record)) return Promise.resolve();
      if (alone === undefined) {
        alone = record;
        return Promise.resolve();
      }
      return new Promise((go) => waiting.push({ record, go }));
    },
    onEvent(record, event) {
      if (isOver || !isAlone(record)) return;
      lastEvent = event;
      if (event.type !== 'stepSucceeded' || (event.step !== 'dryRun' && event.step !== 'process')) return;
      onAccepted();
      open();
    },
    leave(record) {
      if (isOver || !isAlone(record)) return;
      const isFailure = lastEvent?.type === 'stepFailed' && lastEvent.of === undefined;
      if (lastEvent?.type === 'stepFailed' && lastEvent.isHeldBack) return goOn();
      if (isFailure || lastEvent?.type === 'noAnswer') failed++;
      else refused++;
      if (refused >= MOST_REFUSED || failed >= MOST_FAILED) open();
      else goOn();
    },
  };
}
