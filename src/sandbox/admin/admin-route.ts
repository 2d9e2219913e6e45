/** What a route of the admin interface is: a row that says what it takes, so that one place checks all input. */
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
  /** In bytes, where it is not the sandbox's own limit. */
  readonly bodyLimit?: number;
  answer(call: AdminCall<unknown, unknown>): Outcome;
}

interface TypedRoute<Query extends z.ZodObject, Body extends z.ZodType> extends AdminRoute {
  readonly query?: Query;
  readonly body?: Body;
  answer(call: AdminCall<z.output<Query>, z.output<Body>>): Outcome;
}

/** Ties what `answer` is given to the schemas of its row. */
export function route<Query extends z.ZodObject, Body extends z.ZodType>(row: TypedRoute<Query, Body>): AdminRoute {
  return row;
}

export function ok(body: unknown): Outcome {
  return { status: 200, body };
}
