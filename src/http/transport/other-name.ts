/**
 * Exports `otherNameIn`, which finds an answer that belongs to another request by what it names, and the comparison of names.
 */
import { fieldOf } from '../../../schemas/objects.js';
import { plainNumber } from '../../validation/records/plain-number.js';

const SUPPLIER = ['import_supplier', 'import_supplier_code'];

/** The fields of the request that a field of the answer must equal. Deployments differ in the name of the supplier's field. */
export const NAMES: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...SUPPLIER.map((name) => [name, SUPPLIER] as const),
  ...['external_account_number', 'external_business_identifier', 'reference'].map((name) => [name, [name]] as const),
]);
const PAIRS = [...NAMES];

/** The fields by which an echoed statement is one of those that were sent. */
const NAMES_OF_STATEMENT = ['statement_id', 'number'];

/** Returns what a request names, for `otherNameIn`: the caller may change the payload before the answer arrives. */
export function namesIn(request: unknown): Record<string, unknown> {
  const names = Object.fromEntries(PAIRS.map(([name]) => [name, fieldOf(request, name)]));
  const statements = fieldOf(request, 'statements');
  if (!Array.isArray(statements)) return names;
  const copies = statements.map((statement) =>
    Object.fromEntries(NAMES_OF_STATEMENT.map((name) => [name, fieldOf(statement, name)])),
  );
  return { ...names, statements: copies };
}

/**
 * Returns the path of the first field of the answer that names another supplier, account, business, instruction or statement than the
 * request; undefined if there is none. A field that the answer leaves out, or has empty, names nothing.
 */
export function otherNameIn(request: unknown, answer: unknown): string | undefined {
  const other = otherFieldIn(request, answer);
  // The entries of the lists of a supplier name many accounts.
  if (other !== undefined || fieldOf(request, 'external_account_number') === undefined) return other;
  const statements = fieldOf(request, 'statements');
  const sent = Array.isArray(statements) ? statements : [];
  const echo = Array.isArray(answer) ? answer : fieldOf(answer, 'statements');
  for (const [index, entry] of Array.isArray(echo) ? echo.entries() : []) {
    const field =
      otherFieldIn(request, entry) ??
      NAMES_OF_STATEMENT.find((name) =>
        isOther(
          nameOf(fieldOf(entry, name)),
          sent.map((statement) => nameOf(fieldOf(statement, name))),
        ),
      );
    if (field !== undefined) return `${Array.isArray(answer) ? '' : 'statements.'}${index}.${field}`;
  }
  return undefined;
}

/**
 * The same for an error: a refusal of another request says nothing about this one. Only the body of an account that exists (`isImported`)
 * and one with a summary have names; the fields of any other body are those that are refused, with messages.
 */
export function otherNameInError(request: unknown, answer: unknown, isImported: boolean): string | undefined {
  const hasNames = isImported || ['detail', 'error_detail'].some((name) => typeof fieldOf(answer, name) === 'string');
  const field = hasNames ? otherFieldIn(request, answer) : undefined;
  if (field === undefined) return undefined;
  const named = String(fieldOf(answer, field)).trim();
  // The service may take `007` and `7` for one account: the error has the number of the one that exists. In other errors a sentence is
  // the reason of a refusal, and a text that is not UTF-8 no name.
  const isOwn = isImported
    ? plainNumber(named) === plainNumber(String(fieldOf(request, field)))
    : /[\s\uFFFD]/.test(named);
  return isOwn ? undefined : field;
}

function otherFieldIn(request: unknown, answer: unknown): string | undefined {
  return PAIRS.find(([field, names]) => {
    const named = fieldOf(answer, field);
    const sent = names.map((name) => fieldOf(request, name));
    // Names are usually the same, and to fold them takes time.
    return !sent.includes(named) && isOther(nameOf(named), sent.filter((value) => value !== undefined).map(nameOf));
  })?.[0];
}

/** Returns whether the name is none of those that were sent. Nothing can be compared with items that have no name themselves. */
export function isOther(name: string | undefined, sent: readonly (string | undefined)[]): boolean {
  return name !== undefined && sent.length > 0 && !sent.includes(undefined) && !sent.includes(name);
}

/**
 * Returns the form in which a text or a number is compared; undefined for an empty one, and for other values. Some deployments write a
 * name in another letter case than it was sent.
 */
export function nameOf(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  return String(value).trim().normalize().toLowerCase() || undefined;
}
