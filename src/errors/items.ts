/** Looking things up in a list of errors; the same for what the service answered and for what the local check found. */
import type { ErrorItem } from '../../schemas/error-bodies.js';
import { isKnownField, isKnownList } from '../../schemas/known-field-names.js';

/** Errors by where they are: those of this very path, and the tree below each field name or index. */
export interface ErrorTree<Item extends ErrorItem = ErrorItem> {
  /** The errors of this very path. */
  errors: Item[];
  /** The trees below it, by field name or index. */
  fields: Record<string, ErrorTree<Item>>;
}

/** The errors at exactly this path. */
export function itemsAt<Item extends ErrorItem>(items: readonly Item[], attr: string): Item[] {
  return items.filter((item) => item.attr === attr);
}

/** The errors as a tree of field names and indexes. */
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

// Without a prototype, so that a field called `constructor` or `__proto__` is a field like any other.
function newTree<Item extends ErrorItem>(): ErrorTree<Item> {
  return { errors: [], fields: Object.create(null) };
}

/** Items that are printed. */
const MOST_PRINTED = 100;

/** Of a list of errors, what is printed: the first 100, and how many there are where they are more. */
export function printedErrors<Item, Printed>(
  items: readonly Item[],
  print: (item: Item) => Printed,
  total = items.length,
): { errors: Printed[]; errorCount?: number } {
  const errors = items.slice(0, MOST_PRINTED).map(print);
  return total > errors.length ? { errors, errorCount: total } : { errors };
}

/**
 * "customers.0.landline invalid_phone_number (1 of 2)": the first error without its detail, which may quote a value. Of an
 * unknown field it names the documented one that was probably meant.
 */
export function firstItem(
  items: readonly (ErrorItem & { didYouMean?: string })[],
  total = items.length,
): string | undefined {
  const [first] = items;
  if (first === undefined) return undefined;
  const code = presentable(first.code);
  const path = presentablePath(first.attr);
  // A path that consists of unknown names is not shown.
  if (code === undefined && (path === undefined || /^[*.]+$/.test(path))) return undefined;
  const words = [path, code].filter((word) => word !== undefined);
  const hint = first.didYouMean === undefined ? '' : ` (did you mean \`${first.didYouMean}\`?)`;
  const count = total > 1 ? ` (1 of ${total})` : '';
  return `${words.join(' ')}${hint}${count}`;
}

/**
 * A path in which `*` stands for each name that neither the API specification nor a profile has, and for whatever is below
 * the value of an entry of metadata: such names may be personal data. undefined for no path.
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

/** No payload is deeper. */
const MAX_PARTS = 32;

/** Stands for a token or key of the client that the service echoed. */
export const SECRET = '[secret]';

/**
 * Returns a code or name, or undefined if it may be something else: any string of an answer may hold personal data or a
 * token. Words in which letters and digits alternate, or with many digits, are taken for those.
 */
export function presentable(word: string | undefined): string | undefined {
  if (word?.includes(SECRET)) return SECRET;
  if (word === undefined || !/^[A-Za-z][\w.-]{0,199}$/.test(word)) return undefined;
  return word.split(/[._-]/).every((part) => /^[A-Za-z]*(?:\d{1,6}[A-Za-z]*)?$/.test(part)) ? word : undefined;
}
