/**
 * Exports `isKnownField` and others: field names that messages, ledgers and reports may show, from the API specification and
 * the profiles in use. Any other name may be personal data, such as a customer's name used as a key.
 */
import type * as z from 'zod';
import { operations } from './operations.js';
import { CONSENTS } from './values.js';

/** Parts of an input record, and the field under which services report errors of no single field. */
const NAMES_OF_RECORDS = ['account', 'business', 'payment_instruction', 'populate', 'non_field_errors'];

interface Names {
  fields: Set<string>;
  /** The fields that contain a list. */
  lists: Set<string>;
}

let documentedOnce: Names | undefined;
const ofProfiles: Names = { fields: new Set(), lists: new Set() };

/** Returns whether the API specification or a profile has a field of this name, at any place. */
export function isKnownField(name: string): boolean {
  documentedOnce ??= documentedNames();
  return documentedOnce.fields.has(name) || ofProfiles.fields.has(name);
}

/** Returns whether a field of this name contains a list, so that a number after it is an index. */
export function isKnownList(name: string): boolean {
  documentedOnce ??= documentedNames();
  return documentedOnce.lists.has(name) || ofProfiles.lists.has(name);
}

/** Adds the names in these paths of a profile to the known names. */
export function addFieldNames(paths: Iterable<string>): void {
  for (const path of paths) {
    const parts = path.split('.');
    for (const [index, part] of parts.entries()) {
      if (part.startsWith('*')) continue;
      ofProfiles.fields.add(part);
      if (parts[index + 1]?.startsWith('*')) ofProfiles.lists.add(part);
    }
  }
}

/** Returns the values that the API specification has for the field at this place of a payload; empty if it lists none. */
export function documentedValuesAt(schema: z.core.$ZodType, path: readonly string[]): string[] {
  let places = variantsOf(schema);
  for (const key of path) places = places.flatMap((place) => variantsInside(place, key));
  const values = places.flatMap((found): unknown[] => {
    const { def } = found._zod;
    if (def.type === 'enum') return Object.values(def.entries);
    if (def.type === 'literal') return def.values;
    // Of a field that accepts other values too.
    return ((found as z.core.$ZodType as z.ZodType).meta()?.['examples'] as unknown[] | undefined) ?? [];
  });
  return [...new Set(values.map(String))];
}

/** Returns the schemas of an element of a list, or of a field; empty if there is none. `*` is any element or field. */
export function variantsInside(schema: z.core.$ZodTypes, key: string): z.core.$ZodTypes[] {
  const { def } = schema._zod;
  if (def.type === 'array') return /^(?:\*|\d+)$/.test(key) ? variantsOf(def.element) : [];
  if (def.type === 'record') return variantsOf(def.valueType);
  // Any JSON.
  if (def.type === 'unknown') return [schema];
  if (def.type === 'object' && key === '*') return Object.values(def.shape).flatMap(variantsOf);
  // No inherited name, such as `constructor`, is a field.
  const field = def.type === 'object' && Object.hasOwn(def.shape, key) ? def.shape[key] : undefined;
  return field === undefined ? [] : variantsOf(field);
}

function documentedNames(): Names {
  const names: Names = { fields: new Set([...NAMES_OF_RECORDS, ...CONSENTS]), lists: new Set() };
  for (const { request, answers, query, pathParameters } of Object.values(operations)) {
    for (const name of pathParameters) names.fields.add(name);
    for (const schema of [request, query, ...Object.values(answers).flat()]) if (schema) collect(schema, names);
  }
  return names;
}

function collect(schema: z.core.$ZodType, names: Names): void {
  for (const { _zod } of variantsOf(schema)) {
    const { def } = _zod;
    if (def.type === 'array') collect(def.element, names);
    else if (def.type === 'record') collect(def.valueType, names);
    else if (def.type === 'object') {
      for (const [name, field] of Object.entries(def.shape)) {
        names.fields.add(name);
        if (variantsOf(field).some((variant) => variant._zod.def.type === 'array')) names.lists.add(name);
        collect(field, names);
      }
    }
  }
}

/** Returns the schema without wrappers; for a union, each of its options. */
export function variantsOf(schema: z.core.$ZodType): z.core.$ZodTypes[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'optional' || def.type === 'nullable') return variantsOf(def.innerType);
  if (def.type === 'union') return def.options.flatMap(variantsOf);
  return [schema as z.core.$ZodTypes];
}
