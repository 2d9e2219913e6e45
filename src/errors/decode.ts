/**
 * Exports `decodeErrorBody`, which converts an error body to a list of `{detail, code, attr}` by its structure, not its
 * wording. It reads the documented body and the other shapes that REST services of this family send. A body that is neither
 * an object, a list nor a text gives an empty list. `isDryRunSuccess` recognises the documented 400 of a successful dry run.
 */
import type { ErrorItem } from '../../schemas/error-bodies.js';
import { DRY_RUN_MESSAGE } from '../../schemas/error-bodies.js';
import { fieldOf, isObject, isObjectOrArray } from '../../schemas/objects.js';
import type { AnswerItem } from './items.js';

export interface DecodedError {
  /** The code of the body. */
  code: string | undefined;
  detail: string | undefined;
  errors: AnswerItem[];
}

/** The field under which the service reports errors that belong to no single field. */
const WHOLE = 'non_field_errors';
/** Paths that name no field: that one, and others that services of this family use. */
const OF_WHOLE: ReadonlySet<string> = new Set([WHOLE, '', '__all__', 'nonFieldErrors', 'non-field-errors']);
/** Code of an error of a field for which the service sent none. */
const NO_CODE = 'invalid';

/** Returns the code of an answer that has none: the service gives no cause, so none is invented. */
export function codeOfStatus(status: number): string {
  return `http_${status}`;
}

/** Returns whether the error is about a field of the payload, and not about the whole request. */
export function namesField({ attr }: Pick<ErrorItem, 'attr'>): boolean {
  return !OF_WHOLE.has(attr);
}

/** A body that says nothing. */
export const NOTHING_DECODED: DecodedError = { code: undefined, detail: undefined, errors: [] };
/** Fields that contain or describe errors. Their names are no part of an error path. */
const ENVELOPE = new Set(['detail', 'errors', 'error', 'error_detail', 'message']);
/** Deepest nesting that is read: no payload of the service is deeper. */
const MAX_DEPTH = 16;

type Json = Record<string, unknown>;

/** Maximum number of decoded errors. Further ones remain in the body only. */
const MOST_ITEMS = 10_000;

/** Returns code, detail and errors of a body of any shape, which came with this status. Never throws. */
export function decodeErrorBody(answer: unknown, status = 400): DecodedError {
  const body = unwrapped(answer);
  const found = isObject(body) ? fromObject(body) : firstOf(fromTree(Array.isArray(body) ? body : [body], ''));
  // What the service says of the whole request also describes the answer.
  const [whole] = found.filter((item) => !namesField(item));
  const ofWhole = found.some(namesField) ? undefined : whole?.code;
  const { code, detail, error_detail, error, message, status: state } = isObject(body) ? body : ({} as Json);
  // A number here is the status of HTTP.
  const ofState = typeof state === 'string' && Number.isNaN(Number(state)) ? state : undefined;
  return {
    code: text(code) ?? ofWhole ?? ofState,
    detail: text(detail) ?? text(error_detail) ?? text(error) ?? text(message) ?? (whole?.detail || undefined),
    errors: found.map((item) => ({ ...item, code: item.code ?? (namesField(item) ? NO_CODE : codeOfStatus(status)) })),
  };
}

/**
 * Returns the field by which a body is an error; undefined if it is none. `hasNoOther`: it has no field of a success, so that one field
 * is enough; otherwise it must have all documented fields of an error.
 */
export function errorFieldOf(body: unknown, hasNoOther: boolean): string | undefined {
  const has = (name: string) => isFilled(fieldOf(body, name));
  if (['detail', 'code', 'errors'].every(has)) return 'errors';
  if (!hasNoOther) return undefined;
  return /error|fail/i.test(`${text(fieldOf(body, 'status'))}`)
    ? 'status'
    : ['code', ...ENVELOPE, ...OF_WHOLE].find(has);
}

/** Returns whether the value is a list or an object with entries, or another value that says something. */
export function isFilled(value: unknown): boolean {
  return isObjectOrArray(value) ? Object.keys(value).length > 0 : Boolean(value);
}

/** Returns the body inside `{"error": {…}}` or `{"detail": {…}}`; any other body as it is. */
export function innerBody(body: unknown): unknown {
  const inner = fieldOf(body, isObject(fieldOf(body, 'error')) ? 'error' : 'detail');
  return isObject(inner) ? inner : body;
}

/** The same, but leaves a tree of fields and a single error where they are. */
function unwrapped(body: unknown): unknown {
  const inner = innerBody(body);
  return isObject(inner) && (Object.hasOwn(inner, 'error_detail') || (isItem(inner) && !isLeaf(inner))) ? inner : body;
}

/** An error as the body has it: maybe without a code. */
interface Found extends Omit<ErrorItem, 'code'> {
  code: string | undefined;
}

function fromObject(body: Json): Found[] {
  const errors = firstOf(fromTree(body['errors'], ''));
  return errors.length > 0 ? errors : firstOf(fromFields(body));
}

/** Returns whether the body has the message of a successful dry run, in any field (U12), and no other reason. */
export function isDryRunSuccess(answer: unknown): boolean {
  const body = unwrapped(answer);
  const { detail } = decodeErrorBody(body);
  // Without `non_field_errors` only lists are checked for other errors: further fields may repeat the request.
  const listed = isObject(body) && !(WHOLE in body) ? (body['errors'] ?? body['results']) : body;
  const { errors } = decodeErrorBody(listed);
  return errors.length > 0
    ? errors.every((item) => isDryRunMessage(item.detail) && (!namesField(item) || item.attr === 'dry_run'))
    : hasDryRunMessage(detail ?? body);
}

function hasDryRunMessage(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return isDryRunMessage(value);
  if (depth > MAX_DEPTH || !isObjectOrArray(value)) return false;
  return Object.values(value).some((part) => hasDryRunMessage(part, depth + 1));
}

/** Returns whether the text is the message. Case, punctuation and spaces may differ; text before or after it is another reason. */
function isDryRunMessage(text: string): boolean {
  return letters(text) === letters(DRY_RUN_MESSAGE);
}

function letters(text: string): string {
  return text.toLowerCase().replace(/[^a-z]/g, '');
}

function firstOf(items: Iterable<Found>): Found[] {
  const first: Found[] = [];
  for (const found of items) if (first.push(found) === MOST_ITEMS) break;
  return first;
}

/** Reads the fields of a body without a list of errors. Skips fields with a plain string: these are identifiers. */
function* fromFields(body: Json): Generator<Found> {
  for (const [field, value] of Object.entries(body)) {
    // `transaction_data` repeats the request.
    if (typeof value === 'object' && field !== 'transaction_data')
      yield* fromTree(value, ENVELOPE.has(field) ? '' : field);
  }
}

/** Reads trees such as `{"customers": {"0": {"landline": ["…"]}}}`. */
function* fromTree(node: unknown, attr: string, depth = 0): Generator<Found> {
  if (depth > MAX_DEPTH || !isObjectOrArray(node)) return;
  if (Array.isArray(node)) {
    for (const [index, entry] of node.entries()) {
      if (typeof entry === 'string') yield { detail: entry, code: undefined, attr: attr || WHOLE };
      else if (isLeaf(entry) || (attr === '' && isItem(entry))) yield itemOf(entry, attr);
      // The payload is no list, so the index in a list of errors is no part of a path.
      else yield* fromTree(entry, attr && join(attr, index), depth + 1);
    }
  } else if (isLeaf(node)) yield itemOf(node, attr);
  else {
    for (const [field, value] of Object.entries(node)) {
      const inner = join(attr, field);
      if (typeof value !== 'string') yield* fromTree(value, inner, depth + 1);
      else if (value !== '') yield { detail: value, code: undefined, attr: inner };
    }
  }
}

/** Returns whether the object is one error. Names of fields may be among its own, so a text with white space is no code. */
function isItem(node: unknown): node is Json {
  if (!isObject(node)) return false;
  const { detail, message, code, attr } = node;
  return [detail, message, pathOf(attr)].some(text) || /^\S+$/.test(text(code) ?? '');
}

/** Returns whether it also has no fields with further errors. */
function isLeaf(node: unknown): node is Json {
  return (
    isItem(node) &&
    Object.entries(node).every(
      ([field, value]) => !isObjectOrArray(value) || (field === 'attr' && Array.isArray(value)),
    )
  );
}

function itemOf({ detail, message, code, attr: own }: Json, attr: string): Found {
  return { detail: text(detail) ?? text(message) ?? '', code: text(code), attr: pathOf(own) ?? (attr || WHOLE) };
}

function join(attr: string, key: string | number): string {
  return attr === '' ? String(key) : `${attr}.${key}`;
}

/** Returns `customers.0.landline` for that text, for `customers[0].landline` and for `["customers", 0, "landline"]`. */
function pathOf(attr: unknown): string | undefined {
  const path = Array.isArray(attr) ? attr.map((part) => text(part) ?? '').join('.') : attr === '' ? attr : text(attr);
  return path?.replace(/\[(\d+)\]/g, '.$1').replace(/^\./, '');
}

/** Returns a text that is not empty, or a number as text. */
function text(value: unknown): string | undefined {
  return (typeof value === 'string' && value) || typeof value === 'number' ? String(value) : undefined;
}
