/** Flags of a query string, as the table of operations lists them: `true` or `false` in any case (E8). */
import type { ErrorItem } from '../../../schemas/error-bodies.js';
import type { Operation } from '../../../schemas/operations.js';

export interface Flags {
  flags: Record<string, boolean | undefined>;
  errors: ErrorItem[];
}

export function readFlags(operation: Operation, url: string): Flags {
  const flags: Flags['flags'] = {};
  const errors: ErrorItem[] = [];
  if (operation.query === undefined) return { flags, errors };
  const search = new URL(url).searchParams;
  for (const name of Object.keys(operation.query.shape)) {
    const values = new Set(search.getAll(name).map((value) => value.toLowerCase()));
    const [value] = values;
    if (value === undefined) continue;
    if (values.size === 1 && (value === 'true' || value === 'false')) flags[name] = value === 'true';
    else errors.push({ detail: 'Expected true or false, once.', code: 'invalid_boolean', attr: name });
  }
  return { flags, errors };
}
