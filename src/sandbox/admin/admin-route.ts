/** Exports `AdminRoute` and `route`: a route of the admin interface declares schemas, by which `readInput` checks all input. */
import type * as z from 'zod';
import type { Outcome } from '../calls/call.js';
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

export interface AdminRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/__sandbox`; path parameters begin with a colon. */
  readonly path: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** In bytes, if it differs from the sandbox's default. */
  readonly bodyLimit?: number;
  answer(call: AdminCall<unknown, unknown>): Outcome;
}

interface TypedRoute<Query extends z.ZodObject, Body extends z.ZodType> extends AdminRoute {
  readonly query?: Query;
  readonly body?: Body;
  answer(call: AdminCall<z.output<Query>, z.output<Body>>): Outcome;
}

/** Returns the route; the arguments of `answer` have the types of its schemas. */
export function route<Query extends z.ZodObject, Body extends z.ZodType>(row: TypedRoute<Query, Body>): AdminRoute {
  return row;
}

export function ok(body: unknown): Outcome {
  return { status: 200, body };
}
