/**
 * Exports `createCallHandler`, which answers the requests to one sandbox state. Each request passes these steps: access
 * token, JSON body, faults, shape of the payload, limit on process calls, rule, commit; then it is logged. Rule and commit
 * of one call hold the lock of its import supplier. The rules are in `rules/`.
 */
import { variantsInside, variantsOf } from '../../../schemas/known-field-names.js';
import { type OperationName, operations } from '../../../schemas/operations.js';
import { ruleOf } from '../rules/rule-of-operation.js';
import { checkToken } from '../server/access-tokens.js';
import { type JsonBody, readJsonBody } from '../server/json-body.js';
import { type Reply, toReply } from '../server/reply.js';
import type { ServiceRequest } from '../server/service-request.js';
import { answerTokenCall } from '../server/token-call.js';
import type { SandboxConfig } from '../settings/complete-options.js';
import { drawDuration } from '../settings/duration.js';
import type { SandboxSettings } from '../settings/settings.js';
import { watchSettings } from '../settings/watched-settings.js';
import type { SandboxClock } from '../state/clock.js';
import type { FaultTarget } from '../state/fault-rules.js';
import type { Ids } from '../state/generated-ids.js';
import type { ApplyScheduledChanges } from '../state/scheduled-changes.js';
import type { Store } from '../state/store.js';
import { commit, type Outcome } from './call.js';
import { checkShape, type Shape } from './check-shape.js';
import { failed, formatErrorBody, invalidRequest } from './error-answers.js';
import { type FaultPlan, planFaults } from './faults.js';
import { createLock, type Lock, takeTime } from './lock.js';
import type { ProcessSlots } from './process-slots.js';
import type { RequestLog } from './request-log.js';
import { createSlowCallRunner, type RunSlowCall, slowCallOf } from './slow-calls.js';

/** undefined: a fault closes the connection. */
type Answer = Reply | undefined;
type PathParams = Readonly<Record<string, string>>;

interface CallHandlerParts {
  /** Name of the state. A token is valid only for the state that it names. */
  name: string;
  config: SandboxConfig;
  clock: SandboxClock;
  ids: Ids;
  log: RequestLog;
  processSlots: ProcessSlots;
  applyScheduledChanges: ApplyScheduledChanges;
  /** The current store: a reset replaces it. */
  store: () => Store;
}

interface Context extends CallHandlerParts {
  lock: Lock;
  runSlowCall: RunSlowCall;
}

/** Facts about a request for its log entry, collected step by step. */
interface CallProgress {
  operation: FaultTarget | null;
  now: Date;
  /** By the machine's clock. */
  receivedAt: Date;
  settings: SandboxSettings;
  /** Text of the body if it is JSON. */
  text: string | null;
  supplier: string | undefined;
  account: string | undefined;
  unlisted: readonly string[];
  faults: readonly string[];
  /** What fault rules add to the duration of the call, in ms. */
  waitDuring: number;
}

interface OperationRequest {
  operation: OperationName;
  request: ServiceRequest;
  params: PathParams;
}

/** Runs latency and the waits of faults, which come before the call is checked. */
type WaitBefore = () => Promise<void>;

/** Returns the handler of one sandbox state. */
export function createCallHandler(parts: CallHandlerParts) {
  const context: Context = {
    ...parts,
    lock: createLock(),
    runSlowCall: createSlowCallRunner(parts.config, parts.clock),
  };
  return {
    answer: (operation: OperationName, request: ServiceRequest, params: PathParams): Promise<Answer> =>
      answerAndLog(context, request, operation, (progress) =>
        answerOperation(context, { operation, request, params }, progress),
      ),
    /** Answers the GraphQL call for a token; it needs no token. */
    answerTokenCall: (request: ServiceRequest, body: JsonBody): Promise<Answer> =>
      answerAndLog(context, request, 'token', (progress) => answerToken(context, request, body, progress)),
    /** Answers and logs a request to a path or a method that does not exist (U1). */
    answerWith(outcome: Outcome, request: ServiceRequest): Reply {
      const progress = newProgress(null, context.clock.now(), context.config.settings);
      return addToLog(context, request, progress, outcome, ['U1']);
    },
  };
}

/** Brings the state to the time of the clock, runs the task, and logs the request with its answer. */
async function answerAndLog(
  context: Context,
  request: ServiceRequest,
  operation: FaultTarget,
  task: (progress: CallProgress) => Promise<Outcome>,
): Promise<Answer> {
  const { config, clock, applyScheduledChanges, store } = context;
  const now = clock.now();
  applyScheduledChanges(store().state, now);
  const { settings, assumed } = watchSettings(config.settings);
  const progress = newProgress(operation, now, settings);
  const outcome = formatErrorBody(await task(progress).catch(internalError), config.settings, settings);
  const reply = addToLog(context, request, progress, outcome, assumed());
  return outcome.onTheWay === 'drop' ? undefined : reply;
}

async function answerOperation(context: Context, call: OperationRequest, progress: CallProgress): Promise<Outcome> {
  const { name, config, ids, store } = context;
  const { operation, request, params } = call;
  const { now, settings } = progress;
  const header = request.headers.get('authorization');
  const scheme = config.settings.authScheme;
  const unauthorized = checkToken({ operation, header, name, ids, now, scheme, settings });
  if (unauthorized !== undefined) return unauthorized;

  const hasBody = operations[operation].request !== undefined;
  const body: JsonBody = hasBody ? await readJsonBody(request) : { payload: {}, text: '' };
  if (hasBody && 'text' in body) progress.text = body.text;
  Object.assign(progress, supplierAndAccountOf(operation, 'payload' in body ? body.payload : {}, params));
  const { supplier, account } = progress;
  const plan = planFaults(store(), { operation, supplier, account }, ids);
  Object.assign(progress, { faults: plan.ids, waitDuring: plan.waitDuring });
  return applyFaults(context, request, progress, plan, (waitBefore) =>
    checkAndRun(context, call, body, progress, waitBefore),
  );
}

async function answerToken(
  context: Context,
  request: ServiceRequest,
  body: JsonBody,
  progress: CallProgress,
): Promise<Outcome> {
  const { name, ids, store } = context;
  const { now, settings } = progress;
  if ('text' in body) progress.text = body.text;
  const plan = planFaults(store(), { operation: 'token', supplier: undefined, account: undefined }, ids);
  progress.faults = plan.ids;
  return applyFaults(context, request, progress, plan, async (waitBefore) => {
    await waitBefore();
    return 'refusal' in body ? body.refusal : answerTokenCall(body.payload, { name, settings, ids, now });
  });
}

/** Runs the task with the latency setting and the planned faults around it. */
async function applyFaults(
  { config, ids }: Context,
  request: ServiceRequest,
  progress: CallProgress,
  plan: FaultPlan,
  task: (waitBefore: WaitBefore) => Promise<Outcome>,
): Promise<Outcome> {
  // `request.signal` is read only for a wait: on a server it is created on demand.
  const wait = async (ms: number) => (ms > 0 ? config.wait(ms, request.signal) : undefined);
  const ms = plan.waitBefore + latencyOf(progress, config.settings, ids);
  if (plan.before !== undefined) {
    await wait(ms);
    return plan.before;
  }
  const running = task(() => wait(ms));
  if (plan.during !== undefined) {
    // No caller hears how the call ends.
    running.catch(() => {});
    return plan.during;
  }
  const outcome = await running;
  await wait(plan.waitAfter);
  if (plan.after === undefined) return outcome;
  // The fault replaces the answer; the log still shows what the call changed.
  return { ...plan.after(outcome), ...(outcome.change !== undefined && { change: outcome.change }) };
}

function latencyOf({ operation, supplier, account }: CallProgress, { latencyMs }: SandboxSettings, ids: Ids): number {
  if (latencyMs === 0) return 0;
  return drawDuration(latencyMs, ids, JSON.stringify(['latency', operation, supplier, account]));
}

/** Checks the shape of the request and the limit on process calls, then runs the rule. */
async function checkAndRun(
  context: Context,
  call: OperationRequest,
  body: JsonBody,
  progress: CallProgress,
  waitBefore: WaitBefore,
): Promise<Outcome> {
  if ('refusal' in body) return body.refusal;
  const { operation, request } = call;
  const { settings } = progress;
  const { config, processSlots } = context;
  const shape = checkShape(operation, body.payload, request.url, config.settings, settings);
  progress.unlisted = shape.unlisted;
  if (shape.errors.length > 0) return invalidRequest(operation, shape.errors);

  const run = async () => {
    await waitBefore();
    return runRule(context, call, shape, progress);
  };
  if (operation !== 'accounts.process') return run();
  const { processConcurrency } = config.settings;
  const isUnlimited = processConcurrency === null || (shape.payload['dry_run'] === true && !settings.dryRunCounts);
  return (await processSlots.run(isUnlimited ? null : processConcurrency, run)) ?? tooManyProcessCalls(settings);
}

/** Runs the rule of the operation and commits its outcome, while no other call of the supplier can do so. */
function runRule(
  { config, ids, lock, runSlowCall, store }: Context,
  { operation, request, params }: OperationRequest,
  { payload, query }: Shape,
  progress: CallProgress,
): Promise<Outcome> {
  const { bucket } = config;
  const { now, settings, supplier } = progress;
  const decide = async (at: Store): Promise<Outcome> => {
    // Each property is written out: a spread in this literal takes 5 to 20 us on Node 20.
    const call = { operation, payload, params, query, settings, ids, bucket, now, store: at };
    const outcome = ruleOf(operation)(call);
    await takeTime();
    return outcome;
  };
  const runLocked = <Result>(task: () => Promise<Result>) => lock(supplier ?? '', task);
  const slowCall = slowCallOf(progress, payload, config.settings, ids);
  if (slowCall !== undefined) return runSlowCall({ ...slowCall, settings, now, request, runLocked }, store(), decide);
  const decideAndCommit = async () => {
    const at = store();
    return commit(at, await decide(at), now);
  };
  return operations[operation].method === 'GET' ? decideAndCommit() : runLocked(decideAndCommit);
}

function newProgress(operation: FaultTarget | null, now: Date, settings: SandboxSettings): CallProgress {
  return {
    operation,
    now,
    receivedAt: new Date(),
    settings,
    text: null,
    supplier: undefined,
    account: undefined,
    unlisted: [],
    faults: [],
    waitDuring: 0,
  };
}

function addToLog(
  { log }: Context,
  request: ServiceRequest,
  { operation, now, receivedAt, text, supplier, account, unlisted, faults }: CallProgress,
  outcome: Outcome,
  assumed: readonly string[],
): Reply {
  const reply = toReply(outcome);
  log.add({
    at: now.toISOString(),
    received_at: receivedAt.toISOString(),
    took_ms: Date.now() - receivedAt.getTime(),
    rule: CHECK_IDS.get(operation) ?? 'C1',
    operation,
    method: request.method,
    path: pathOf(request.url),
    supplier: supplier ?? null,
    account: account ?? null,
    request: text,
    status: outcome.onTheWay === 'drop' ? null : outcome.status,
    answer: reply.text,
    change: outcome.change ?? null,
    assumed,
    unlisted,
    faults,
  });
  return reply;
}

/** The checks of the acceptance page: E1 to E14 in the order of the table of operations, C6 for the token. */
const CHECK_IDS: ReadonlyMap<FaultTarget | null, string> = new Map<FaultTarget, string>([
  ...Object.keys(operations).map((name, index) => [name as OperationName, `E${index + 1}`] as const),
  ['token', 'C6'],
]);

/** Reads only the documented name: if unknown fields are accepted (U6), the other name may have another value. */
function supplierAndAccountOf(
  operation: OperationName,
  payload: Readonly<Record<string, unknown>>,
  params: PathParams,
): Pick<CallProgress, 'supplier' | 'account'> {
  const text = (name: string) => {
    const value = params[name] ?? payload[name];
    return typeof value === 'string' ? value : undefined;
  };
  // Populate names no supplier: all suppliers share one queue. The other operations without it have the name in the path.
  const { request } = operations[operation];
  const has = (name: string) =>
    request !== undefined && variantsOf(request).some((one) => variantsInside(one, name).length > 0);
  const supplier = ['import_supplier', 'import_supplier_code'].find((name) => has(name) || name in params);
  return { supplier: supplier && text(supplier), account: text('external_account_number') };
}

/** Returns path and query of a URL in normal form. */
function pathOf(url: string): string {
  return url.slice(url.indexOf('/', url.indexOf('://') + 3));
}

/** A bug in the sandbox, or an error of the `wait` option: answered with 500, so that the caller sees the reason. */
function internalError(error: unknown): Outcome {
  return failed(500, 'sandbox_failed', `The sandbox itself failed: ${(error as Error).message}`);
}

/** U28: has a Retry-After header only if the setting gives one. */
function tooManyProcessCalls({ retryAfterSeconds }: SandboxSettings): Outcome {
  const headers = retryAfterSeconds === null ? undefined : { 'Retry-After': String(retryAfterSeconds) };
  const detail = 'Too many accounts are being processed. Retry after others finish.';
  return failed(429, 'concurrency_limit_exceeded', detail, headers);
}
