/** Exports `undocumented`, which returns the fields of an answer that the API specification does not name. */
import type * as z from 'zod';
import { variantsOf } from '../../schemas/known-field-names.js';
import { isObject, isObjectOrArray } from '../../schemas/objects.js';
import { operations } from '../../schemas/operations.js';

type Shape = Readonly<Record<string, z.core.$ZodType>>;

const schemasOfAnswers = new WeakMap<object, z.core.$ZodType>();
let shapesOnce: ReadonlySet<Shape> | undefined;

/** Records the schema of an answer, because answers of different methods may have the same fields. */
export function rememberSchema(answer: unknown, schema: z.core.$ZodType): void {
  if (isObjectOrArray(answer)) schemasOfAnswers.set(answer, schema);
}

/**
 * Returns the undocumented fields of an answer, of an object in it, or of the body of an error: their types leave these out, so that a
 * misspelt field does not compile. Empty for a value that is no object.
 *
 * @example
 * const { import_supplier_code } = undocumented(answer);
 */
export function undocumented(answer: unknown): Record<string, unknown> {
  if (!isObject(answer)) return {};
  const documented = shapeOf(answer);
  return Object.fromEntries(Object.entries(answer).filter(([name]) => !Object.hasOwn(documented, name)));
}

/** The shape of an object in an answer is the one that has most of its fields, and whose required fields it has. */
function shapeOf(answer: object): Shape {
  const known = schemasOfAnswers.get(answer);
  shapesOnce ??= shapesIn(Object.values(operations).flatMap((operation) => Object.values(operation.answers).flat()));
  const shapes = known === undefined ? shapesOnce : shapesIn([known], false);
  let best: Shape = {};
  let most = 0;
  for (const shape of shapes) {
    if (!Object.entries(shape).every(([name, field]) => isOptional(field) || Object.hasOwn(answer, name))) continue;
    const count = Object.keys(answer).filter((name) => Object.hasOwn(shape, name)).length;
    if (count > most) [best, most] = [shape, count];
  }
  return best;
}

function shapesIn(schemas: readonly z.core.$ZodType[], nested = true, found = new Set<Shape>()): Set<Shape> {
  for (const { _zod } of schemas.flatMap(variantsOf)) {
    if (_zod.def.type === 'object') {
      found.add(_zod.def.shape);
      if (nested) shapesIn(Object.values(_zod.def.shape), nested, found);
    } else if (_zod.def.type === 'array' && nested) shapesIn([_zod.def.element], nested, found);
  }
  return found;
}

function isOptional(field: z.core.$ZodType): boolean {
  return (field as z.core.$ZodTypes)._zod.def.type === 'optional';
}
