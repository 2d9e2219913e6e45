/** Reading what a caller of the admin interface sends: query string and body, checked by the schemas of its route. */
import * as z from 'zod';
import type { ErrorItem } from '../../../schemas/error-bodies.js';
import { schemaFindings } from '../../validation/findings.js';
import type { Outcome } from '../calls/call.js';
import { refused } from '../calls/error-answers.js';
import { readJsonBody } from '../server/json-body.js';
import type { AdminRoute } from './admin-route.js';

export type Input = { query: unknown; body: unknown } | { refusal: Outcome };

const NOTHING = z.strictObject({});

/** Every offence of query string and body, each at its attr; `space` belongs to every route. */
export async function readInput(
  { query = NOTHING, body = NOTHING, bodyLimit }: AdminRoute,
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
  return { status: 400, body: { detail: `${first?.attr}: ${first?.detail}`, code: 'validation_failed', errors } };
}

/** What another part refuses by throwing becomes a 400 at this attr. */
export function attempt(code: string, attr: string, task: () => void): Outcome | undefined {
  try {
    task();
    return undefined;
  } catch (error) {
    return refused(code, attr, error instanceof Error ? error.message : String(error));
  }
}

/** A whole number in a query string. */
export function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER) {
  const isMeant = (text: string) => /^\d{1,16}$/.test(text) && Number(text) >= least && Number(text) <= most;
  const upTo = most === Number.MAX_SAFE_INTEGER ? '' : ` to ${most}`;
  const message = `Expected a whole number from ${least}${upTo}.`;
  return z
    .string()
    .refine(isMeant, { message, params: { code: 'invalid_number' } })
    .transform(Number);
}

/** Text that says something. */
export const someText = z
  .string()
  .refine((text) => text.trim() !== '', { message: 'Expected some text.', params: { code: 'blank' } });
