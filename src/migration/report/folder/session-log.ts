/**
 * Exports `beginSession`, whose log writes start, progress and end of a session into the run folder. All sessions of
 * a run share run.json, audit.log and the throttle samples.
 */
import type { LedgerRecord } from '../../ledger/ledger.js';
import type { NotAccepted, RecordEvent } from '../../record/events/record-event.js';
import { endsRecord } from '../../record/events/record-state.js';
import { createFailureNotes } from '../../shared/connection-failure.js';
import { counted } from '../../shared/format.js';
import type { Sample } from '../../throttle/samples.js';
import { type ContinueWith, type EndState, QUERY_NAMES, type RunFacts, type TransactionsQuery } from '../report.js';
import type { LineCounts } from '../summary/line-counts.js';
import type { RunFolder } from './run-folder.js';
import { appendSession } from './session-samples.js';

/** Facts about a session at its start. */
export interface SessionFacts extends Pick<RunFacts, 'versions' | 'configuration' | 'steps'> {
  continueWith: ContinueWith;
  /** Query parameters of transactions.create in this session. */
  transactionsQuery: Readonly<Record<keyof TransactionsQuery, boolean>>;
  /** Whether its input is corrected lines. */
  isRetry?: boolean;
}

/** How a session ended. */
export interface SessionEnd {
  state: EndState;
  reason: string | undefined;
  /** What the service did not accept, if that ended the session. */
  notAccepted?: NotAccepted | undefined;
  lines: LineCounts;
  /** Whether all records of its lines have ended, although others of the run have not. */
  hasEndedLines?: boolean;
  /** Commands whose inputs have the remaining records and lines. After a retry, those of the session before are kept. */
  runAgainWith?: readonly string[];
  /** Those of `runAgainWith` whose inputs have unfinished records. */
  openWith?: readonly string[];
}

/** A run that is killed loses this much of its charts, and nothing else. */
const BETWEEN_SAVES_MS = 30_000;

/** What a session log needs of its run. */
export interface SessionOfRun {
  folder: RunFolder;
  /** The throttle samples of the session so far. */
  samples: () => readonly Sample[];
  now: () => Date;
  /** The host of the service. */
  host: string;
}

/** Writes the start of a session to run.json and audit.log, and returns its log. */
export async function beginSession(facts: SessionFacts, run: SessionOfRun) {
  const { folder, now } = run;
  const former = await folder.readRun();
  const samplesBefore = (await folder.read('samples')) ?? [];
  const { isRetry = false, continueWith, ...stored } = facts;
  const startedAt = now().toISOString();
  let begun: RunFacts = {
    ...stored,
    continueWith: continueWith({ state: 'running', notAccepted: undefined }),
    runCommand: runCommandOf(facts, former),
    runAgainWith: isRetry ? (former?.runAgainWith ?? []) : [],
    beganAt: former?.beganAt ?? startedAt,
    startedAt,
    ...{ endedAt: null, state: 'running', reason: null },
    transactionsQuery: queryOfAll(former?.transactionsQuery, facts.transactionsQuery),
    records: isRetry ? (former?.records ?? null) : null,
    // The same input has the same lines, also if this session does not come to its end.
    lines: former?.lines ?? null,
  };
  const note = (what: string) => folder.audit.append({ at: now().toISOString(), by: 'run', what });
  // A log that cannot be written is no reason to end a run.
  const failures = createFailureNotes(run.host, (text) => void note(text).catch(() => {}));
  let [requests, records, savedAt] = [0, 0, now().getTime()];
  let saving: Promise<unknown> = Promise.resolve();
  const writeSamples = () => folder.write('samples', appendSession(samplesBefore, run.samples()));
  const saveSamples = (): void => {
    const at = now().getTime();
    if (at - savedAt < BETWEEN_SAVES_MS) return;
    savedAt = at;
    // Charts are no reason to end a run: if the disk is full, the ledger says so.
    saving = saving.then(writeSamples).catch(() => {});
  };
  const close = async (state: EndState | 'brokenOff', facts: Partial<RunFacts>): Promise<RunFacts> => {
    await saving;
    const run: RunFacts = { ...begun, endedAt: now().toISOString(), state, ...facts };
    await folder.writeRun(run);
    await writeSamples();
    const said = state === 'brokenOff' ? 'aborted by an error' : state;
    const why = facts.reason ? `: ${facts.reason}` : '';
    const unanswered = failures.inTotal();
    const sent = `${counted(records, 'record')} ended, ${counted(requests, 'request')} sent`;
    await note(`${said}${why}; ${sent}${unanswered === undefined ? '' : `; ${unanswered}`}`);
    return run;
  };
  await folder.writeRun(begun);
  // The lock of the ledger is held, so no process executes that session any more.
  if (former?.state === 'running') {
    await note(
      `the session of ${former.startedAt} did not come to its end: its process was killed, or the machine stopped`,
    );
  }
  await note(`${former === undefined ? 'began' : 'resumed'}${queryInWords(facts.transactionsQuery)}`);
  return {
    /** Writes a line to audit.log. */
    note,
    /**
     * The input is read. `total`: of the ledger. `toBegin`: see `onLoaded`. `lines`: those without a separate record; undefined for a retry. A
     * process that is killed from now on leaves these numbers.
     */
    async loaded(total: number, toBegin: number | undefined, lines = begun.lines): Promise<void> {
      const before = isRetry ? begun.records : total;
      const records = toBegin === undefined ? (former?.records ?? null) : before === null ? null : before + toBegin;
      begun = { ...begun, lines, records };
      await folder.writeRun(begun);
    },
    /** A request was sent. */
    request: () => void requests++,
    event(record: LedgerRecord, event: RecordEvent): void {
      if (endsRecord(record, event)) records++;
      saveSamples();
    },
    /** Call it for each record that ends at another worker. */
    ended(): void {
      records++;
      saveSamples();
    },
    /** Call it for each request without a usable answer. Notes the first of each cause in the audit log. */
    failed: failures.failed,
    /** The session has begun every line of its input. `total`: of the ledger. */
    reached(total: number): void {
      if (!isRetry) begun = { ...begun, records: total };
    },
    /** Returns `records` of run.json. */
    records: () => begun.records,
    /** Resolves with what run.json has now. */
    end({ hasEndedLines = false, runAgainWith = [], openWith = [], ...end }: SessionEnd) {
      const { state, reason = null, notAccepted, lines } = end;
      // Accounts that waited for a corrected business are in the input, not among the corrected lines.
      const ofInput = isRetry ? [...begun.runAgainWith, begun.runCommand] : openWith;
      const next = (hasEndedLines ? ofInput[0] : undefined) || continueWith({ state, notAccepted });
      const commands = { continueWith: next, runCommand: runCommandOf(facts, begun) };
      // Also if an error follows, such as of a report that cannot be written.
      begun = { ...begun, lines };
      return close(state, { reason, notAccepted, ...commands, ...(!isRetry && { runAgainWith }) });
    },
    /** The session ends before anything is sent, because a question was not answered with yes. `reason`: what it was about. */
    refused: (reason: string) => close('stopped', { reason }),
    /** The session ends with an error. `reason`: why the input was refused; null for another error. */
    brokeOff: (reason: string | null = null) => close('brokenOff', { reason }),
  };
}

/** Returns the command of the last session of `run`. */
function runCommandOf({ isRetry = false, continueWith }: SessionFacts, former: RunFacts | undefined): string {
  return isRetry ? (former?.runCommand ?? '') : continueWith({ state: 'finished', notAccepted: undefined });
}

/** Returns the parameters of all sessions, with the new values of this session. */
function queryOfAll(former: TransactionsQuery | undefined, now: SessionFacts['transactionsQuery']): TransactionsQuery {
  const valuesOf = (name: keyof TransactionsQuery) => [...new Set([...(former?.[name] ?? []), now[name]])];
  return Object.fromEntries(QUERY_NAMES.map((name) => [name, valuesOf(name)] as const)) as unknown as TransactionsQuery;
}

/** Returns the parameters that differ from the defaults of the service, in words. */
function queryInWords(query: SessionFacts['transactionsQuery']): string {
  const off = QUERY_NAMES.filter((name) => !query[name]).map((name) => `${name}=false`);
  return off.length === 0 ? '' : `; transactions.create with ${off.join(' and ')}`;
}
