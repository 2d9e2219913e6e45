/**
 * What every operation goes through: token, body, faults, shape, the limit on processing, and then, alone among the
 * calls of its supplier, the rule and the commit. The service's own rules stand in `rules/`.
 */
import { type OperationName, operations } from '../../../schemas/operations.js';
import { ruleOf } from '../rules/rule-of-operation.js';
import { refuseToken } from '../server/access-tokens.js';
import { type JsonBody, readJsonBody } from '../server/json-body.js';
import { type Reply, toReply } from '../server/reply.js';
import type { ServiceRequest } from '../server/service-request.js';
import { answerTokenCall } from '../server/token-call.js';
import { drawDuration } from '../settings/duration.js';
import type { SandboxConfig } from '../settings/sandbox-options.js';
import { type SandboxSettings, watchSettings } from '../settings/settings.js';
import type { SandboxClock } from '../state/clock.js';
import { type FaultPlan, type FaultTarget, planFaults } from '../state/fault-rules.js';
import type { Ids } from '../state/generated-ids.js';
import type { PassTime } from '../state/scheduled-changes.js';
import type { Store } from '../state/store.js';
import { commit, type Outcome } from './call.js';
import { checkShape } from './check-shape.js';
import { failed, inForm, invalidRequest } from './error-answers.js';
import { createLock, takeTime } from './lock.js';
import type { Processing } from './process-slots.js';
import type { Log } from './request-log.js';
import { createAtWork, workOf } from './slow-calls.js';

export interface Core {
  /** undefined where a fault closes the connection. */
  answer(operation: OperationName, request: ServiceRequest, params: Readonly<Record<string, string>>): Promise<Answer>;
  /** The GraphQL call; it needs no token. */
  answerTokenCall(request: ServiceRequest, body: JsonBody): Promise<Answer>;
  /** Answers where there is no operation: a path or a method that does not exist (U1). */
  answerWith(outcome: Outcome, request: ServiceRequest): Reply;
}

type Answer = Reply | undefined;

interface CoreParts {
  /** Name of the state: what a token must carry to be taken. */
  name: string;
  config: SandboxConfig;
  clock: SandboxClock;
  ids: Ids;
  log: Log;
  processing: Processing;
  passTime: PassTime;
  /** The store of the moment: a reset puts another in its place. */
  store: () => Store;
}

/** What becomes known of a request on its way. */
interface Course {
  operation: FaultTarget | null;
  now: Date;
  settings: SandboxSettings;
  /** The body, where it is JSON. */
  text: string | null;
  supplier: string | undefined;
  account: string | undefined;
  unlisted: readonly string[];
  faults: readonly string[];
}

export function createCore({ name, config, clock, ids, log, processing, passTime, store }: CoreParts): Core {
  const lock = createLock();
  const atWork = createAtWork(config, clock);

  /** Runs a request to its end, and writes it down. */
  async function withLog(
    request: ServiceRequest,
    operation: FaultTarget,
    task: (course: Course) => Promise<Outcome>,
  ): Promise<Answer> {
    const now = clock.now();
    passTime(store().state, now);
    const { settings, assumed } = watchSettings(config.settings);
    const course: Course = {
      operation,
      now,
      settings,
      text: null,
      supplier: undefined,
      account: undefined,
      unlisted: [],
      faults: [],
    };
    const outcome = inForm(await task(course).catch(sandboxFailed), config.settings, settings);
    const reply = write(request, course, outcome, assumed());
    return outcome.onTheWay === 'drop' ? undefined : reply;
  }

  function write(request: ServiceRequest, course: Course, outcome: Outcome, assumed: readonly string[]): Reply {
    const { operation, now, text, supplier, account, unlisted, faults } = course;
    const reply = toReply(outcome);
    log.add({
      at: now.toISOString(),
      rule: ruleIds.get(operation) ?? 'C1',
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

  function latencyOf({ operation, supplier, account }: Course): number {
    const { latencyMs } = config.settings;
    return latencyMs === 0
      ? 0
      : drawDuration(latencyMs, ids, JSON.stringify(['latency', operation, supplier, account]));
  }

  /** What latency and faults do around the task. */
  async function amongFaults(
    request: ServiceRequest,
    course: Course,
    plan: FaultPlan,
    task: (waitBefore: () => Promise<void>) => Promise<Outcome>,
  ): Promise<Outcome> {
    // The signal is asked for only where it is needed: on a server it is made on demand.
    const wait = async (ms: number) => (ms > 0 ? config.wait(ms, request.signal) : undefined);
    const waitBefore = plan.waitBefore + latencyOf(course);
    if (plan.before !== undefined) {
      await wait(waitBefore);
      return plan.before;
    }
    const outcome = await task(() => wait(waitBefore));
    await wait(plan.waitAfter);
    if (plan.after === undefined) return outcome;
    // What was done stays written down; the answer alone is another.
    return { ...plan.after(outcome), ...(outcome.change !== undefined && { change: outcome.change }) };
  }

  return {
    answer: (operation, request, params) =>
      withLog(request, operation, async (course) => {
        const { now, settings } = course;
        const header = request.headers.get('authorization');
        const scheme = config.settings.authScheme;
        const unauthorized = refuseToken({ operation, header, name, ids, now, scheme, settings });
        if (unauthorized !== undefined) return unauthorized;

        const hasBody = operations[operation].request !== undefined;
        const body: JsonBody = hasBody ? await readJsonBody(request) : { payload: {}, text: '' };
        if (hasBody && 'text' in body) course.text = body.text;
        Object.assign(course, keysOf(operation, 'payload' in body ? body.payload : {}, params));
        const { supplier, account } = course;
        const plan = planFaults(store(), { operation, supplier, account }, ids);
        course.faults = plan.ids;
        return amongFaults(request, course, plan, async (waitBefore) => {
          if ('refusal' in body) return body.refusal;
          const { payload, query, errors, unlisted } = checkShape(
            operation,
            body.payload,
            request.url,
            config.settings,
            settings,
          );
          course.unlisted = unlisted;
          if (errors.length > 0) return invalidRequest(operation, errors);

          const inTurn = async () => {
            await waitBefore();
            const { bucket } = config;
            const decide = async (at: Store): Promise<Outcome> => {
              // Written out: what follows a spread in a literal takes 5 to 20 us on Node 20.
              const call = { operation, payload, params, query, settings, ids, bucket, now, store: at };
              const outcome = ruleOf(operation)(call);
              await takeTime();
              return outcome;
            };
            const alone = <Result>(task: () => Promise<Result>) => lock(supplier ?? '', task);
            const work = workOf(course, payload, config.settings, ids);
            if (work !== undefined) return atWork({ ...work, settings, now, request, alone }, store(), decide);
            const decideAndCommit = async () => {
              const at = store();
              return commit(at, await decide(at), now);
            };
            return operations[operation].method === 'GET' ? decideAndCommit() : alone(decideAndCommit);
          };
          const { processConcurrency } = config.settings;
          if (operation !== 'accounts.process') return inTurn();
          const isFree = processConcurrency === null || (payload['dry_run'] === true && !settings.dryRunCounts);
          return (await processing.run(isFree ? null : processConcurrency, inTurn)) ?? overLimit(settings);
        });
      }),

    answerTokenCall: (request, body) =>
      withLog(request, 'token', async (course) => {
        const { now, settings } = course;
        if ('text' in body) course.text = body.text;
        const plan = planFaults(store(), { operation: 'token', supplier: undefined, account: undefined }, ids);
        course.faults = plan.ids;
        return amongFaults(request, course, plan, async (waitBefore) => {
          await waitBefore();
          return 'refusal' in body ? body.refusal : answerTokenCall(body.payload, { name, settings, ids, now });
        });
      }),

    answerWith(outcome, request) {
      const course = { operation: null, now: clock.now(), settings: config.settings, text: null };
      const keys = { supplier: undefined, account: undefined, unlisted: [], faults: [] };
      return write(request, { ...course, ...keys }, outcome, ['U1']);
    },
  };
}

/** The checks of the acceptance page: E1 to E14 in the order of the table, C6 for the token. */
const ruleIds: ReadonlyMap<FaultTarget | null, string> = new Map<FaultTarget, string>([
  ...Object.keys(operations).map((name, index) => [name as OperationName, `E${index + 1}`] as const),
  ['token', 'C6'],
]);

/** The document gives the supplier two names. */
const CALLED_IMPORT_SUPPLIER: readonly OperationName[] = [
  'accounts.validate',
  'accounts.stage',
  'notes.create',
  'transactions.create',
  'historicalStatements.create',
  'paymentInstructions.create',
];

/** By the name that the operation has: where unknown fields are taken (U6), the other one may say something else. */
function keysOf(
  operation: OperationName,
  payload: Readonly<Record<string, unknown>>,
  params: Readonly<Record<string, string>>,
) {
  const text = (name: string) => {
    const value = params[name] ?? payload[name];
    return typeof value === 'string' ? value : undefined;
  };
  // Populate has none: its queue is one for all suppliers.
  const isPopulate = operation === 'supplyPoints.populate';
  const name = CALLED_IMPORT_SUPPLIER.includes(operation) ? 'import_supplier' : 'import_supplier_code';
  return { supplier: isPopulate ? undefined : text(name), account: text('external_account_number') };
}

/** Everything behind the host. A Request's URL is in normal form already. */
function pathOf(url: string): string {
  return url.slice(url.indexOf('/', url.indexOf('://') + 3));
}

/** A mistake of the sandbox, or of the `wait` that it was given: told of, instead of a connection that just ends. */
function sandboxFailed(error: unknown): Outcome {
  return failed(500, 'sandbox_failed', `The sandbox itself failed: ${(error as Error).message}`);
}

/** U28: Retry-After only where the setting says so. */
function overLimit({ retryAfterSeconds }: SandboxSettings): Outcome {
  const headers = retryAfterSeconds === null ? undefined : { 'Retry-After': String(retryAfterSeconds) };
  const detail = 'Too many accounts are being processed. Retry after others finish.';
  return failed(429, 'concurrency_limit_exceeded', detail, headers);
}
