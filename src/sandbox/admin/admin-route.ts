/** Exports `AdminRoute` and `route`: a route of the admin interface declares schemas, by which `readInput` checks all input. */
import type * as z from 'zod';
import type { Outcome } from '../calls/call.js';
import { failed } from '../calls/error-answers.js';
import type { Space } from '../spaces.js';

interface AdminCall<Query, Body> {
  space: Space;
  /** Path parameters, decoded. */
  params: Readonly<Record<string, string>>;
  query: Query;
  body: Body;
  /** Base URL of the server, as the caller reached it. */
  baseUrl: string;
}

/** What a route takes. */
interface AdminInput<Query extends z.ZodObject, Body extends z.ZodType> {
  query?: Query;
  body?: Body;
  /** In bytes, if it differs from the sandbox's default. */
  bodyLimit?: number;
}

export interface AdminRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/__sandbox`; path parameters begin with a colon. */
  readonly path: string;
  readonly input: AdminInput<z.ZodObject, z.ZodType>;
  answer(call: AdminCall<unknown, unknown>): Outcome;
}

/** Returns the route; the arguments of `answer` have the types of its schemas. */
export function route<Query extends z.ZodObject, Body extends z.ZodType>(
  method: AdminRoute['method'],
  path: string,
  input: AdminInput<Query, Body>,
  answer: (call: AdminCall<z.output<Query>, z.output<Body>>) => Outcome,
): AdminRoute {
  return { method, path, input, answer: answer as AdminRoute['answer'] };
}

export function ok(body: unknown): Outcome {
  return { status: 200, body };
}

export function created(body: unknown): Outcome {
  return { status: 201, body };
}

/** Returns the 404 for something that the route `list` does not list, such as `No operations team has this name`. */
export function notListed(code: string, what: string, list: string): Outcome {
  return failed(404, code, `${what}; GET ${list} lists those that exist.`);
}
