/** Exports the encoding of the items of a record as text of one column. It is short, because every write contains it. */
import type { ItemAmounts } from '../amounts.js';
import { ITEM_STEPS, type ItemCounts, type ItemStep, type RecordItems } from '../ledger.js';
import { amountsFromText, amountsToText, sumsFromText, sumsToText } from './amounts-text.js';

/** The items of a record without any. Compared by identity, so that most records need no encoding. */
export const NO_ITEMS: RecordItems = {
  existed: false,
  replaced: null,
  paymentInstruction: null,
  statements: null,
  transactions: null,
  notes: null,
};

const NONE = '{}';
const NAMES: Readonly<Record<ItemStep, string>> = {
  paymentInstruction: 'p',
  statements: 's',
  transactions: 't',
  notes: 'n',
};
const EXISTED = 'x';
const REPLACED = 'r';
/** Appended to the name of a kind: the key of its amounts. A version without amounts ignores this key. */
const AMOUNTS = 'a';

/** Total, sent, already imported, rejected, unknown, earlier, digest, moved, without trailing zeros and empty values. */
type Values = [number, number?, number?, number?, number?, number?, (string | null)?, (readonly number[])?];

export function itemsToColumn(items: RecordItems): string {
  if (items === NO_ITEMS) return NONE;
  let text = '';
  for (const step of ITEM_STEPS) {
    const counts = items[step];
    if (counts === null) continue;
    text += `${text === '' ? '' : ','}"${NAMES[step]}":${textOf(counts)}`;
    if (counts.amounts !== null) text += `,"${NAMES[step]}${AMOUNTS}":"${amountsToText(counts.amounts)}"`;
  }
  if (items.existed) text += `${text === '' ? '' : ','}"${EXISTED}":1`;
  if (items.replaced !== null) text += `${text === '' ? '' : ','}"${REPLACED}":"${sumsToText(items.replaced)}"`;
  return `{${text}}`;
}

function textOf({ total, sent, alreadyImported, rejected, unknown, earlier, digest, moved }: ItemCounts): string {
  if (digest === null && sent + alreadyImported + rejected + unknown + earlier === 0) return `[${total}]`;
  const text = digest === null ? 'null' : `"${digest}"`;
  const counts = `${total},${sent},${alreadyImported},${rejected},${unknown},${earlier},${text}`;
  return moved.length === 0 ? `[${counts}]` : `[${counts},[${moved.join(',')}]]`;
}

export function itemsFromColumn(text: string): RecordItems {
  if (text === NONE) return NO_ITEMS;
  const found = JSON.parse(text) as Record<string, Values | string | 1>;
  const counts = (step: ItemStep): ItemCounts | null => {
    const values = found[NAMES[step]];
    if (values === undefined) return null;
    if (!Array.isArray(values) || !values.every(isCountOrDigest)) throw new TypeError('not what a run writes');
    const amounts = found[`${NAMES[step]}${AMOUNTS}`];
    return countsOf(values, amounts === undefined ? null : amountsFromText(amounts));
  };
  const replaced = found[REPLACED];
  return {
    existed: found[EXISTED] === 1,
    replaced: replaced === undefined ? null : sumsFromText(replaced),
    paymentInstruction: counts('paymentInstruction'),
    statements: counts('statements'),
    transactions: counts('transactions'),
    notes: counts('notes'),
  };
}

function isCountOrDigest(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(Number.isInteger);
  return Number.isInteger(value) || typeof value === 'string' || value === null;
}

function countsOf(values: Values, amounts: ItemAmounts | null): ItemCounts {
  const [total, sent = 0, alreadyImported = 0, rejected = 0, unknown = 0, earlier = 0, digest = null, moved = []] =
    values;
  return { total, sent, alreadyImported, rejected, unknown, earlier, digest, moved, amounts };
}
