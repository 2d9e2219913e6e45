/**
 * In which inputs a session leaves records and lines that need the user: in its own, or in one of an earlier session that it
 * did not read. Its command continues that one.
 */
import type { LedgerRecord } from '../../ledger/ledger.js';
import { counted } from '../../shared/format.js';

interface LeftInInputs {
  /** Receives each record of the run that another session must read. */
  record(record: LedgerRecord, isOpen: boolean): void;
  /** Receives the file of each line of an earlier session that was kept. */
  earlierLine(source: string): void;
  /** Whether records of the session's own input are left. */
  isOwnLeft(): boolean;
  /** Files that the session did not read and that have records or lines which are left. */
  others(): ReadonlySet<string>;
  /** Of these, the ones with records that have not ended. */
  othersWithOpen(): ReadonlySet<string>;
  earlierLines(): number;
  /** `2 records have not ended; their lines are in first.jsonl, which was not read`. */
  inWords(open: number): string;
}

const MOST_FILES = 3;

/** Whether the line of a record is in the session's input. `maybe`: its file has another name, and may have been renamed. */
type IsInInput = (record: LedgerRecord) => 'yes' | 'no' | 'maybe';

export function createRemainingInputs(isInInput: IsInInput): LeftInInputs {
  const others = new Set<string>();
  const withOpen = new Set<string>();
  let earlierLines = 0;
  let openElsewhere = 0;
  let isOwnLeft = false;
  return {
    record(record, isOpen) {
      const isThere = isInInput(record);
      if (isThere !== 'no') isOwnLeft = true;
      if (isThere === 'yes') return;
      others.add(record.source);
      if (!isOpen) return;
      withOpen.add(record.source);
      openElsewhere++;
    },
    earlierLine(source) {
      others.add(source);
      earlierLines++;
    },
    isOwnLeft: () => isOwnLeft,
    others: () => others,
    othersWithOpen: () => withOpen,
    earlierLines: () => earlierLines,
    inWords(open) {
      const notEnded = `${counted(open, 'record has', 'records have')} not ended`;
      if (openElsewhere === 0) return notEnded;
      const files = [...withOpen].slice(0, MOST_FILES).join(', ') + (withOpen.size > MOST_FILES ? ', …' : '');
      const all = open === 1 ? 'its line is' : 'their lines are';
      const where = openElsewhere === open ? all : `the lines of ${openElsewhere} of them are`;
      return `${notEnded}; ${where} in ${files}, which ${withOpen.size === 1 ? 'was' : 'were'} not read`;
    },
  };
}
