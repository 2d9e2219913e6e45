/**
 * What every operation goes through: token, body, schema, the limit on processing, and then, alone among the calls of
 * its supplier, the rule and the commit. The sandbox's own rules stand in `rules/`.
 */
import { type OperationName, operations } from '../../schemas/operations.js';
import { schemaFindings } from '../validation/findings.js';
import { failed, invalidRequest } from './answers.js';
import { readJsonBody } from './body.js';
import type { Call, Outcome } from './call.js';
import type { SandboxClock } from './clock.js';
import { answerTokenCall } from './graphql.js';
import type { Ids } from './ids.js';
import { createLock } from './lock.js';
import type { SandboxConfig } from './options.js';
import type { Processing } from './processing.js';
import { readFlags } from './query.js';
import { ruleOf } from './rules/table.js';
import type { Store } from './store.js';
import { refuseToken } from './tokens.js';

export interface Core {
  answer(operation: OperationName, request: Request, params: Readonly<Record<string, string>>): Promise<Outcome>;
  /** The GraphQL call; it needs no token. */
  answerTokenCall(request: Request): Promise<Outcome>;
}

interface CoreParts {
  config: SandboxConfig;
  clock: SandboxClock;
  ids: Ids;
  processing: Processing;
  /** The store of the moment: a reset puts another in its place. */
  store: () => Store;
}

export function createCore({ config, clock, ids, processing, store }: CoreParts): Core {
  const { settings, bucket } = config;
  const lock = createLock();

  async function decideAndCommit(call: Omit<Call<unknown>, 'now' | 'store'>): Promise<Outcome> {
    const outcome = ruleOf(call.operation)({ ...call, now: clock.now(), store: store() });
    // Whatever takes its time takes it here, between the look and the commit. The lock makes the two one step.
    await Promise.resolve();
    if (outcome.status < 400) outcome.apply?.();
    outcome.remember?.();
    return outcome;
  }

  return {
    async answer(name, request, params) {
      const unauthorized = refuseToken(request.headers.get('authorization'), ids, clock.now());
      if (unauthorized !== undefined) return unauthorized;

      const operation = operations[name];
      const { request: schema } = operation;
      const body = schema === undefined ? { payload: {} } : await readJsonBody(request);
      if ('refusal' in body) return body.refusal;
      const { payload } = body;
      const { flags, errors } = readFlags(operation, request.url);
      const findings = schema === undefined ? errors : [...errors, ...schemaFindings(schema, payload)];
      if (findings.length > 0) return invalidRequest(name, findings);

      const call = { operation: name, payload, params, query: flags, settings, ids, bucket };
      if (operation.method === 'GET') return decideAndCommit(call);
      const inTurn = () => lock(supplierOf(payload), () => decideAndCommit(call));
      if (name !== 'accounts.process') return inTurn();
      return (await processing.run(settings.processConcurrency, inTurn)) ?? overLimit(settings.retryAfterSeconds);
    },

    async answerTokenCall(request) {
      const body = await readJsonBody(request);
      return 'refusal' in body ? body.refusal : answerTokenCall(body.payload, settings, ids, clock.now());
    },
  };
}

/** The two names that the document gives the code (document: Conventions); populate has neither. */
function supplierOf({ import_supplier, import_supplier_code }: Record<string, unknown>): string {
  return String(import_supplier ?? import_supplier_code ?? '');
}

/** U28: Retry-After only where the setting says so. */
function overLimit(retryAfterSeconds: number | null): Outcome {
  const headers = retryAfterSeconds === null ? undefined : { 'Retry-After': String(retryAfterSeconds) };
  const detail = 'Too many accounts are being processed. Retry after others finish.';
  return failed(429, 'concurrency_limit_exceeded', detail, headers);
}
