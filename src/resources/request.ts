/** The way from a method to the wire: check the payload, write it as JSON, perform the call. */
import { type Operation, type OperationName, operations } from '../../schemas/operations.js';
import { CallPromise } from '../call-promise.js';
import { InvalidPayloadError } from '../errors/client-errors.js';
import { isApiError } from '../errors/guards.js';
import { Call } from '../http/call/call.js';
import type { CallContext, CallLimits, CallRequest, Settlement } from '../http/call/call-types.js';
import { streamEntries } from '../http/call/list-stream.js';
import type { Suspicion } from '../http/call/observe.js';
import { ALREADY_DONE } from '../http/call/policy.js';
import { type PathValues, pathFindings, type QueryValues } from '../http/transport/address.js';
import { type CallOptions, type ClientSettings, checkCallOptions } from '../options.js';
import { type Finding, schemaFindings } from '../validation/findings.js';
import { payloadOf } from '../validation/payload-schemas.js';
import { checkPayload } from '../validation/validate.js';

interface ResourceRequest<T> {
  /** The name that errors and hooks show, where it is not the operation's. */
  label?: string;
  payload?: object;
  path?: PathValues;
  query?: QueryValues;
  settlement?: Settlement<T>;
  /** Findings beyond the payload's own. */
  findings?: Finding[];
  /** Finds what a success does not confirm, for hooks and the logger. */
  suspicions?: (data: T) => Suspicion[];
}

/**
 * In place of the documented body: an answer was lost, or the service failed, and when the request was sent again the
 * service refused because it has this already.
 */
export interface ResolvedResult {
  /** Tells this result from the documented body. */
  outcome: 'settled';
  /** The body of that refusal. */
  answer: unknown;
}

/** What a method gives whose lost answer may be settled by a refusal. */
export type OrResolved<Answer> =
  | (Answer & { outcome?: undefined })
  | (ResolvedResult & { [Field in keyof Answer as string extends Field ? never : Field]?: undefined });

/** Performs an operation of the table. */
export type Requester = <T>(
  operation: OperationName,
  request: ResourceRequest<T>,
  options: CallOptions | undefined,
) => CallPromise<T>;

export function createRequester(context: CallContext, settings: ClientSettings): Requester {
  return <T>(name: OperationName, request: ResourceRequest<T>, options: CallOptions | undefined) => {
    try {
      const [call, limits] = prepare<T>(context, settings, name, request, options);
      return new CallPromise(new Call<T>(context, call, limits).run());
    } catch (refusal) {
      return new CallPromise<T>(Promise.reject(refusal));
    }
  };
}

/** Performs an operation whose answer is a list, and gives its entries as they come. */
export type ListStreamer = <T>(
  operation: OperationName,
  path: PathValues,
  options: CallOptions | undefined,
) => AsyncGenerator<T, void, undefined>;

export function createListStreamer(context: CallContext, settings: ClientSettings): ListStreamer {
  return async function* <T>(name: OperationName, path: PathValues, options: CallOptions | undefined) {
    yield* streamEntries<T>(context, ...prepare(context, settings, name, { path }, options));
  };
}

/** Throws what nothing is sent for. */
function prepare<T>(
  context: CallContext,
  settings: ClientSettings,
  name: OperationName,
  request: ResourceRequest<T>,
  options: CallOptions | undefined,
): [CallRequest<T>, CallLimits] {
  if (options !== undefined) checkCallOptions(options);
  const { label = name, payload, path, query } = request;
  const operation = operations[name];
  const ofPayload =
    (options?.validate ?? settings.validate) ? payloadFindings(context, settings, name, label, payload) : NONE;
  const findings = [
    ...pathFindings(operation, path),
    ...queryFindings(operation, query),
    ...(request.findings ?? []),
    ...ofPayload.findings,
  ];
  if (findings.length > 0)
    throw new InvalidPayloadError(label, findings, findings.length - ofPayload.findings.length + ofPayload.total);
  const body = payload === undefined ? undefined : toJson(label, payload);
  const limits = limitsOf(settings, options, settings.alreadyDone[name] !== undefined);
  const settlement = request.settlement ?? settlementByCode<T>(name, settings);
  const suspicions = settings.warnings === 'ignore' ? undefined : request.suspicions;
  return [{ label, operation, payload, body, path, query, settlement, suspicions }, limits];
}

/** `isRecognised`: the caller named the codes by which the deployment refuses what it already has. */
export function limitsOf(
  settings: ClientSettings,
  options: CallOptions | undefined,
  isRecognised: boolean,
): CallLimits {
  return {
    signal: options?.signal,
    timeoutMs: options?.timeoutMs ?? settings.timeoutMs,
    deadlineMs: options?.deadlineMs ?? settings.deadlineMs,
    maxRetries: options?.maxRetries ?? settings.maxRetries,
    maxThrottleWaitMs: options?.maxThrottleWaitMs ?? settings.maxThrottleWaitMs,
    retryUnknownOutcome: options?.retryUnknownOutcome ?? (isRecognised ? true : undefined),
    headers: options?.headers,
  };
}

/** For operations that the service cannot be asked about: a refusal of what it has already. */
function settlementByCode<T>(name: OperationName, settings: ClientSettings): Settlement<T> | undefined {
  const [known, told] = [ALREADY_DONE[name], settings.alreadyDone[name]];
  if (known === undefined && told === undefined) return undefined;
  const codes = [...(known ?? []), ...(told ?? [])];
  return {
    recognise: (error) =>
      isApiError(error) && codes.some((code) => error.hasCode(code))
        ? ({ outcome: 'settled', answer: error.body } satisfies ResolvedResult as T)
        : undefined,
  };
}

/** Checked always: a query parameter decides whether sending again does harm, so `'false'` must not pass for false. */
function queryFindings({ query: schema }: Operation, query: QueryValues | undefined): Finding[] {
  if (schema === undefined) return [];
  return schemaFindings(schema, query).findings.map((item) => ({ ...item, severity: 'error' }));
}

/** The findings that block, up to a limit, and how many there are. */
function payloadFindings(
  { observer }: CallContext,
  settings: ClientSettings,
  name: OperationName,
  label: string,
  payload: unknown,
): { findings: readonly Finding[]; total: number } {
  const payloadName = payloadOf(operations[name]);
  if (payloadName === undefined) return NONE;
  const { profile, logger } = settings;
  const hasWarnings = settings.warnings === 'reject' || (settings.warnings === 'log' && logger !== undefined);
  const { errors, warnings } = checkPayload(payloadName, payload, { profile, warnings: hasWarnings });
  if (settings.warnings === 'reject') {
    return { findings: [...errors.findings, ...warnings.findings], total: errors.total + warnings.total };
  }
  if (errors.total === 0) {
    for (const { code, attr } of warnings.findings) observer.warning({ operation: label, code, attr });
  }
  return errors;
}

const NONE = { findings: [], total: 0 };

/** Without the local check anything may come here, also what JSON cannot say. */
export function toJson(label: string, payload: unknown): string {
  try {
    return JSON.stringify(payload);
  } catch {
    const detail = 'The payload cannot be written as JSON: it holds a cycle or a BigInt.';
    throw new InvalidPayloadError(label, [{ detail, code: 'invalid_json_value', attr: '', severity: 'error' }]);
  }
}
