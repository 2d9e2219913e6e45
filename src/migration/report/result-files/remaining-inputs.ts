/**
 * Exports `createRemainingInputs`: the inputs that have remaining records and lines, which is the input of this session or one of an
 * earlier session that this one did not read. The command of that session continues it.
 */
import type { LedgerRecord } from '../../ledger/ledger.js';
import { counted } from '../../shared/format.js';

interface RemainingInputs {
  /** Call it for each record that another session must read. */
  record(record: LedgerRecord, isOpen: boolean): void;
  /** Call it with the file of each line of an earlier session that was copied. */
  earlierLine(source: string): void;
  /** Returns whether records of the input of this session remain. */
  isOwnLeft(): boolean;
  /** Returns the files with remaining records or lines that the session did not read. */
  others(): ReadonlySet<string>;
  /** Returns those of `others` with unfinished records. */
  othersWithOpen(): ReadonlySet<string>;
  earlierLines(): number;
  /** Returns a text such as `2 records have not ended; their lines are in first.jsonl, which was not read`. */
  inWords(open: number): string;
}

const MOST_FILES = 3;

/** Returns whether the line of a record is in the input of the session. `maybe`: its file has another name, and may have been renamed. */
type IsInInput = (record: LedgerRecord) => 'yes' | 'no' | 'maybe';

export function createRemainingInputs(isInInput: IsInInput): RemainingInputs {
  const others = new Set<string>();
  const withOpen = new Set<string>();
  let earlierLines = 0;
  let openElsewhere = 0;
  let isOwnLeft = false;
  return {
    record(record, isOpen) {
      const where = isInInput(record);
      if (where !== 'no') isOwnLeft = true;
      if (where === 'yes') return;
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
