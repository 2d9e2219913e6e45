/** Exports `readInput`, which reads query string and body of an admin request by the schemas of its route, and helpers for these. */
import * as z from 'zod';
import type { ErrorItem } from '../../../schemas/error-bodies.js';
import { schemaFindings } from '../../validation/findings.js';
import type { Outcome } from '../calls/call.js';
import { refused } from '../calls/error-answers.js';
import { readJsonBody } from '../server/json-body.js';
import type { AdminRoute } from './admin-route.js';

export type Input = { query: unknown; body: unknown } | { refusal: Outcome };

const NOTHING = z.strictObject({});

/** Returns the parsed query and body, or a refusal with all their errors. Every route accepts the query parameter `space`. */
export async function readInput(
  { query = NOTHING, body = NOTHING, bodyLimit }: AdminRoute['input'],
  request: Request,
): Promise<Input> {
  const { space: _, ...given } = Object.fromEntries(new URL(request.url).searchParams);
  const sent = isEmpty(request) ? { payload: {} } : await readJsonBody(request, bodyLimit);
  if ('refusal' in sent) return sent;
  const errors = [...schemaFindings(query, given).findings, ...schemaFindings(body, sent.payload).findings];
  if (errors.length > 0) return { refusal: invalid(errors) };
  return { query: query.parse(given), body: body.parse(sent.payload) };
}

function isEmpty({ method, headers }: Request): boolean {
  if (method === 'GET' || method === 'HEAD') return true;
  const length = headers.get('content-length');
  return length === '0' || (length === null && headers.get('transfer-encoding') === null);
}

function invalid(errors: readonly ErrorItem[]): Outcome {
  const [first] = errors;
  const detail = first?.attr ? `${first.attr}: ${first.detail}` : first?.detail;
  return { status: 400, body: { detail, code: 'validation_failed', errors } };
}

/** Returns what the task returns, or a 400 for this attr if it throws. */
export function attempt<Result>(code: string, attr: string, task: () => Result): Outcome | Result {
  try {
    return task();
  } catch (error) {
    return refused(code, attr, error instanceof Error ? error.message : String(error));
  }
}

/** Schema of a whole number in a query string. */
export function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER) {
  const isInRange = (text: string) => /^\d{1,16}$/.test(text) && Number(text) >= least && Number(text) <= most;
  const upTo = most === Number.MAX_SAFE_INTEGER ? '' : ` to ${most}`;
  const message = `Expected a whole number from ${least}${upTo}.`;
  return z
    .string()
    .refine(isInRange, { message, params: { code: 'invalid_number' } })
    .transform(Number);
}

/** Schema of a text that is not blank. */
export const someText = z
  .string()
  .refine((text) => text.trim() !== '', { message: 'Expected some text.', params: { code: 'blank' } });
