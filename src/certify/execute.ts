/**
 * Exports `execute`: one execution of a script against a new sandbox, with one disturbance or none. A script that is killed or ends
 * with another exit code than 0 is started again, as an operator would do.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import type { LogEntry } from '../sandbox/calls/request-log.js';
import { createSandbox, type Sandbox } from '../sandbox/sandbox.js';
import { expectKind } from '../validation/option-kinds.js';
import type { ImportRecord } from '../validation/records/import-record.js';
import { type Disturbance, OUTAGE, SIGNAL_MS } from './disturbances.js';

/** What a script is given at each start. */
export interface ScriptContext {
  /** Address of the sandbox, without `/v1/data-import/`. */
  baseUrl: string;
  /** A new token at each start. */
  token: string;
  /** Name of the operations team. */
  team: string;
  /** Import supplier code. */
  supplier: string;
  /** Path of the input: JSON Lines, a record in each. */
  input: string;
  /** Folder for the state of the script. It is empty at the first start, and is kept for the next ones. */
  folder: string;
  /** For so long the service may work on a request whose connection was lost, in milliseconds. */
  inFlightGraceMs: number;
  /** Time limit of one request, in milliseconds. */
  timeoutMs: number;
  /** Aborts when the script is killed, or does not end in time. A function must stop then. */
  signal: AbortSignal;
}

/** How one start of a script ended. */
export interface ScriptEnd {
  /** 0: the script says that all is done. null if it was killed. */
  exitCode: number | null;
  /** What it wrote to standard output and standard error. */
  output: string;
}

/** The script. It rejects, or returns an exit code other than 0, if something is left to do. */
export type Script = (context: ScriptContext) => Promise<ScriptEnd | undefined> | Promise<void>;

export interface Session extends ScriptEnd {
  /** In ms, as the times of the requests. */
  startedMs: number;
  token: string;
  /** It did not end in time. */
  isHanging: boolean;
}

/** `ms`: time since the first session started. */
export type TimedRequest = LogEntry & { ms: number };

export type Execution = Awaited<ReturnType<typeof execute>>;

export interface ExecutionOptions {
  script: Script;
  records: readonly ImportRecord[];
  suppliers: readonly string[];
  team: string;
  /** All times of a disturbed execution are multiplied by it, so that a slow machine disturbs nothing itself; 1 or more. */
  slowness: number;
  signal: AbortSignal;
}

const TOKEN_LIFETIME_S = 3600;
const IN_FLIGHT_GRACE_MS = 2000;
const REQUEST_TIMEOUT_MS = 2000;
/** Without a disturbance each request is answered, however slow the machine is. */
const CALM_REQUEST_TIMEOUT_MS = 30_000;
/** The slowness of a machine on which a request takes so long. */
export const MOST_SLOWNESS = CALM_REQUEST_TIMEOUT_MS / REQUEST_TIMEOUT_MS;
/** A script that runs for longer is killed. */
const SESSION_LIMIT_MS = 60_000;
/** Others run at the same time later, and each request has some steps. */
const SLOWNESS_FACTOR = 4;
const OUTAGE_MS = 3000;
const JUMP_MS = (TOKEN_LIFETIME_S + 1) * 1000;
const MOST_SESSIONS = 5;
/** A function gets so long to stop after it was killed. */
const STOP_MS = 5000;

export async function execute(disturbance: Disturbance | undefined, options: ExecutionOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'certify-'));
  const startedAt = performance.now();
  const service = openService(disturbance, options);
  const { sandbox } = service;
  const server = await sandbox.listen();
  try {
    const input = join(folder, 'input.jsonl');
    const lines = changed(options.records, disturbance).map((record) => `${JSON.stringify(record)}\n`);
    await writeFile(input, lines.join(''));
    const state = join(folder, 'state');
    await mkdir(state);
    const start = () => service.runSession({ baseUrl: server.url, input, folder: state });
    const sessions: Session[] = [];
    if (disturbance?.twice) sessions.push(...(await Promise.all([start(), start()])));
    else sessions.push(await start());
    service.endDisturbance();
    while (sessions.length < MOST_SESSIONS && !isDone(sessions, disturbance) && !options.signal.aborted) {
      // The first restart is at once: a request of the former session may still be running.
      if (sessions.length > 1) await pause(IN_FLIGHT_GRACE_MS * options.slowness, options.signal);
      const before = JSON.stringify(sandbox.state.suppliers);
      sessions.push(await start());
      const isUnchanged = JSON.stringify(sandbox.state.suppliers) === before;
      if (isUnchanged && sessions.length > 2) break;
    }
    await service.settled();
    const requests = service.requests();
    const ids = new Set(sandbox.faults.list().flatMap(({ id, fired }) => (fired > 0 ? [id] : [])));
    const hasFired = ids.size > 0 || service.hasSignalled();
    const hasHappened = disturbance === undefined || disturbance.faults.length === 0 || hasFired;
    const durationMs = performance.now() - startedAt;
    return { disturbance, sessions, requests, hasHappened, state: structuredClone(sandbox.state), durationMs };
  } finally {
    await server.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * Returns how slow the machine is with this script, from an execution without a disturbance. A request gets four times the longest time
 * without one, and what the whole takes: a script may do the rest before it comes back to a request that is still running.
 */
export function slownessOf({ requests, sessions, durationMs }: Execution): number {
  const moments = [...sessions.map(({ startedMs }) => startedMs), ...requests.map(({ ms }) => ms)].sort(
    (a, b) => a - b,
  );
  const longest = Math.max(...moments.map((moment, index) => moment - (moments[index - 1] ?? moment)));
  const limit = Math.min(CALM_REQUEST_TIMEOUT_MS, Math.max(longest * SLOWNESS_FACTOR, durationMs));
  // Whole seconds: not every timer takes a fraction of a millisecond.
  return Math.max(1, (Math.ceil(limit / 1000) * 1000) / REQUEST_TIMEOUT_MS);
}

/**
 * Returns whether the machine was too slow: the script sent its next request for the record after the disturbed one had ended, although it
 * had not waited for that. It cannot be distinguished from a script that waits then.
 */
export function wasTooSlow({ disturbance, requests, sessions }: Execution, slowness: number): boolean {
  const disturbed = requests.find(({ faults }) => faults.length > 0);
  if (disturbance?.runsMs === undefined || disturbed === undefined) return false;
  const next = requests.find(
    ({ id, ms, account }) => id !== disturbed.id && ms >= disturbed.ms && account === disturbed.account,
  );
  if (next === undefined) return false;
  const end = disturbed.ms + disturbance.runsMs * slowness;
  const restart = sessions.findLast(({ startedMs }) => startedMs <= next.ms)?.startedMs ?? 0;
  const graceMs = IN_FLIGHT_GRACE_MS * slowness;
  return next.ms >= end && (next.ms < disturbed.ms + graceMs || (restart >= end && next.ms < restart + graceMs));
}

/** After two at the same time, a third start does what both left. */
function isDone(sessions: readonly Session[], disturbance: Disturbance | undefined): boolean {
  const last = sessions.at(-1);
  if (last?.isHanging) return true;
  return last?.exitCode === 0 && !(disturbance?.twice && sessions.length === 2 && sessions[0]?.exitCode !== 0);
}

/** Returns the records with the change of the disturbance. */
function changed(records: readonly ImportRecord[], disturbance: Disturbance | undefined): ImportRecord[] {
  const all = structuredClone([...records]);
  const accounts = all.filter((record) => record.account !== undefined);
  const record = accounts[(disturbance?.nth ?? 1) - 1];
  if (disturbance?.input === undefined || record === undefined) return all;
  if (disturbance.input === 'duplicate') return [...all, structuredClone(record)];
  const [customer = {}, ...others] = record.account.customers ?? [];
  record.account = { ...record.account, customers: [{ ...customer, landline: 'see file' }, ...others] };
  return all;
}

/** A sandbox that does the disturbance, and the sessions of the script against it. */
function openService(disturbance: Disturbance | undefined, options: ExecutionOptions) {
  const { script, suppliers, team, slowness } = options;
  const running = new Set<AbortController>();
  const waits = new Set<Promise<void>>();
  const openedAt = Date.now();
  /** Times to which the clock was set forward, so that tokens end. */
  const jumps: number[] = [];
  let hasSignalled = false;
  let outage: NodeJS.Timeout | undefined;

  const sandbox: Sandbox = createSandbox({
    clock: 'machine',
    suppliers: suppliers.map((code) => ({ code })),
    teams: [team],
    showPersonalData: true,
    logLimit: 100_000,
    settings: { ...disturbance?.settings, tokenLifetimeSeconds: TOKEN_LIFETIME_S },
    faults: disturbance?.faults,
    async wait(ms) {
      if (ms % 1 === SIGNAL_MS) onSignal();
      const waiting = pause(Math.floor(ms) * slowness);
      waits.add(waiting);
      await waiting;
      waits.delete(waiting);
    },
  });

  /** No request with a token of before is accepted any more. */
  const endTokens = () => {
    sandbox.clock.advance(JUMP_MS);
    jumps.push(sandbox.clock.now().getTime());
  };
  const timeOf = (at: number) => at - openedAt - JUMP_MS * jumps.filter((jump) => jump <= at).length;
  const onSignal = () => {
    hasSignalled = true;
    if (disturbance?.signal === 'outage') {
      const id = sandbox.faults.add(OUTAGE);
      outage = setTimeout(() => sandbox.faults.remove(id), OUTAGE_MS * slowness);
      return;
    }
    if (disturbance?.signal === 'kill') for (const session of running) session.abort();
    endTokens();
  };

  return {
    sandbox,
    hasSignalled: () => hasSignalled,
    /** Resolves when no request is running any more. */
    async settled() {
      while (waits.size > 0) await Promise.all(waits);
      await pause(10);
    },
    endDisturbance() {
      clearTimeout(outage);
      if (disturbance?.isLasting) return;
      // Those that fired stay in the list, for the verdict; they fire once.
      for (const { id, fired, when } of sandbox.faults.list()) {
        if (fired === 0 || when === undefined) sandbox.faults.remove(id);
      }
    },
    requests() {
      const timed = sandbox.requests().map((entry): TimedRequest => ({ ...entry, ms: timeOf(Date.parse(entry.at)) }));
      return timed.filter(({ operation }) => operation !== 'token').sort((one, other) => one.ms - other.ms);
    },
    async runSession({ baseUrl, input, folder }: Record<'baseUrl' | 'input' | 'folder', string>): Promise<Session> {
      const token = await newToken(sandbox);
      const startedMs = timeOf(sandbox.clock.now().getTime());
      const killed = new AbortController();
      running.add(killed);
      const signal = AbortSignal.any([killed.signal, options.signal]);
      let isHanging = false;
      const limit = setTimeout(() => {
        isHanging = true;
        killed.abort();
      }, SESSION_LIMIT_MS * slowness);
      const [supplier = ''] = suppliers;
      const timeoutMs = disturbance === undefined ? CALM_REQUEST_TIMEOUT_MS : REQUEST_TIMEOUT_MS * slowness;
      const times = { inFlightGraceMs: IN_FLIGHT_GRACE_MS * slowness, timeoutMs };
      try {
        const context = { baseUrl, token, team, supplier, input, folder, ...times, signal };
        const end = await endOf(script, context);
        return { ...end, exitCode: signal.aborted ? null : end.exitCode, startedMs, token, isHanging };
      } finally {
        clearTimeout(limit);
        running.delete(killed);
      }
    },
  };
}

/** Resolves when the script has ended; a function that was killed must stop; it is not waited for forever. */
async function endOf(script: Script, context: ScriptContext): Promise<ScriptEnd> {
  const ended = (async () => script(context))().then(
    (end): ScriptEnd => {
      const given = end ?? { exitCode: 0, output: '' };
      expectKind('certify: output of the result of run', given.output, 'string');
      return given;
    },
    (error: unknown): ScriptEnd => {
      if (error instanceof CannotStartError) throw error;
      return { exitCode: 1, output: String((error as Error | undefined)?.message ?? error) };
    },
  );
  const killed = new Promise<ScriptEnd>((resolve) => {
    const leave = () => setTimeout(() => resolve({ exitCode: null, output: '' }), STOP_MS).unref();
    if (context.signal.aborted) leave();
    else context.signal.addEventListener('abort', leave, { once: true });
  });
  return Promise.race([ended, killed]);
}

/** The script cannot be started at all. */
export class CannotStartError extends Error {
  override readonly name = 'CannotStartError';
}

async function newToken({ fetch, apiKey, graphqlPath }: Sandbox): Promise<string> {
  const query = 'mutation ($input: ObtainTokenInput!) { obtainToken(input: $input) { token } }';
  const answer = await fetch(`http://sandbox${graphqlPath}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, variables: { input: { apiKey } } }),
  });
  const { data } = (await answer.json()) as { data: { obtainToken: { token: string } } };
  return data.obtainToken.token;
}

/** Resolves after the time, or when the signal aborts. */
async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await after(ms, undefined, signal && { signal }).catch(() => {});
}
