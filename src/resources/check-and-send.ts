/** Exports `createRequester`, which makes the calls of all methods: it checks the payload, writes it as JSON and sends it. */
import { type Operation, type OperationName, operations } from '../../schemas/operations.js';
import { ApiError } from '../errors/api-errors.js';
import { InvalidPayloadError } from '../errors/client-errors.js';
import { Call } from '../http/call/call.js';
import type {
  CallContext,
  CallLimits,
  CallOutcome,
  CallRequest,
  CallResult,
  Settlement,
} from '../http/call/call-types.js';
import { streamEntries } from '../http/call/list-stream.js';
import { nextCallId } from '../http/call/observe.js';
import { ALREADY_DONE } from '../http/call/retry-policy.js';
import { type PathValues, pathFindings, type QueryValues } from '../http/transport/address.js';
import { namesIn } from '../http/transport/other-name.js';
import { type CallOptions, type ClientSettings, checkCallOptions } from '../options.js';
import { type Finding, schemaFindings } from '../validation/findings.js';
import { payloadOf } from '../validation/payload-schemas.js';
import { checkPayload } from '../validation/validate.js';
import { addFact, type CallPromise, pendingCall } from './call-promise.js';
import { failuresIn } from './suspicions.js';

interface ResourceRequest<T> {
  /** The name in errors and hooks, if it is not that of the operation. */
  label?: string;
  payload?: object;
  path?: PathValues;
  query?: QueryValues;
  settlement?: Settlement<T>;
  /** Findings in addition to those of the payload. */
  findings?: Finding[];
  suspicions?: CallRequest<T>['suspicions'];
  conclude?: CallRequest<T>['conclude'];
  /** For a write: returns what the status of a success says. */
  outcome?: (status: number) => CallOutcome;
}

/** The outcome of a write whose every success creates something. */
export function created(): CallOutcome {
  return 'created';
}

/** Calls an operation of the table. The promise rejects with `InvalidPayloadError` or a `TypeError` before anything is sent. */
export type Requester = <T>(
  operation: OperationName,
  request: ResourceRequest<T>,
  options: CallOptions | undefined,
) => CallPromise<T>;

/** Returns a `Requester` with these settings. */
export function createRequester(context: CallContext, settings: ClientSettings): Requester {
  return <T>(name: OperationName, request: ResourceRequest<T>, options: CallOptions | undefined) => {
    try {
      const [call, limits] = prepare<T>(context, settings, name, request, options);
      const result = new Call<T>(context, call, limits).run();
      return pendingCall(request.outcome === undefined ? result : withOutcome(result, request.outcome));
    } catch (refusal) {
      return pendingCall<T>(Promise.reject(refusal));
    }
  };
}

/** Adds what the write has done. The answer to a request of this call says it by its status; a later answer only confirms it. */
async function withOutcome<T>(call: Promise<CallResult<T>>, outcome: (status: number) => CallOutcome) {
  const result = await call;
  result.callOutcome ??= outcome(result.status);
  addFact(result.data, 'callOutcome', result.callOutcome);
  return result;
}

/** Calls an operation whose answer is a list, and yields its entries while they arrive. */
export type ListStreamer = <T>(
  operation: OperationName,
  /** The name in errors and hooks. */
  label: string,
  path: PathValues,
  options: CallOptions | undefined,
) => AsyncGenerator<T, void, undefined>;

/** Returns a `ListStreamer` with these settings. */
export function createListStreamer(context: CallContext, settings: ClientSettings): ListStreamer {
  return async function* <T>(name: OperationName, label: string, path: PathValues, options: CallOptions | undefined) {
    yield* streamEntries<T>(context, ...prepare(context, settings, name, { label, path }, options));
  };
}

/** Prepares a call. Throws `InvalidPayloadError` for findings that block it, and a `TypeError` for invalid options. */
function prepare<T>(
  context: CallContext,
  settings: ClientSettings,
  name: OperationName,
  request: ResourceRequest<T>,
  options: CallOptions | undefined,
): [CallRequest<T>, CallLimits] {
  const { label = name, payload, path, query, conclude } = request;
  if (options !== undefined) checkCallOptions(options, label, Object.keys(query ?? {}));
  const operation = operations[name];
  const id = nextCallId();
  const ofPayload =
    (options?.validate ?? settings.validate) ? payloadFindings(context, settings, name, { id, label, payload }) : NONE;
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
  const names = namesIn(payload ?? path);
  const settlement = request.settlement ?? settlementByCode<T>(name, settings, names);
  const suspicions: CallRequest<T>['suspicions'] =
    settings.warnings === 'ignore'
      ? undefined
      : (data, sent) => failuresIn(data).concat(request.suspicions?.(data, sent) ?? []);
  return [{ id, label, operation, payload, names, body, path, query, settlement, suspicions, conclude }, limits];
}

/** Returns the limits of a call. `isRecognised`: `alreadyDone` has codes for the operation. */
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

/** For operations without a status query: the service refuses a repetition with a code that proves that the object exists. */
function settlementByCode<T>(name: OperationName, settings: ClientSettings, names: unknown): Settlement<T> | undefined {
  const [known, additional] = [ALREADY_DONE[name], settings.alreadyDone[name]];
  if (known === undefined && additional === undefined) return undefined;
  const codes = [...(known ?? []), ...(additional ?? [])];
  return {
    confirms(error) {
      if (!(error instanceof ApiError) || !codes.some((code) => error.hasCode(code))) return undefined;
      const { statements = [] } = names as { statements?: unknown[] };
      const refused = new Set(error.errors.map(({ attr }) => attr.split('.', 2).join('.')));
      // A service that keeps all statements or none refuses them all for one that exists.
      return (
        error.errors.every(({ code }) => codes.includes(code)) &&
        (statements.length < 2 || statements.every((_, index) => refused.has(`statements.${index}`)))
      );
    },
  };
}

/** Checked even with `validate: false`: a query parameter decides whether a retry is safe, so `'false'` must not count as false. */
function queryFindings({ query: schema }: Operation, query: QueryValues | undefined): Finding[] {
  if (schema === undefined) return [];
  return schemaFindings(schema, query).findings.map((item) => ({ ...item, severity: 'error' }));
}

/** Returns the findings that block sending, up to a limit, and their number. */
function payloadFindings(
  { observer }: CallContext,
  settings: ClientSettings,
  name: OperationName,
  { id: callId, label, payload }: { id: number; label: string; payload: unknown },
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
    for (const { code, attr } of warnings.findings) observer.warning({ callId, operation: label, code, attr });
  }
  return errors;
}

const NONE = { findings: [], total: 0 };

/** Returns the payload as JSON. Throws `InvalidPayloadError` if that is impossible: the local check may be off. */
export function toJson(label: string, payload: unknown): string {
  try {
    return JSON.stringify(payload);
  } catch {
    const detail = 'The payload cannot be written as JSON: it contains a cycle or a BigInt.';
    throw new InvalidPayloadError(label, [{ detail, code: 'invalid_json_value', attr: '', severity: 'error' }]);
  }
}
