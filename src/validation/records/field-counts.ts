/** Exports `createFieldCounter`: counts in how many records each field is present, by its path `account.customers.*.landline`. */
import type * as z from 'zod';
import { payloads } from '../payload-schemas.js';
import type { ImportRecord } from './import-record.js';

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

/** A place in the schemas. */
interface Place {
  path: string;
  /** By name, for an object. */
  fields: ReadonlyMap<string, Place>;
  /** For the elements of a list, and for values under any name. */
  each: Place | undefined;
  /** For unknown names of an object. */
  other: Place | undefined;
  hasInside: boolean;
  /** Number of records that have it, and the last of these records. */
  count: number;
  last: number;
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
      visit(record, root, populates + businesses + accounts);
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
  for (const path of pathsOf(rootPlace())) {
    const count = (one.fields[path] ?? 0) + (other.fields[path] ?? 0);
    if (count > 0) fields[path] = count;
  }
  const populates = (one.populates ?? 0) + (other.populates ?? 0);
  const [businesses, accounts] = [one.businesses + other.businesses, one.accounts + other.accounts];
  return { ...(populates > 0 && { populates }), businesses, accounts, fields };
}

function visit(value: unknown, place: Place, record: number): void {
  if (place.last !== record) {
    place.last = record;
    place.count++;
  }
  if (!place.hasInside || typeof value !== 'object' || value === null) return;
  const { fields, each } = place;
  if (Array.isArray(value)) {
    if (each === undefined) return;
    for (let index = 0; index < value.length; index++) {
      visit(value[index], each, record);
      // In a list of simple values the first one is enough.
      if (!each.hasInside) return;
    }
    return;
  }
  const others = place.other ?? each;
  for (const name in value) {
    const field = (value as Record<string, unknown>)[name];
    const inside = fields.get(name) ?? others;
    if (field !== undefined && inside !== undefined) visit(field, inside, record);
  }
}

function collect(place: Place, fields: Record<string, number>): void {
  const inside = insideOf(place);
  if (inside.length === 0 && place.count > 0) fields[place.path] = place.count;
  for (const next of inside) collect(next, fields);
}

function pathsOf(place: Place): string[] {
  const inside = insideOf(place);
  return inside.length === 0 ? [place.path] : inside.flatMap(pathsOf);
}

function insideOf({ fields, each, other }: Place): Place[] {
  return [...fields.values(), ...[each, other].filter((place) => place !== undefined)];
}

/** Returns the tree of all parts of a record. */
function rootPlace(): Place {
  const listOf = (name: 'NotesPayload' | 'TransactionsPayload' | 'HistoricalStatementsPayload', list: string) =>
    placeOf(shapeOf(payloads[name])[list] as z.core.$ZodType, list);
  const instruction = shapeOf(payloads.PaymentInstruction);
  const { import_supplier: _, external_account_number: __, ...own } = instruction;
  const { accounts } = shapeOf(payloads.BusinessPaymentInstruction) as { accounts: z.core.$ZodType };
  const list = 'payment_instructions';
  const parts: [string, Place][] = [
    ['populate', placeOf(payloads.PopulatePayload, 'populate')],
    ['business', placeOf(payloads.BusinessPayload, 'business')],
    ['account', placeOf(payloads.Account, 'account')],
    ['payment_instruction', objectPlace(own, 'payment_instruction')],
    [list, { ...leaf(list), hasInside: true, each: objectPlace({ ...own, accounts }, `${list}.*`) }],
    ['statements', listOf('HistoricalStatementsPayload', 'statements')],
    ['transactions', listOf('TransactionsPayload', 'transactions')],
    ['notes', listOf('NotesPayload', 'notes')],
  ];
  return { ...leaf(''), hasInside: true, fields: new Map(parts), other: leaf('*') };
}

type Shape = Readonly<Record<string, z.core.$ZodType>>;

function shapeOf(schema: z.core.$ZodType): Shape {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return def.type === 'object' ? def.shape : {};
}

function placeOf(schema: z.core.$ZodType, path: string): Place {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
    case 'nullable':
      return placeOf(def.innerType, path);
    case 'array':
      return { ...leaf(path), hasInside: true, each: placeOf(def.element, `${path}.*`) };
    case 'record':
      return { ...leaf(path), hasInside: true, each: placeOf(def.valueType, `${path}.*`) };
    case 'object':
      return objectPlace(def.shape, path);
    case 'union':
      return def.options.map((option) => placeOf(option, path)).reduce(merged);
    default:
      return leaf(path);
  }
}

function objectPlace(shape: Shape, path: string): Place {
  const fields = Object.entries(shape).map(([name, field]): [string, Place] => [
    name,
    placeOf(field, `${path}.${name}`),
  ]);
  return { ...leaf(path), hasInside: true, fields: new Map(fields), other: leaf(`${path}.*`) };
}

/** Merges the schemas of one place, such as contract terms of several types: the result has all fields. */
function merged(one: Place, other: Place): Place {
  const fields = new Map(one.fields);
  for (const [name, place] of other.fields) {
    const known = fields.get(name);
    fields.set(name, known === undefined ? place : merged(known, place));
  }
  const each = one.each && other.each ? merged(one.each, other.each) : (one.each ?? other.each);
  return { ...one, hasInside: one.hasInside || other.hasInside, fields, each, other: one.other ?? other.other };
}

function leaf(path: string): Place {
  return { path, fields: new Map(), each: undefined, other: undefined, hasInside: false, count: 0, last: 0 };
}
