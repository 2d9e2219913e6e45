/** Exports functions that read an answer: its body, its request id, and whether a success matches the API specification. */
import type * as z from 'zod';
import type { ErrorItem } from '../../../schemas/error-bodies.js';
import { variantsInside, variantsOf } from '../../../schemas/known-field-names.js';
import { fieldOf } from '../../../schemas/objects.js';
import { ResponseMismatchError } from '../../errors/client-errors.js';
import { errorFieldOf, innerBody } from '../../errors/decode.js';
import { presentable, presentablePath, SECRET } from '../../errors/items.js';
import { firstFinding } from '../../validation/findings.js';
import { rememberSchema } from '../../validation/undocumented.js';
import type { Secrets } from '../token/secrets.js';
import { ExcessiveJsonError, parseLarge } from './large-json.js';
import { NAMES, nameOf, otherNameIn, otherNameInError } from './other-name.js';
import type { Endpoint, WireAnswer } from './wire.js';

/** The body of an answer. */
interface ParsedBody {
  /** Parsed JSON, or the text if it is not JSON; undefined if the body is empty or too large. */
  value: unknown;
  isJson: boolean;
  /** The body was not parsed: it has too many values, too long a text, or too many levels. */
  isExcessive?: true;
}

/** Returns in which way the answer is only a part, which no request of the client asks for: a page would be taken for the whole list. */
export function partIn({ status, headers }: Pick<WireAnswer, 'status' | 'headers'>, of: Endpoint): string | undefined {
  if (status === 206) return 'only a part (206)';
  // Only the status query and the lists have parameters in their paths.
  const hasNext = of.pathParameters.length > 0 && /;\s*rel="?(?:[\w-]+ )*next\b/i.test(headers['link'] ?? '');
  return hasNext ? 'only a page (its Link names the next one)' : undefined;
}

const parsedBodies = new WeakMap<WireAnswer, ParsedBody>();

/** Returns the parsed body of an answer. Parses it at the first call only. */
export function parseBody(answer: WireAnswer): ParsedBody {
  const known = parsedBodies.get(answer);
  if (known !== undefined) return known;
  const parsed = parsedText(answer);
  parsedBodies.set(answer, parsed);
  return parsed;
}

/** Parses a body of megabytes in parts, so that it does not block the event loop. `parseBody` then returns the result. */
export async function parseLargeBody(answer: WireAnswer): Promise<void> {
  const { text = '' } = answer;
  try {
    parsedBodies.set(answer, { value: await parseLarge(withoutMark(text)), isJson: true });
  } catch (error) {
    const value = /\S/.test(text) ? text : undefined;
    parsedBodies.set(answer, {
      value,
      isJson: false,
      ...(error instanceof ExcessiveJsonError && { isExcessive: true }),
    });
  }
}

/** A refusal with bytes that are not UTF-8 keeps its code. */
function parsedText({ text, flaw, status }: WireAnswer): ParsedBody {
  const isRefusal = status >= 400 && status < 500;
  if (text === undefined || (flaw !== undefined && !isRefusal)) return { value: text, isJson: false };
  try {
    return { value: JSON.parse(withoutMark(text)), isJson: true };
  } catch {
    return { value: text.trim() === '' ? undefined : text, isJson: false };
  }
}

/** Returns the text without a byte order mark. */
function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/**
 * Returns the request id in the usual headers (the API specification names none); undefined if there is none, or if the value is
 * not one word: messages and logs contain the id.
 */
export function requestIdOf(answer: WireAnswer | undefined): string | undefined {
  const { headers } = answer ?? {};
  const id = headers?.['x-request-id'] ?? headers?.['request-id'] ?? headers?.['x-correlation-id'];
  if (id?.includes(SECRET)) return SECRET;
  return id !== undefined && /^[\w.:=/+-]{1,200}$/.test(id) ? id : undefined;
}

/** Masks the secrets of the client in the headers of an answer, which may be an echo of the request. */
export function maskHeaders(answer: WireAnswer, { mask }: Pick<Secrets, 'mask'>): void {
  const { headers } = answer;
  for (const name in headers) {
    const value = headers[name] as string;
    const masked = mask(value);
    if (masked !== value) headers[name] = masked;
  }
}

/**
 * Returns the body of a success. Throws `ResponseMismatchError` if it differs from the API specification, or names something else than
 * `names`, those of the request.
 */
export function successData<T>(
  answer: WireAnswer,
  operation: Endpoint,
  { maxAnswerBytes, ...facts }: CallFacts & { maxAnswerBytes: number },
): T {
  // Small successes are read once, so their bodies are not kept in the map.
  const parsed = parsedBodies.get(answer) ?? parsedText(answer);
  if (isEmptyList(answer, operation)) return [] as T;
  const otherName = otherNameIn(facts.names, parsed.value);
  const otherRequest = otherName && ofOtherRequest(otherName);
  const isTooLarge = answer.text === undefined && answer.flaw === undefined;
  const mismatch = isTooLarge ? undefined : (answer.flaw ?? mismatchOf(answer, operation, parsed) ?? otherRequest);
  if (!isTooLarge && mismatch === undefined) {
    rememberSchema(parsed.value, successSchema(operation, answer.status));
    return parsed.value as T;
  }
  const tooLarge = { maxBytes: maxAnswerBytes, remedy: remedyFor(facts.label) };
  throw mismatchError(answer, facts, parsed.value, {
    otherName,
    ...(mismatch === undefined ? { tooLarge } : { mismatch }),
  });
}

/** Throws a `ResponseMismatchError` if an error answer names something else than the request. */
export function expectOwnError(answer: WireAnswer, facts: CallFacts): void {
  const { value: body } = parseBody(answer);
  const named = innerBody(body);
  const number = nameOf(fieldOf(named, 'service_account_number')) ?? '';
  // A number with a byte that is not UTF-8 is none.
  const isImported = facts.label.startsWith('accounts.') && /^[^\uFFFD]+$/.test(number);
  const otherName = otherNameInError(facts.names, named, isImported);
  if (otherName === undefined) return;
  throw mismatchError(answer, facts, body, { otherName, mismatch: ofOtherRequest(otherName) });
}

/** The parts of a call that its answer is compared with, and that an error names. */
interface CallFacts {
  label: string;
  attempts: number;
  names?: unknown;
}

function mismatchError(
  answer: WireAnswer,
  { label: operation, attempts }: CallFacts,
  body: unknown,
  found: Pick<ConstructorParameters<typeof ResponseMismatchError>[0], 'otherName' | 'mismatch' | 'tooLarge'>,
): ResponseMismatchError {
  const requestId = requestIdOf(answer);
  return new ResponseMismatchError({ operation, attempts, status: answer.status, body, requestId, ...found });
}

function ofOtherRequest(otherName: string): string {
  return `${otherName}: not the value in the request, so it belongs to another request`;
}

/** Returns the remedy for an answer that is too large. */
function remedyFor(operation: string): string {
  const raise = 'raise advanced.maxAnswerBytes';
  if (!operation.startsWith('imports.')) return raise;
  const stream = operation === 'imports.pending' ? 'imports.streamPending' : 'imports.streamAll';
  return `read its entries one by one with ${stream}, or ${raise}`;
}

function mismatchOf(answer: WireAnswer, operation: Endpoint, body: ParsedBody): string | undefined {
  const { value, isJson, isExcessive } = body;
  const codings = answer.headers['content-encoding'];
  const part = partIn(answer, operation);
  if (part !== undefined) return part;
  if (isExcessive === true) return 'too many values, too long a text, or too many levels';
  if (!isJson && value === undefined) return operation.mayBeEmpty ? undefined : 'empty';
  if (!isJson) return `not JSON${codings === undefined ? '' : ` (content-encoding ${codingsInWords(codings)})`}`;
  const schema = successSchema(operation, answer.status);
  const first = firstFinding(schema, value);
  if (first === undefined) return errorIn(value, schema);
  if (operation.undocumented?.safeParse(value).success) return undefined;
  return `${placeOf(first.attr) ?? 'the body'}: ${inWords(first)}`;
}

/**
 * Returns which field makes a body an error although it has every required field; undefined if it is none. Where no field is required,
 * one field of an error is enough, unless the body has a documented one. Errors name the account too.
 */
function errorIn(body: unknown, schema: z.ZodType): string | undefined {
  // Before the schema is asked, which takes longer.
  if (!Array.isArray(body) && !errorFieldOf(body, true)) return undefined;
  const needsNoField = schema.safeParse({}).success;
  const shapes = variantsOf(schema)
    .flatMap((variant) => variantsInside(variant, '0').concat(variant))
    .map(({ _zod: { def } }) => fieldOf(def, 'shape'));
  const isDocumented = (name: string) => !NAMES.has(name) && shapes.some((shape) => fieldOf(shape, name));
  const field = (needsNoField && Array.isArray(body) ? body : [body])
    .map((part) => errorFieldOf(part, needsNoField && !Object.keys(Object(part)).some(isDocumented)))
    .find(Boolean);
  return field && `${field}: a field of an error`;
}

function codingsInWords(codings: string): string {
  const words = codings.split(',', MOST_CODINGS).map((coding) => presentable(coding.trim()) ?? '*');
  return words.join(', ');
}

const MOST_CODINGS = 5;

/** Returns how the entry with this index differs from the API specification; undefined if it matches. */
export function entryMismatch(operation: Endpoint, entry: unknown, index: number): string | undefined {
  const first = firstFinding(successSchema(operation, 200), [entry]);
  return first && `${placeOf(first.attr.replace(/^0/, String(index)))}: ${inWords(first)}`;
}

/** Returns a path that may be printed. The path of a body that is a list begins with an index. */
function placeOf(attr: string): string | undefined {
  const [, index, path = ''] = /^(?:(\d+)(?:\.|$))?(.*)$/s.exec(attr) ?? [];
  const shown = [index, presentablePath(path)].filter((part) => part !== undefined);
  return shown.length === 0 ? undefined : shown.join('.');
}

/** Returns the difference in words, without the remedy in a detail: that is for payloads. */
function inWords({ code, detail }: ErrorItem): string {
  return code === 'null' ? 'null in place of a value' : detail.replace(/\.$/, '');
}

/** Returns whether a 204 replaces an empty list (U4). Another status without a body is a mismatch. */
function isEmptyList({ status, text }: WireAnswer, operation: Endpoint): boolean {
  if (status !== 204 || text?.trim() !== '' || operation.method !== 'GET' || operation.mayBeEmpty) return false;
  return successSchema(operation, status).safeParse([]).success;
}

/** Returns the schema of a success. A 2xx that the table does not list has the schema of the listed one. */
function successSchema(operation: Endpoint, status: number): z.ZodType {
  const schema = (operation.answers[status] ?? operation.answers[201] ?? operation.answers[200])?.[0];
  if (schema === undefined) throw new TypeError(`no success answer in the table of operations: ${operation.path}`);
  return schema;
}
