/**
 * Exports `createRemainingInputs`: the inputs that have remaining records and lines, which is the input of this session or one of an
 * earlier session that this one did not read. The command of that session continues it.
 */
import type { LedgerRecord } from '../../ledger/ledger.js';
import { hasOtherCustomer, isRemoved } from '../../record/changed-and-removed.js';
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
  /** Unfinished records of the input: those without a line, those whose line is of another customer, and the others. */
  let [removed, ofOther, stopped] = [0, 0, 0];
  return {
    /** Adds a record that another session must read. */
    record(record: LedgerRecord, isOpen: boolean): void {
      const where = isInInput(record);
      if (where !== 'no') isOwnLeft = true;
      if (where === 'yes') {
        if (!isOpen) return;
        if (isRemoved(record)) removed++;
        else if (hasOtherCustomer(record)) ofOther++;
        else stopped++;
        return;
      }
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
    /** Says how many records have not ended, and why. `causes`: what the session knows; a cause is always named. */
    inWords(open: number, causes: readonly (string | undefined)[]): string {
      const files = [...withOpen].slice(0, MOST_FILES).join(', ') + (withOpen.size > MOST_FILES ? ', …' : '');
      const all = open === 1 ? 'its line is' : 'their lines are';
      const where = openElsewhere === open ? all : `the lines of ${openElsewhere} of them are`;
      const notRead = `${where} in ${files}, which ${withOpen.size === 1 ? 'was' : 'were'} not read`;
      const known = causes.filter((cause) => cause !== undefined);
      const waited = `${stopped} ${stopped === 1 ? 'has' : 'have'} steps left, and waited for another record, for the outcome of a request, or for an answer that came as the session ended`;
      return [
        open === 0 ? 'the input was not read to its end' : `${counted(open, 'record has', 'records have')} not ended`,
        ...(openElsewhere === 0 ? [] : [notRead]),
        ...(removed === 0 ? [] : [`${counted(removed, 'record has', 'records have')} no line in the input any more`]),
        ...(ofOther === 0 ? [] : [`${counted(ofOther, 'line is', 'lines are')} of another customer than the record`]),
        ...(known.length > 0 || stopped === 0 ? known : [waited]),
      ].join('; ');
    },
  };
}
