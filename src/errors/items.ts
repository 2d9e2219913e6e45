/** Looking things up in a list of errors; the same for what the service answered and for what the local check found. */
import type { ErrorItem } from '../../schemas/errors.js';

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

/** "customers.0.landline invalid_phone_number (1 of 2)": the first error without its detail, which may quote a value. */
export function firstItem(items: readonly ErrorItem[]): string | undefined {
  const [first] = items;
  if (first === undefined) return undefined;
  const words = [presentablePath(first.attr), presentable(first.code)].filter((word) => word !== undefined);
  const count = items.length > 1 ? ` (1 of ${items.length})` : '';
  return words.length === 0 ? undefined : `${words.join(' ')}${count}`;
}

/**
 * A path in which `*` stands for each part that looks like no name or index, and for whatever is below the value of an
 * entry of metadata: those keys are the caller's data. Where one part is odd, the others must look like names of the
 * service, for a dot may stand in anything. undefined where the first part is no name: that is hardly a path.
 */
export function presentablePath(path: string): string | undefined {
  const parts = path.split('.', MAX_PARTS);
  if (presentable(parts[0]) === undefined) return undefined;
  const value = parts.findIndex((part, index) => part === 'value' && parts[index - 2] === 'metadata');
  const isOdd = presentable(path) === undefined;
  const isHidden = (part: string, index: number) =>
    (value >= 0 && index > value) || (isOdd && !/^(?:[a-z][a-z_]*\d?|\d{1,6})$/.test(part));
  return parts.map((part, index) => (isHidden(part, index) ? '*' : part)).join('.');
}

/** No payload is deeper. */
const MAX_PARTS = 32;

/**
 * A code or name as it is, unless it looks like anything else: an answer may carry personal data or a token in any
 * string. What letters and digits alternate in, or many digits stand in, is no word but a token or a number of somebody.
 */
export function presentable(word: string | undefined): string | undefined {
  if (word === undefined || !/^[A-Za-z][\w.-]{0,199}$/.test(word)) return undefined;
  return word.split(/[._-]/).every((part) => /^[A-Za-z]*(?:\d{1,6}[A-Za-z]*)?$/.test(part)) ? word : undefined;
}
