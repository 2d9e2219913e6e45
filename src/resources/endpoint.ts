/** Exports `createEndpointRequester`, which makes the calls of `client.request`: endpoints outside the table of operations. */
import * as z from 'zod';
import { PATH_PREFIX, type ReplayClass } from '../../schemas/operations.js';
import { Call } from '../http/call/call.js';
import type { CallContext } from '../http/call/call-types.js';
import type { QueryValues } from '../http/transport/address.js';
import type { Endpoint, HttpMethod } from '../http/transport/wire.js';
import { type CallOptions, type ClientSettings, checkCallOptions } from '../options.js';
import { type CallPromise, pendingCall } from './call-promise.js';
import { limitsOf, toJson } from './request.js';

/** Options of `client.request(method, path, options)`. */
export interface RequestOptions extends Omit<CallOptions, 'validate'> {
  /** The body, sent as JSON; undefined: no body. */
  body?: unknown;
  /** Query parameters by name. Undefined values are left out. */
  query?: QueryValues | undefined;
  /**
   * What happens if the request gets no answer. `pure`, `upsert` and `deduplicated`: it is sent again, because it has no side effects,
   * leads to the same state, or the service recognises what it has. `unknown`: the call rejects with `OutcomeUnknownError`. After a
   * 500 the request is sent again in each case.
   * @default 'pure' for GET, 'unknown' for any other method
   */
  replay?: Exclude<ReplayClass, 'reconcilable'> | undefined;
}

export type EndpointRequester = <T>(method: HttpMethod, path: string, options: RequestOptions) => CallPromise<T>;

const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies HttpMethod[];
const REPLAY: readonly unknown[] = ['pure', 'upsert', 'deduplicated', 'unknown', undefined];

/** Returns the function behind `client.request`. The promise that it returns rejects with a `TypeError` for invalid arguments. */
export function createEndpointRequester(context: CallContext, settings: ClientSettings): EndpointRequester {
  return <T>(method: HttpMethod, path: string, options: RequestOptions) => {
    try {
      const { body: payload, query, replay, ...call } = options;
      checkEndpoint(method, path, options);
      checkCallOptions(call, 'request');
      const label = labelOf(method, path);
      const body = payload === undefined ? undefined : toJson(label, payload);
      const operation = endpointOf(method, path, replay);
      return pendingCall<T>(
        new Call<T>(context, { label, operation, payload, body, query }, limitsOf(settings, call, false)).run(),
      );
    } catch (refusal) {
      return pendingCall<T>(Promise.reject(refusal));
    }
  };
}

function endpointOf(method: HttpMethod, path: string, replay: RequestOptions['replay']): Endpoint {
  return {
    method,
    path,
    pathParameters: [],
    answers: { 200: [z.unknown()] },
    mayBeEmpty: true,
    replay: replay ?? (method === 'GET' ? 'pure' : 'unknown'),
  };
}

/** Throws a `TypeError` for invalid arguments. Its message does not quote the path, which may contain an account number. */
function checkEndpoint(method: string, path: unknown, { body, query, replay }: RequestOptions): void {
  if (!METHODS.includes(method)) throw new TypeError(`request: expected a method of ${METHODS.join(', ')}`);
  if (typeof path !== 'string') throw new TypeError(`request: expected a path, found a value of type ${typeof path}`);
  if (path.replace(/^\//, '').startsWith(PATH_PREFIX.slice(1))) {
    throw new TypeError(`request: leave out ${PATH_PREFIX} in the path; the client adds it`);
  }
  if (!/^[\w.~!$&'()*+,;=:@%-]+(?:\/[\w.~!$&'()*+,;=:@%-]+)*\/?$/.test(path)) {
    throw new TypeError(
      `request: expected what follows ${PATH_PREFIX}, such as meters/7/; encode values with encodeURIComponent and give the query as query`,
    );
  }
  if (path.split('/').some((part) => /^(?:\.|%2e){1,2}$/i.test(part))) {
    throw new TypeError('request: a path must not contain the parts "." and ".."');
  }
  if (method === 'GET' && body !== undefined) throw new TypeError('request: a GET has no body');
  if (!REPLAY.includes(replay)) throw new TypeError('replay: expected pure, upsert, deduplicated or unknown');
  const isValue = (value: unknown) => value === undefined || ['string', 'number', 'boolean'].includes(typeof value);
  if (query !== undefined && !Object.values(query).every(isValue)) {
    throw new TypeError('query: expected an object of strings, numbers and booleans');
  }
}

/** Returns a name such as `GET meters/*`. `*` replaces parts that may be identifiers of customers. */
function labelOf(method: HttpMethod, path: string): string {
  const parts = path.split('/').filter((part) => part !== '');
  return `${method} ${parts.map((part) => (/^[a-z]+(?:-[a-z]+)*$/.test(part) ? part : '*')).join('/')}`;
}
