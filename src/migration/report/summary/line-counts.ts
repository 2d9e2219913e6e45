/** Exports `createLineTally`, which counts the lines without a separate record, by reason. */
import type { InputLine } from '../../input/source.js';
import { itemsIn } from '../../record/items/item-states.js';
import { keyOf } from '../../record/record-key.js';
import type { LineFinding } from '../../run/run-context.js';
import { addPlace, type CountedPlaces, nowhere } from '../../shared/counted-places.js';
import { placeInWords } from '../../shared/place.js';
import { zeros } from '../../shared/zero-counts.js';
import { AmountTally, type SupplierAmounts } from './amount-totals.js';
import { createGroups, type ErrorGroup } from './error-groups.js';
import { addItems, type ItemSummary, noItemTotals } from './item-totals.js';

export interface LineCounts {
  /** Lines without a record. */
  rejected: number;
  /** Those of `rejected` that `retry` can read, and those of them with an error of a field. */
  listed: number;
  inSheet: number;
  /** Those of `rejected` that it cannot read, such as rows: only the file or the mapping can be corrected. */
  inFiles: number;
  /** Lines whose number another record has. */
  skipped: number;
  /** Those of `skipped` with the content of the line that was taken: their content is not missing. */
  duplicates: number;
  /** Those of `skipped` with other content. */
  contradicting: number;
  /** Lines given to `retry` that differ from the record that exists. For those of the input, the ledger has the difference. */
  changed: CountedPlaces;
  /** Lines that `retry` replaced by a corrected line. */
  corrected: CountedPlaces;
  /** Unreadable lines, whose items cannot be counted. */
  uncounted: number;
  groups: ErrorGroup[];
  /** Items of the rejected and the skipped lines. */
  items: ItemSummary;
  /** The amounts of these items. */
  amounts: SupplierAmounts[];
}

/** The numbers. */
export const LINE_COUNTS = [
  ...(['rejected', 'listed', 'inSheet', 'inFiles', 'skipped', 'duplicates', 'contradicting', 'uncounted'] as const),
];

/** Code of a line with the number and the content of an earlier line. */
export const DUPLICATE_RECORD = 'duplicate_record';

/** Codes of a row, and of a line of which rejected.jsonl has only a part. */
const WITHOUT_RECORD: ReadonlySet<string> = new Set([
  ...['invalid_csv', 'map_failed', 'invalid_json_value', 'line_too_long', 'damaged_file'],
  ...['row_in_no_record', 'incomplete_record'],
]);
/** A row with them has no record either; a line of JSON can be corrected in rejected.jsonl. */
const IN_A_ROW: ReadonlySet<string> = new Set(['invalid_encoding', 'too_deep']);
const CSV = /\.csv(\.gz)?$/i;

export const NO_LINES: LineCounts = {
  ...zeros(LINE_COUNTS),
  ...{ changed: nowhere(), corrected: nowhere(), groups: [], items: noItemTotals(), amounts: [] },
};

/** `before`: what is counted already. */
export function createLineTally(before = NO_LINES) {
  const counts = structuredClone(before);
  const amounts = new AmountTally();
  amounts.add(before.amounts);
  const groups = createGroups(before.groups);
  return {
    add(item: InputLine, { as, code, attr, detail, change, count = 1 }: LineFinding): void {
      // The ledger has what differs.
      if (as === 'accepted' || change !== undefined) return;
      const place = placeInWords(item);
      if (as === 'corrected' || as === 'changed') {
        addPlace(counts[as], place);
        return;
      }
      counts[as] += count;
      const kind = kindOf(item, as, code);
      counts[kind] += count;
      if (kind === 'listed' && attr !== '') counts.inSheet += count;
      groups.add(place, [{ step: 'read', code, attr, detail }], count);
      const found = item.read();
      if ('record' in found) {
        const items = itemsIn(found.record);
        addItems(counts.items, items, true);
        amounts.addLine(keyOf(found.record)?.supplier ?? '', items, as);
      } else counts.uncounted += count;
    },
    counts: (): LineCounts => ({ ...structuredClone(counts), groups: groups.list(), amounts: amounts.suppliers() }),
  };
}

function kindOf({ source }: InputLine, as: 'rejected' | 'skipped', code: string) {
  if (as === 'skipped') return code === DUPLICATE_RECORD ? 'duplicates' : 'contradicting';
  return WITHOUT_RECORD.has(code) || (IN_A_ROW.has(code) && CSV.test(source)) ? 'inFiles' : 'listed';
}
