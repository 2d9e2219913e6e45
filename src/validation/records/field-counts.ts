/** Exports `createFieldCounter`: counts in how many records each field is present, by its path `account.customers.*.landline`. */
import type { ImportRecord } from './import-record.js';
import { insideOf, leavesOf, type Place, rootPlace, visitPlaces } from './payload-places.js';

/** Number of records, and of records that have each field. */
export interface FieldCounts {
  /** Missing if there are none. */
  populates?: number;
  businesses: number;
  accounts: number;
  /**
   * Records by field, in the order of the API specification; only fields that a record has. `*` replaces an index, and an
   * unknown name, which may be personal data.
   */
  fields: Record<string, number>;
}

export interface FieldCounter {
  add(record: ImportRecord): void;
  counts(): FieldCounts;
}

/** Returns a counter. Its memory depends on the number of fields in the schemas, not of records. */
export function createFieldCounter(): FieldCounter {
  const root = rootPlace();
  let populates = 0;
  let businesses = 0;
  let accounts = 0;
  return {
    add(record) {
      if ('business' in record) businesses++;
      else if ('account' in record) accounts++;
      else populates++;
      const number = populates + businesses + accounts;
      visitPlaces(record, root, (_, place) => {
        if (place.last === number) return;
        place.last = number;
        place.count++;
      });
    },
    counts() {
      const fields: Record<string, number> = {};
      collect(root, fields);
      return { ...(populates > 0 && { populates }), businesses, accounts, fields };
    },
  };
}

/** Returns the sum of the counts of two parts of an input. */
export function addFieldCounts(one: FieldCounts, other: FieldCounts): FieldCounts {
  const fields: Record<string, number> = {};
  // In the order of the schemas.
  for (const path of leavesOf(rootPlace())) {
    const count = (one.fields[path] ?? 0) + (other.fields[path] ?? 0);
    if (count > 0) fields[path] = count;
  }
  const populates = (one.populates ?? 0) + (other.populates ?? 0);
  const [businesses, accounts] = [one.businesses + other.businesses, one.accounts + other.accounts];
  return { ...(populates > 0 && { populates }), businesses, accounts, fields };
}

function collect(place: Place, fields: Record<string, number>): void {
  const inside = insideOf(place);
  if (inside.length === 0 && place.count > 0) fields[place.path] = place.count;
  for (const next of inside) collect(next, fields);
}
