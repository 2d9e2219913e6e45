/**
 * Exports the encoding of the items of a record as text of one column. Every write contains it, so it is short: a list is the keys of its
 * items, `|`, and their states with the number of equal ones in a row: `q1w2e3r4:t5y6u7i8:C12.5,z9x8c7v6::P30|2s`.
 */
import { AMOUNT_TYPES, type AmountSum, type AmountSums, type AmountType } from '../amounts.js';
import { type Item, type ItemKey, type ItemStatus, NO_ITEMS, type RecordItems } from '../items.js';
import { ITEM_STEPS, type ItemStep } from '../ledger.js';

const NONE = '{}';
const NAMES: Readonly<Record<ItemStep, string>> = {
  paymentInstruction: 'p',
  statements: 's',
  transactions: 't',
  notes: 'n',
};
const EXISTED = 'x';
const REPLACED = 'r';

const TYPE_LETTERS: Readonly<Record<AmountType, string>> = {
  CHARGE: 'C',
  CREDIT: 'R',
  PAYMENT: 'P',
  REPAYMENT: 'Y',
  SUPPLY_CHARGE: 'S',
  STATEMENT: 'T',
  OTHER: 'O',
};
const TYPES = new Map(AMOUNT_TYPES.map((type) => [TYPE_LETTERS[type], type]));

const STATUS_LETTERS: Readonly<Record<ItemStatus, string>> = {
  waiting: 'w',
  notSent: 'n',
  givenUp: 'g',
  sending: 'i',
  sent: 's',
  existed: 'e',
  rejected: 'r',
  unknown: 'u',
};
const STATUSES = new Map(Object.entries(STATUS_LETTERS).map(([status, letter]) => [letter, status as ItemStatus]));

const ABSENCES = { found: '~', accepted: '+' } as const;

/** Most writes of a record contain the lists of the write before. */
const TEXTS = new WeakMap<readonly Item[], string>();

export function itemsToColumn(items: RecordItems): string {
  if (items === NO_ITEMS) return NONE;
  let text = '';
  for (const step of ITEM_STEPS) {
    if (items[step].length > 0) text += `${text === '' ? '' : ','}"${NAMES[step]}":"${listToText(items[step])}"`;
  }
  if (items.existed) text += `${text === '' ? '' : ','}"${EXISTED}":1`;
  if (items.replaced !== null) text += `${text === '' ? '' : ','}"${REPLACED}":"${sumsToText(items.replaced)}"`;
  return `{${text}}`;
}

export function listToText(list: readonly Item[]): string {
  const known = TEXTS.get(list);
  if (known !== undefined) return known;
  let keys = '';
  let states = '';
  let run = { text: '', count: 0 };
  const endRun = () => {
    if (run.count > 0) states += `${states === '' ? '' : ','}${run.count > 1 ? run.count : ''}${run.text}`;
  };
  for (const item of list) {
    keys += keys === '' ? keyToText(item.key) : `,${keyToText(item.key)}`;
    const text = stateToText(item);
    if (text === run.text) run.count++;
    else {
      endRun();
      run = { text, count: 1 };
    }
  }
  endRun();
  const text = `${keys}|${states}`;
  TEXTS.set(list, text);
  return text;
}

function keyToText({ digest, id, type, amount }: ItemKey): string {
  if (type === null) return id === '' ? digest : `${digest}:${id}`;
  return `${digest}:${id}:${TYPE_LETTERS[type]}${amount ?? ''}`;
}

function stateToText({ status, isGone, absence, isMoved, confirmed }: Item): string {
  const text = STATUS_LETTERS[status];
  if (!isGone && absence === null && !isMoved && confirmed === null) return text;
  return `${text}${isGone ? '-' : ''}${absence === null ? '' : ABSENCES[absence]}${isMoved ? '!' : ''}${confirmed === null ? '' : `=${confirmed}`}`;
}

/** Throws a `TypeError` for a text that a run does not write. */
export function itemsFromColumn(text: string): RecordItems {
  if (text === NONE) return NO_ITEMS;
  const found = JSON.parse(text) as Record<string, unknown>;
  const listOf = (step: ItemStep) => listFromText(found[NAMES[step]]);
  return {
    existed: found[EXISTED] === 1,
    replaced: found[REPLACED] === undefined ? null : sumsFromText(found[REPLACED]),
    paymentInstruction: listOf('paymentInstruction'),
    statements: listOf('statements'),
    transactions: listOf('transactions'),
    notes: listOf('notes'),
  };
}

const KEY = /^([\w-]{8})(?::([\w-]{8})?(?::([A-Z])(-?\d+(?:\.\d+)?)?)?)?$/;
const STATE = /^(\d{0,9})([a-z])(-?)([~+]?)(!?)(?:=(-?\d+(?:\.\d+)?|\?))?$/;

export function listFromText(text: unknown): readonly Item[] {
  if (text === undefined) return NO_ITEMS.notes;
  const [keys = '', states = '', ...rest] = expectText(text).split('|');
  if (rest.length > 0) throw unexpected();
  const found = keys.split(',');
  const list: Item[] = [];
  for (const part of states.split(',')) {
    const [, count = '', letter = '', gone, absent = '', moved, confirmed = null] = matchOf(STATE, part);
    const absence = absent === '' ? null : absent === ABSENCES.found ? 'found' : 'accepted';
    const state = {
      status: nameOf(STATUSES, letter),
      isGone: gone !== '',
      absence,
      isMoved: moved !== '',
      confirmed,
    } as const;
    const end = list.length + Number(count === '' ? 1 : count);
    if (end > found.length) throw unexpected();
    while (list.length < end) list.push({ key: keyFromText(found[list.length] ?? ''), ...state });
  }
  if (list.length !== found.length) throw unexpected();
  return list;
}

function keyFromText(text: string): ItemKey {
  const [, digest = '', id = '', letter, amount = null] = matchOf(KEY, text);
  return { digest, id, type: letter === undefined ? null : nameOf(TYPES, letter), amount };
}

/** Returns sums as text, such as `C2:37.5,P1:30`. */
function sumsToText(sums: AmountSums): string {
  const found = AMOUNT_TYPES.flatMap((type) => (sums[type] === undefined ? [] : { type, ...sums[type] }));
  return found.map(({ type, count, sum }) => `${TYPE_LETTERS[type]}${count}:${sum}`).join(',');
}

const SUM = /^([A-Z])(\d{1,15}):(-?\d+(?:\.\d+)?)$/;

function sumsFromText(text: unknown): AmountSums {
  const sums: Partial<Record<AmountType, AmountSum>> = {};
  for (const part of expectText(text) === '' ? [] : expectText(text).split(',')) {
    const [, letter = '', count, sum = ''] = matchOf(SUM, part);
    sums[nameOf(TYPES, letter)] = { count: Number(count), sum };
  }
  return sums;
}

function nameOf<Name>(names: ReadonlyMap<string, Name>, letter: string): Name {
  const name = names.get(letter);
  if (name === undefined) throw unexpected();
  return name;
}

function matchOf(form: RegExp, text: string): RegExpExecArray {
  const found = form.exec(text);
  if (found === null) throw unexpected();
  return found;
}

function expectText(value: unknown): string {
  if (typeof value !== 'string') throw unexpected();
  return value;
}

function unexpected(): TypeError {
  return new TypeError('not what a run writes');
}
