/**
 * Exports `createMask`: replaces each value of a body by its type and a token, so that a recording shows shapes and what is equal,
 * and no value.
 */
import { DRY_RUN_MESSAGE } from '../../schemas/error-bodies.js';
import { dateSchema, datetimeSchema } from '../../schemas/fields.js';
import { isKnownField } from '../../schemas/known-field-names.js';
import { contractTermSchema } from '../../schemas/payloads/contract.js';
import { mobileSchema } from '../../schemas/phone-numbers.js';
import {
  ACCOUNT_IMPORT_STATUSES,
  NOTE_STATUSES,
  SUPPLY_TYPES,
  TRANSACTION_STATUSES,
  TRANSACTION_TYPES,
} from '../../schemas/values.js';
import { presentablePath } from '../errors/items.js';
import { VALUE_RULES } from '../validation/warnings/rules.js';

/** JSON of which every value is masked. A masked value is `type:token`, a date also has its age: `date:token:age`. */
export type Masked = null | boolean | string | readonly Masked[] | { readonly [name: string]: Masked };

/** Types of masked values. `digits` and `uuid` are forms of ids that the service gives. */
export type MaskedType = 'boolean' | 'integer' | 'number' | 'date' | 'datetime' | 'phone' | 'digits' | 'uuid' | 'text';

interface MaskOptions {
  /** Returns the token of a value: equal for equal values. */
  tokenOf: (value: string) => string;
  /** Time of the call, in milliseconds since 1970. */
  now: number;
}

/** Flags of calls. Other booleans may describe a person. */
const FLAGS = ['dry_run', 'is_pinned', 'check_previously_added', 'force_add_to_current_statement'];

/** Dates whose distance from today decides an answer. The distance is a power of two of days. */
const AGED = ['transaction_date', 'last_billed_to_date', 'bill_period_to_date', 'unpin_at'];

/** Ids that the service gives, whose form is an open question (U24, U25). */
const IDS_OF_SERVICE = ['service_account_number', 'batch_id'];

const STATUSES: readonly string[] = [
  ...[...ACCOUNT_IMPORT_STATUSES, ...NOTE_STATUSES, ...TRANSACTION_STATUSES],
  ...['TRANSACTION_IMPORT_ERROR', 'TRANSACTION_IMPORT_SUCCESS'],
];

let wordsOnce: ReadonlyMap<string, ReadonlySet<string>> | undefined;

/** Documented values by field. They are words of the API specification, so they may be in a recording. */
function documentedWords(): ReadonlyMap<string, ReadonlySet<string>> {
  if (wordsOnce !== undefined) return wordsOnce;
  const words = new Map<string, Set<string>>([
    ['status', new Set(STATUSES)],
    ['type', new Set(TRANSACTION_TYPES)],
    ['supply_type', new Set(SUPPLY_TYPES)],
    [
      'term_type',
      new Set(contractTermSchema.options.flatMap(({ shape }) => [...(shape.term_type._zod.values ?? [])].map(String))),
    ],
  ]);
  for (const { at, listed } of VALUE_RULES) {
    for (const pattern of listed === undefined ? [] : Object.values(at).flat()) {
      const field =
        pattern
          .split('.')
          .filter((part) => part !== '*')
          .at(-1) ?? '';
      words.set(field, new Set([...(words.get(field) ?? []), ...(listed ?? [])]));
    }
  }
  wordsOnce = words;
  return words;
}

/** Objects with names and values that the caller chose. */
const FREE = ['metadata', 'details'];
/** The fields of an entry of such a list. */
const OF_ENTRIES = ['key', 'value'];
/** Names in the bodies of errors, in which an index may be a name. */
const OF_ERRORS = /^(?:detail|code|errors|attr|error_detail|\d{1,4})$/;

/** Returns a function that masks a body. `sent`: values of the request, which are masked also where an answer has a code. */
export function createMask({ tokenOf, now }: MaskOptions): (body: unknown, sent?: ReadonlySet<string>) => Masked {
  const leaf = (type: MaskedType, value: string, age?: number) =>
    `${type}:${tokenOf(value)}${age === undefined ? '' : `:${age}`}`;

  const nameOf = (name: string, isFree: boolean) => {
    const isKnown = isFree ? OF_ENTRIES.includes(name) : isKnownField(name) || OF_ERRORS.test(name);
    return isKnown ? name : `field_${tokenOf(name)}`;
  };

  const maskText = (value: string, field: string, isFree: boolean, sent: ReadonlySet<string>): Masked => {
    if (value === '' || value === DRY_RUN_MESSAGE) return value;
    if (isFree) return leaf('text', value);
    // The service answers the number of a request as a decimal text.
    if (field === 'amount' && /^-?\d+(?:\.\d+)?$/.test(value)) return leaf('text', numeral(Number(value)));
    if (documentedWords().get(field)?.has(value)) return value;
    if (field === 'code' && /^(?:[a-z]+(?:_[a-z]+)*|\d{3})$/.test(value) && !sent.has(value)) return value;
    if (field === 'attr') return presentablePath(value) ?? '';
    if (IDS_OF_SERVICE.includes(field)) {
      if (/^\d+$/.test(value)) return leaf('digits', value);
      return leaf(/^[\da-f]{8}-[\da-f-]{27}$/i.test(value) ? 'uuid' : 'text', value);
    }
    const age = AGED.includes(field) ? ageOf(value, now) : undefined;
    if (dateSchema.safeParse(value).success) return leaf('date', value, age);
    if (datetimeSchema.safeParse(value).success) return leaf('datetime', value, age);
    if (mobileSchema.safeParse(value).success) return leaf('phone', value);
    return leaf('text', value);
  };

  const mask = (value: unknown, field: string, isFree: boolean, sent: ReadonlySet<string>): Masked => {
    if (value === null || value === undefined) return null;
    if (typeof value === 'boolean') return FLAGS.includes(field) ? value : leaf('boolean', '');
    if (typeof value === 'number') return leaf(Number.isInteger(value) ? 'integer' : 'number', numeral(value));
    if (typeof value === 'string') return maskText(value, field, isFree, sent);
    if (Array.isArray(value)) return value.map((item) => mask(item, field, isFree, sent));
    const inside = isFree || FREE.includes(field);
    return Object.fromEntries(
      Object.entries(value as object).map(([name, inner]) => [nameOf(name, inside), mask(inner, name, inside, sent)]),
    );
  };
  return (body, sent = new Set()) => mask(body, '', false, sent);
}

/** Returns the text from which the token of a number is made. It differs from a text with the same digits, for which another value is invented. */
export function numeral(value: number): string {
  return `#${value}`;
}

const DAY = 24 * 3600 * 1000;

/** 0 is today, 3 is 4 to 7 days ago, -3 is 4 to 7 days from now. */
function ageOf(value: string, now: number): number | undefined {
  const time = Date.parse(value);
  if (!Number.isFinite(time)) return undefined;
  const days = Math.floor(now / DAY) - Math.floor(time / DAY);
  return days === 0 ? 0 : Math.sign(days) * (Math.floor(Math.log2(Math.abs(days))) + 1);
}

/** The parts of a masked value; undefined for a word. */
export function partsOf(masked: string): { type: MaskedType; token: string; age: number | undefined } | undefined {
  const [type = '', token, age] = masked.split(':');
  if (token === undefined) return undefined;
  return { type: type as MaskedType, token, age: age === undefined ? undefined : Number(age) };
}

/** Returns all texts of a body, as they are looked for in a recording. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
