/** Exports `rootPlace`, the tree of all fields of a record, by the schemas of its payloads. */
import type * as z from 'zod';
import { variantsOf } from '../../../schemas/known-field-names.js';
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
  const { import_supplier: _, external_account_number: __, ...own } = payloads.PaymentInstruction.shape;
  const { accounts } = payloads.BusinessPaymentInstruction.shape;
  const list = 'payment_instructions';
  const parts: [string, Place][] = [
    ['populate', placeOf([payloads.PopulatePayload], 'populate')],
    ['business', placeOf([payloads.BusinessPayload], 'business')],
    ['account', placeOf([payloads.Account], 'account')],
    ['payment_instruction', objectPlace([own], 'payment_instruction')],
    [list, { ...leaf(list), hasInside: true, each: objectPlace([{ ...own, accounts }], `${list}.*`) }],
    ['statements', placeOf([payloads.HistoricalStatementsPayload.shape.statements], 'statements')],
    ['transactions', placeOf([payloads.TransactionsPayload.shape.transactions], 'transactions')],
    ['notes', placeOf([payloads.NotesPayload.shape.notes], 'notes')],
  ];
  return { ...leaf(''), hasInside: true, fields: new Map(parts), other: leaf('*') };
}

type Shape = Readonly<Record<string, z.core.$ZodType>>;

/** `schemas`: those of one place, such as contract terms of several types. The result has all fields. */
function placeOf(schemas: readonly z.core.$ZodType[], path: string): Place {
  const variants = schemas.flatMap(variantsOf);
  const defs = variants.map(({ _zod }) => _zod.def);
  const shapes = defs.flatMap((def): Shape[] => (def.type === 'object' ? [def.shape] : []));
  const elements = defs.flatMap((def) =>
    def.type === 'array' ? def.element : def.type === 'record' ? def.valueType : [],
  );
  const kinds = new Set(variants.map(kindOf));
  return {
    ...(shapes.length === 0 ? leaf(path) : objectPlace(shapes, path)),
    ...(elements.length > 0 && { hasInside: true, each: placeOf(elements, `${path}.*`) }),
    kind: [...kinds].reduce((one, other) => (one === other ? one : 'other')),
  };
}

function objectPlace(shapes: readonly Shape[], path: string): Place {
  const names = [...new Set(shapes.flatMap(Object.keys))];
  const placeIn = (name: string) =>
    placeOf(
      shapes.flatMap((shape) => shape[name] ?? []),
      `${path}.${name}`,
    );
  const fields = new Map(names.map((name) => [name, placeIn(name)]));
  return { ...leaf(path), hasInside: true, fields, other: leaf(`${path}.*`) };
}

let places = 0;

function leaf(path: string): Place {
  return {
    ...{ index: places++, path, fields: new Map(), each: undefined, other: undefined },
    hasInside: false,
    kind: 'other',
  };
}

function kindOf(schema: z.core.$ZodTypes): ValueKind {
  const { def } = schema._zod;
  if (def.type === 'enum' || def.type === 'literal') return 'choice';
  if (def.type === 'boolean') return 'boolean';
  if (def.type !== 'string') return 'other';
  const { format } = def as { format?: string };
  if (format === 'date' || format === 'datetime') return 'date';
  return (schema as z.core.$ZodType as z.ZodType).meta()?.['examples'] === undefined ? 'text' : 'choice';
}
