/** The way from a method to the wire: check the payload, write it as JSON, perform the call. */
import { type Operation, type OperationName, operations } from '../../schemas/operations.js';
import { CallPromise } from '../call-promise.js';
import { InvalidPayloadError } from '../errors/invalid-payload-error.js';
import { type PathValues, pathFindings } from '../http/address.js';
import { type CallContext, type CallLimits, type CallResult, performCall, type Settlement } from '../http/call.js';
import { type CallOptions, type ClientSettings, checkCallOptions } from '../options.js';
import { type Finding, schemaFindings } from '../validation/findings.js';
import { payloadOf } from '../validation/payloads.js';
import { validatePayload } from '../validation/validate.js';

export interface ResourceRequest<T> {
  /** The name that errors and hooks show, where it is not the operation's. */
  label?: string;
  payload?: object;
  path?: PathValues;
  query?: Readonly<Record<string, boolean | undefined>>;
  settlement?: Settlement<T>;
  /** Findings beyond the payload's own. */
  findings?: Finding[];
}

/** Performs an operation of the table. */
export type Requester = <T>(
  operation: OperationName,
  request: ResourceRequest<T>,
  options: CallOptions | undefined,
) => CallPromise<T>;

export function createRequester(context: CallContext, settings: ClientSettings): Requester {
  return <T>(name: OperationName, request: ResourceRequest<T>, options: CallOptions = {}) =>
    new CallPromise(perform<T>(context, settings, name, request, options));
}

async function perform<T>(
  context: CallContext,
  settings: ClientSettings,
  name: OperationName,
  request: ResourceRequest<T>,
  options: CallOptions,
): Promise<CallResult<T>> {
  checkCallOptions(options);
  const { label = name, payload, path = {}, query, settlement } = request;
  const operation = operations[name];
  const findings = [...pathFindings(operation, path), ...queryFindings(operation, query), ...(request.findings ?? [])];
  if (options.validate ?? settings.validate) findings.push(...payloadFindings(context, settings, name, label, payload));
  if (findings.length > 0) throw new InvalidPayloadError(label, findings);
  const body = payload === undefined ? undefined : toJson(label, payload);
  const limits: CallLimits = {
    signal: options.signal,
    timeoutMs: options.timeoutMs ?? settings.timeoutMs,
    deadlineMs: options.deadlineMs ?? settings.deadlineMs,
    maxRetries: options.maxRetries ?? settings.maxRetries,
    resendUnknown: options.resendUnknown ?? false,
  };
  return performCall<T>(context, { label, operation, payload, body, path, query, settlement }, limits);
}

/** Checked always: a query parameter decides whether sending again does harm, so `'false'` must not pass for false. */
function queryFindings({ query: schema }: Operation, query: ResourceRequest<unknown>['query']): Finding[] {
  if (schema === undefined) return [];
  return schemaFindings(schema, query).map((item) => ({ ...item, severity: 'error' }));
}

/** The findings that block. */
function payloadFindings(
  { observer }: CallContext,
  settings: ClientSettings,
  name: OperationName,
  label: string,
  payload: unknown,
): Finding[] {
  const payloadName = payloadOf[name];
  if (payloadName === undefined) return [];
  const { profile, logger } = settings;
  const advice = settings.advice === 'reject' || (settings.advice === 'log' && logger !== undefined);
  const { ok, findings } = validatePayload(payloadName, payload, { profile, advice });
  if (settings.advice === 'reject') return findings;
  for (const { severity, code, attr } of findings) {
    if (severity === 'advice' && ok) observer.advice({ operation: label, code, attr });
  }
  return findings.filter(({ severity }) => severity === 'error');
}

/** Without the local check anything may come here, also what JSON cannot say. */
function toJson(label: string, payload: object): string {
  try {
    return JSON.stringify(payload);
  } catch {
    const detail = 'The payload cannot be written as JSON: it holds a cycle or a BigInt.';
    throw new InvalidPayloadError(label, [{ detail, code: 'invalid_json_value', attr: '', severity: 'error' }]);
  }
}
