/**
 * Exports `createRemainingInputs`: the inputs that have remaining records and lines, which is the input of this session or one of an
 * earlier session that this one did not read. The command of that session continues it.
 */
import type { LedgerRecord } from '../../ledger/ledger.js';
import { counted } from '../../shared/format.js';

const MOST_FILES = 3;

/** Returns whether the line of a record is in the input of the session. `maybe`: its file has another name, and may have been renamed. */
type IsInInput = (record: LedgerRecord) => 'yes' | 'no' | 'maybe';

export function createRemainingInputs(isInInput: IsInInput) {
  const others = new Set<string>();
  const withOpen = new Set<string>();
  let earlierLines = 0;
  let openElsewhere = 0;
  let isOwnLeft = false;
  return {
    /** Adds a record that another session must read. */
    record(record: LedgerRecord, isOpen: boolean): void {
      const where = isInInput(record);
      if (where !== 'no') isOwnLeft = true;
      if (where === 'yes') return;
      others.add(record.source);
      if (!isOpen) return;
      withOpen.add(record.source);
      openElsewhere++;
    },
    earlierLine(source: string): void {
      others.add(source);
      earlierLines++;
    },
    isOwnLeft: () => isOwnLeft,
    others: (): ReadonlySet<string> => others,
    othersWithOpen: (): ReadonlySet<string> => withOpen,
    earlierLines: () => earlierLines,
    /** Says how many records have not ended, and which files to read for them. */
    inWords(open: number): string {
      const notEnded = `${counted(open, 'record has', 'records have')} not ended`;
      if (openElsewhere === 0) return notEnded;
      const files = [...withOpen].slice(0, MOST_FILES).join(', ') + (withOpen.size > MOST_FILES ? ', …' : '');
      const all = open === 1 ? 'its line is' : 'their lines are';
      const where = openElsewhere === open ? all : `the lines of ${openElsewhere} of them are`;
      return `${notEnded}; ${where} in ${files}, which ${withOpen.size === 1 ? 'was' : 'were'} not read`;
    },
  };
}
