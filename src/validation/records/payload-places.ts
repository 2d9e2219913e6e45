/** Exports `rootPlace`, the tree of all fields of a record, by the schemas of its payloads. */
import type * as z from 'zod';
import { isObjectOrArray } from '../../../schemas/objects.js';
import { payloads } from '../payload-schemas.js';

/** `choice`: the API specification lists values. `date`: a date or a datetime. */
type ValueKind = 'choice' | 'date' | 'text' | 'boolean' | 'other';

/** A place in the schemas. */
export interface Place {
  /** Differs from that of every other place, for tables. */
  index: number;
  path: string;
  /** By name, for an object. */
  fields: ReadonlyMap<string, Place>;
  /** For the elements of a list, and for values under any name. */
  each: Place | undefined;
  /** For unknown names of an object. */
  other: Place | undefined;
  hasInside: boolean;
  /** What the schema allows, for a place without anything inside. */
  kind: ValueKind;
}

/** Returns the places inside of a place, in the order of the schemas. */
export function insideOf({ fields, each, other }: Place): Place[] {
  return [...fields.values(), ...[each, other].filter((place) => place !== undefined)];
}

/** Calls `meet` with each value of a record, also those inside of others, and its place. Values without a place are skipped. */
export function visitPlaces(value: unknown, place: Place, meet: (value: unknown, place: Place) => void): void {
  meet(value, place);
  if (!place.hasInside || !isObjectOrArray(value)) return;
  const { fields, each, other = each } = place;
  if (Array.isArray(value)) {
    if (each !== undefined) for (const one of value) visitPlaces(one, each, meet);
    return;
  }
  for (const name in value) {
    const inside = fields.get(name) ?? other;
    const field = (value as Record<string, unknown>)[name];
    if (inside !== undefined && field !== undefined) visitPlaces(field, inside, meet);
  }
}

/** Returns the paths of the places in it that have nothing inside, in the order of the schemas. */
export function leavesOf(place: Place): string[] {
  const inside = insideOf(place);
  return inside.length === 0 ? [place.path] : inside.flatMap(leavesOf);
}

let root: Place | undefined;

/** Returns the tree of all parts of a record. It is made once, when a command needs it. */
export function rootPlace(): Place {
  root ??= makeRoot();
  return root;
}

function makeRoot(): Place {
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
      return { ...leaf(path), kind: kindOf(schema) };
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
  const kind = one.kind === other.kind ? one.kind : 'other';
  return { ...one, kind, hasInside: one.hasInside || other.hasInside, fields, each, other: one.other ?? other.other };
}

let places = 0;

function leaf(path: string): Place {
  return {
    index: places++,
    path,
    fields: new Map(),
    each: undefined,
    other: undefined,
    hasInside: false,
    kind: 'other',
  };
}

function kindOf(schema: z.core.$ZodType): ValueKind {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'enum' || def.type === 'literal') return 'choice';
  if (def.type === 'boolean') return 'boolean';
  if (def.type !== 'string') return 'other';
  const { format } = def as { format?: string };
  if (format === 'date' || format === 'datetime') return 'date';
  return (schema as z.ZodType).meta()?.['examples'] === undefined ? 'text' : 'choice';
}
