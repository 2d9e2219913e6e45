/** Exports `createRowCheck`, which finds the rows of a correction sheet whose cells are not those of the entry of their hash; and `groupsOf`. */
import { presentablePath } from '../../errors/items.js';
import { inCell, type SheetRow } from '../input/csv/edited-csv.js';
import { type CorrectedEntry, parsed } from '../input/read-corrected-lines.js';
import { scalarAt } from '../report/result-files/input-column.js';
import { contentMark, HASH } from '../report/result-files/write-rejected-csv.js';
import { firstInWords } from '../shared/format.js';
import { placeOf } from '../shared/place.js';
import { type ExpectedCell, mayBecome, namesRecord, type Owner, otherCellsIn, type Refused } from './cells-of-row.js';

/** As a new value: removes the field. */
export const REMOVE = '<remove>';

/** A row with a new value. */
export interface NewValue extends Pick<SheetRow, 'cell'> {
  row: number;
  field: string;
  text: string;
}

/** A row compared with the entries. */
interface Found {
  owner?: Owner;
  /** Why it is no row of any entry with its hash. */
  why?: string | undefined;
  isOwn?: true;
  isAtPlace?: true;
  isAtOther?: true;
  hasOtherValue?: true;
  /** Another field with its value. */
  otherField?: string;
}

/** Fields in a list that an error does not name. */
const MOST_FIELDS = 3;

/** `template`: path of rejected.csv as it was written. */
export function createRowCheck(rows: readonly NewValue[], template: string) {
  const found = new Map(rows.map((row): [NewValue, Found] => [row, {}]));
  const byHash = groupsOf(rows, ({ cell }) => cell(HASH));
  const byPlace = groupsOf(rows, ({ cell }) => `${cell('file')}:${cell('line')}`);
  const byValue = groupsOf(
    rows.filter(({ cell }) => cell('value') !== ''),
    ({ cell }) => cell('value'),
  );
  const of = (row: NewValue): Found => found.get(row) ?? {};
  return {
    /** Compares the rows with an entry of rejected.jsonl. */
    add(entry: CorrectedEntry): void {
      const { source, line, number, original } = entry;
      const hash = contentMark(entry.hash);
      for (const row of byPlace.get(`${inCell(source)}:${line}`) ?? []) {
        if (!namesRecord(row, entry)) continue;
        of(row)[row.cell(HASH) === hash ? 'isAtPlace' : 'isAtOther'] = true;
      }
      const kind = typeof entry['kind'] === 'string' ? entry['kind'] : null;
      const owner: Owner = { source, line, kind, number };
      for (const row of byHash.get(hash) ?? []) {
        // Two lines may have the same content.
        if (of(row).isOwn) continue;
        const others = otherFieldIn(row, entry);
        const why = otherCellsIn(row, owner, template, { others });
        Object.assign(of(row), { owner, ...(why === undefined ? { isOwn: true } : { why }) });
      }
      if (byValue.size === 0) return;
      const record = typeof original === 'string' ? parsed(original) : original;
      for (const attr of new Set(errorsOf(entry).map((error) => error.attr))) {
        const value = inCell(scalarAt(attr, record) ?? '');
        for (const row of byHash.get(hash) ?? []) {
          const cell = row.cell('value');
          if (row.field === attr && cell !== '' && !mayBecome(value, cell)) of(row).hasOtherValue = true;
        }
        for (const row of byValue.get(value) ?? []) {
          of(row).otherField = `${placeOf({ source, line })} ${attr}`;
        }
      }
    },
    /** Returns the rows that contradict themselves. A row whose hash no entry has is none of them. */
    refused(): Refused[] {
      return rows.flatMap((row): Refused[] => {
        const { owner, why, isOwn, isAtPlace, isAtOther, hasOtherValue, otherField } = of(row);
        if (owner === undefined) return [];
        if (!isOwn && why !== undefined) return [{ row: row.row, why }];
        const others =
          hasOtherValue && otherField
            ? [{ column: 'value', found: `of ${otherField}`, expected: `of ${row.field}` }]
            : [];
        const other = otherCellsIn(row, owner, template, { others, isOther: isAtOther === true && !isAtPlace });
        return other === undefined ? [] : [{ row: row.row, why: other }];
      });
    },
  };
}

export function groupsOf<Row>(rows: readonly Row[], nameOf: (row: Row) => string): ReadonlyMap<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(nameOf(row));
    if (group === undefined) groups.set(nameOf(row), [row]);
    else group.push(row);
  }
  return groups;
}

function errorsOf({ errors }: CorrectedEntry): { attr: string; code: string }[] {
  return errors.map(({ attr, code }) => ({ attr: inCell(String(attr ?? '')), code: inCell(String(code ?? '')) }));
}

/** Returns the field or the code of a row if the entry has no such error. */
function otherFieldIn({ cell, field, text }: NewValue, entry: CorrectedEntry): ExpectedCell[] {
  const errors = errorsOf(entry);
  const isItem = text === REMOVE && /\.\d+$/.test(field);
  const ofField = errors.filter(
    ({ attr }) => attr === field || presentablePath(field) === attr || (isItem && attr.startsWith(`${field}.`)),
  );
  if (ofField.length === 0 && (field !== '' || errors.length > 0)) {
    const fields = [...new Set(errors.map(({ attr }) => attr))];
    return [{ column: 'field', found: field, expected: firstInWords(fields, MOST_FIELDS) }];
  }
  const code = cell('code');
  if (code === '' || ofField.some((error) => error.code === code)) return [];
  return [
    { column: 'code', found: code, expected: firstInWords([...new Set(ofField.map((one) => one.code))], MOST_FIELDS) },
  ];
}
