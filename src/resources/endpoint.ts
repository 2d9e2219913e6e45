/** Exports `createEndpointRequester`, which makes the calls of `client.request`: endpoints outside the table of operations. */
import * as z from 'zod';
import { PATH_PREFIX, type ReplayClass } from '../../schemas/operations.js';
import { Call } from '../http/call/call.js';
import type { CallContext } from '../http/call/call-types.js';
import { nextCallId } from '../http/call/observe.js';
import type { QueryValues } from '../http/transport/address.js';
import type { Endpoint, HttpMethod } from '../http/transport/wire.js';
import { type CallOptions, type ClientSettings, checkCallOptions } from '../options.js';
import { foundInWords } from '../validation/known-names.js';
import { type CallPromise, pendingCall } from './call-promise.js';
import { limitsOf, toJson } from './check-and-send.js';

/** Options of `client.request(method, path, options)`. */
export interface RequestOptions extends Omit<CallOptions, 'validate' | 'retryUnknownOutcome'> {
  /** The body, sent as JSON; undefined: no body. */
  body?: unknown;
  /** Query parameters by name. Undefined values are left out. */
  query?: QueryValues | undefined;
  /**
   * Whether a request that may have taken effect is sent again. `always`: after no answer and after a 5xx. `never`: the call rejects
   * with `OutcomeUnknownError`. A request that the service did not get, and one that it refused with 429 or 401, is sent again in both
   * cases.
   * @default 'always' for GET, 'never' for any other method
   */
  retry?: 'always' | 'never' | undefined;
}

export type EndpointRequester = <T>(method: HttpMethod, path: string, options: RequestOptions) => CallPromise<T>;

const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies HttpMethod[];

/** Returns the function behind `client.request`. The promise that it returns rejects with a `TypeError` for invalid arguments. */
export function createEndpointRequester(context: CallContext, settings: ClientSettings): EndpointRequester {
  return <T>(method: HttpMethod, path: string, options: RequestOptions) => {
    try {
      checkCallOptions(options, 'request', ['body', 'query', 'retry']);
      const { body: payload, query, retry = method === 'GET' ? 'always' : 'never', ...call } = options;
      const mistake = mistakeIn(method, path, options);
      if (mistake !== undefined) throw new TypeError(`request: ${mistake}`);
      const label = labelOf(method, path);
      const request = {
        ...{ id: nextCallId(), label, payload },
        operation: endpointOf(method, path.replace(/^\//, ''), retry === 'always' ? 'upsert' : 'unknown'),
        body: payload === undefined ? undefined : toJson(label, payload),
        query,
      };
      const limits = { ...limitsOf(settings, call, false), retryUnknownOutcome: retry === 'always' };
      return pendingCall(new Call<T>(context, request, limits).run());
    } catch (refusal) {
      return pendingCall<T>(Promise.reject(refusal));
    }
  };
}

function endpointOf(method: HttpMethod, path: string, replay: ReplayClass): Endpoint {
  return { method, path, pathParameters: [], answers: { 200: [z.unknown()] }, mayBeEmpty: true, replay };
}

/** Returns what is wrong with the arguments. It does not quote the path, which may contain an account number. */
function mistakeIn(method: string, path: unknown, options: RequestOptions): string | undefined {
  if (!METHODS.includes(method)) return `expected a method of ${METHODS.join(', ')}`;
  if (typeof path !== 'string') return `expected a path, found ${foundInWords(path)}`;
  if (path.replace(/^\//, '').startsWith(PATH_PREFIX.slice(1))) {
    return `leave out ${PATH_PREFIX} in the path; the client adds it`;
  }
  if (!/^\/?[\w.~!$&'()*+,;=:@%-]+(?:\/[\w.~!$&'()*+,;=:@%-]+)*\/?(?:\?[\w.~!$&'()*+,;=:@%/?-]*)?$/.test(path)) {
    return `expected what follows ${PATH_PREFIX}, such as meters/7/ or meters/?page=2; encode values with encodeURIComponent`;
  }
  if (path.split(/[/?]/).some((part) => /^(?:\.|%2e){1,2}$/i.test(part))) {
    return 'a path must not contain the parts "." and ".."';
  }
  if (method === 'GET' && options.body !== undefined) return 'a GET has no body';
  if ('retryUnknownOutcome' in options) return 'in place of retryUnknownOutcome, give retry';
  return options.query !== undefined && path.includes('?')
    ? 'give the query in the path or as query, not both'
    : undefined;
}

/** Returns a name such as `GET meters/*`. `*` replaces parts that may be identifiers of customers. */
function labelOf(method: HttpMethod, path: string): string {
  const [place = ''] = path.split('?');
  const parts = place.split('/').filter((part) => part !== '');
  return `${method} ${parts.map((part) => (/^[a-z]+(?:-[a-z]+)*$/.test(part) ? part : '*')).join('/')}`;
}
