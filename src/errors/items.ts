/** Exports functions that search, group and print lists of errors, and `presentable`, which decides what may be printed. */
import type { ErrorItem } from '../../schemas/error-bodies.js';
import { isKnownField, isKnownList } from '../../schemas/known-field-names.js';

/** Errors by path. */
export interface ErrorTree<Item extends ErrorItem = ErrorItem> {
  /** The errors at exactly this path. */
  errors: Item[];
  /** The trees of the fields or elements, by name or index. */
  fields: Record<string, ErrorTree<Item>>;
}

/** Returns the errors at exactly this path. */
export function itemsAt<Item extends ErrorItem>(items: readonly Item[], attr: string): Item[] {
  return items.filter((item) => item.attr === attr);
}

/** Returns the errors as a tree of field names and indexes. */
export function itemTree<Item extends ErrorItem>(items: readonly Item[]): ErrorTree<Item> {
  const root: ErrorTree<Item> = newTree();
  for (const item of items) {
    let node = root;
    for (const part of item.attr === '' ? [] : item.attr.split('.')) {
      node.fields[part] ??= newTree();
      node = node.fields[part];
    }
    node.errors.push(item);
  }
  return root;
}

// Without a prototype, so that a field may have the name `constructor` or `__proto__`.
function newTree<Item extends ErrorItem>(): ErrorTree<Item> {
  return { errors: [], fields: Object.create(null) };
}

/** Maximum number of printed errors. */
const MOST_PRINTED = 100;

/** An error of an answer, with what the API specification says about its field. */
export interface AnswerItem extends ErrorItem {
  /** The values that the API specification has for the field, if it lists some. */
  documentedValues?: readonly string[];
}

type Item = AnswerItem & { didYouMean?: string };

/** Returns code and path of the first 100 errors, without details, which may quote a value; and their number if there are more. */
export function printedErrors(items: readonly Item[], total = items.length) {
  const errors = items.slice(0, MOST_PRINTED).map(({ code, attr, didYouMean, documentedValues }) => {
    const about = { ...(documentedValues !== undefined && { documentedValues }) };
    return { code: presentable(code), attr: presentablePath(attr), didYouMean, ...about };
  });
  return total > errors.length ? { errors, errorCount: total } : { errors };
}

/**
 * Returns the first error as text, such as "customers.0.landline invalid_phone_number (1 of 2)"; undefined if there is none
 * that may be printed. The detail is left out, because it may quote a value. The text has what the API specification knows: for an unknown
 * field the most similar name, and for others the documented values.
 */
export function firstItem(items: readonly Item[], total = items.length): string | undefined {
  const [first] = items;
  if (first === undefined) return undefined;
  const code = presentable(first.code);
  const path = presentablePath(first.attr);
  // A path that consists of unknown names is not shown.
  if (code === undefined && (path === undefined || /^[*.]+$/.test(path))) return undefined;
  const words = [path, code].filter((word) => word !== undefined);
  const hint = first.didYouMean === undefined ? '' : ` (did you mean \`${first.didYouMean}\`?)`;
  const { documentedValues: values } = first;
  const expected = values === undefined ? '' : ` (documented: ${values.join(', ')})`;
  const count = total > 1 ? ` (1 of ${total})` : '';
  return `${words.join(' ')}${hint}${expected}${count}`;
}

/**
 * Returns a path that may be printed; undefined for an empty path. `*` replaces each name that neither the API specification
 * nor a profile has, and each name inside a value of `metadata`: such names may be personal data.
 */
export function presentablePath(path: string): string | undefined {
  if (path === '') return undefined;
  const parts = path.split('.', MAX_PARTS);
  const metadata = parts.indexOf('metadata');
  return parts
    .map((part, index) => {
      const isIndex = /^\d{1,7}$/.test(part) && isKnownList(parts[index - 1] ?? '');
      if (metadata < 0 || index <= metadata) return isIndex || isKnownField(part) ? part : '*';
      if (index === metadata + 1) return isIndex ? part : '*';
      return index === metadata + 2 && (part === 'key' || part === 'value') ? part : '*';
    })
    .join('.');
}

export function attemptsInWords(attempts: number): string {
  return attempts === 1 ? '1 attempt' : `${attempts} attempts`;
}

/** Longest printed path: no payload is deeper. */
const MAX_PARTS = 32;

/** Replaces a token or key of the client that the service echoed. */
export const SECRET = '[secret]';

/**
 * Returns a code or name that may be printed; undefined for a text that may be personal data or a token. A word in which letters
 * and digits alternate, or with many digits, counts as such a text.
 */
export function presentable(word: string | undefined): string | undefined {
  if (word?.includes(SECRET)) return SECRET;
  if (word === undefined || !/^[A-Za-z][\w.-]{0,199}$/.test(word)) return undefined;
  return word.split(/[._-]/).every((part) => /^[A-Za-z]*(?:\d{1,6}[A-Za-z]*)?$/.test(part)) ? word : undefined;
}
