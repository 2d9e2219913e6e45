/**
 * Exports `SessionLog`, which writes start, progress and end of a session into the run folder. All sessions of
 * a run share run.json, audit.log and the throttle samples.
 */
import type { LedgerRecord } from '../../ledger/ledger.js';
import type { FailureCause, NotAccepted, RecordEvent } from '../../record/events/record-event.js';
import { endsRecord } from '../../record/events/record-state.js';
import { createFailureNotes, type FailureNotes } from '../../shared/connection-failure.js';
import { counted } from '../../shared/format.js';
import type { Sample } from '../../throttle/samples.js';
import type { ContinueWith, EndState, RunFacts, TransactionsQuery } from '../report.js';
import type { LineCounts } from '../summary/line-counts.js';
import type { RunFolder } from './run-folder.js';
import { appendSession, type SessionSamples } from './session-samples.js';

/** Facts about a session at its start. */
export interface SessionFacts extends Pick<RunFacts, 'versions' | 'configuration' | 'steps'> {
  continueWith: ContinueWith;
  /** Query parameters of transactions.create in this session. */
  transactionsQuery: Readonly<Record<keyof TransactionsQuery, boolean>>;
  /** Whether its input is corrected lines. */
  isRetry?: boolean;
}

/** How a session ended. */
interface SessionEnd {
  state: EndState;
  reason: string | undefined;
  /** What the service did not accept, if that ended the session. */
  notAccepted?: NotAccepted | undefined;
  lines: LineCounts;
  /** Whether the session reached every line of its input. */
  isInputRead?: boolean;
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
export async function beginSession(facts: SessionFacts, run: SessionOfRun): Promise<SessionLog> {
  const former = await run.folder.readRun();
  const samplesBefore = await run.folder.readSessionSamples();
  const { isRetry = false, continueWith, ...stored } = facts;
  const startedAt = run.now().toISOString();
  const begun: RunFacts = {
    ...stored,
    continueWith: continueWith({ state: 'running', notAccepted: undefined }),
    runCommand: runCommandOf(facts, former),
    runAgainWith: isRetry ? (former?.runAgainWith ?? []) : [],
    beganAt: former?.beganAt ?? startedAt,
    startedAt,
    endedAt: null,
    state: 'running',
    reason: null,
    transactionsQuery: queryOfAll(former?.transactionsQuery, facts.transactionsQuery),
    isInputRead: isRetry ? former?.isInputRead : false,
    // The same input has the same lines, also if this session does not come to its end.
    lines: former?.lines ?? null,
  };
  const log = new SessionLog(run, facts, begun, samplesBefore);
  await run.folder.writeRun(begun);
  // The lock of the ledger is held, so no process executes that session any more.
  if (former?.state === 'running') {
    await log.note(
      `the session of ${former.startedAt} did not come to its end: its process was killed, or the machine stopped`,
    );
  }
  await log.note(`${former === undefined ? 'began' : 'resumed'}${queryInWords(facts.transactionsQuery)}`);
  return log;
}

export class SessionLog {
  readonly #run: SessionOfRun;
  readonly #facts: SessionFacts;
  #begun: RunFacts;
  readonly #samplesBefore: SessionSamples;
  readonly #failures: FailureNotes;
  #requests = 0;
  #records = 0;
  #savedAt: number;
  #saving: Promise<void> = Promise.resolve();

  /** `begun`: run.json at the start of the session. `samplesBefore`: those of earlier sessions. */
  constructor(run: SessionOfRun, facts: SessionFacts, begun: RunFacts, samplesBefore: SessionSamples) {
    this.#run = run;
    this.#facts = facts;
    this.#begun = begun;
    this.#samplesBefore = samplesBefore;
    // A log that cannot be written is no reason to end a run.
    this.#failures = createFailureNotes(run.host, (text) => void this.note(text).catch(() => {}));
    this.#savedAt = run.now().getTime();
  }

  /** Writes a line to audit.log. */
  note(what: string): Promise<void> {
    const { folder, now } = this.#run;
    return folder.audit.append({ at: now().toISOString(), by: 'run', what });
  }

  /** The input is read: `lines` are those without a separate record. A process that is killed from now on leaves their numbers. */
  async loaded(lines: LineCounts): Promise<void> {
    this.#begun = { ...this.#begun, lines };
    await this.#run.folder.writeRun(this.#begun);
  }

  /** A request was sent. */
  request(): void {
    this.#requests++;
  }

  event(record: LedgerRecord, event: RecordEvent): void {
    if (endsRecord(record, event)) this.#records++;
    this.#saveSamples();
  }

  /** Call it for each record that ends at another worker. */
  ended(): void {
    this.#records++;
    this.#saveSamples();
  }

  /** Call it for each request without a usable answer. Notes the first of each cause in the audit log. */
  failed(cause: FailureCause): void {
    this.#failures.failed(cause);
  }

  end(end: SessionEnd): Promise<void> {
    const { state, reason, notAccepted, lines, isInputRead = false, hasEndedLines = false } = end;
    const { runAgainWith = [], openWith = [] } = end;
    const { isRetry = false } = this.#facts;
    // Accounts that waited for a corrected business are in the input, not among the corrected lines.
    const ofInput = isRetry ? [...this.#begun.runAgainWith, this.#begun.runCommand] : openWith;
    const own = this.#facts.continueWith({ state, notAccepted });
    const continueWith = (hasEndedLines ? ofInput[0] : undefined) || own;
    return this.#close(state, lines, reason, {
      runCommand: runCommandOf(this.#facts, this.#begun),
      ...{ continueWith, notAccepted, ...(!isRetry && { runAgainWith, isInputRead }) },
    });
  }

  /** The session ends with an error. */
  brokeOff(): Promise<void> {
    return this.#close('brokenOff', this.#begun.lines, undefined);
  }

  async #close(
    state: EndState | 'brokenOff',
    lines: LineCounts | null,
    reason: string | undefined,
    commands: Partial<RunFacts> = {},
  ): Promise<void> {
    const { folder, now } = this.#run;
    await this.#saving;
    await folder.writeSessionSamples(this.#samples());
    const endedAt = now().toISOString();
    await folder.writeRun({ ...this.#begun, endedAt, state, reason: reason ?? null, lines, ...commands });
    const said = state === 'brokenOff' ? 'aborted by an error' : state;
    const unanswered = this.#failures.inTotal();
    const sent = `${counted(this.#records, 'record')} ended, ${counted(this.#requests, 'request')} sent`;
    await this.note(
      `${said}${reason === undefined ? '' : `: ${reason}`}; ${sent}${unanswered === undefined ? '' : `; ${unanswered}`}`,
    );
  }

  #samples(): SessionSamples {
    return appendSession(this.#samplesBefore, this.#run.samples());
  }

  #saveSamples(): void {
    const { folder, now } = this.#run;
    const at = now().getTime();
    if (at - this.#savedAt < BETWEEN_SAVES_MS) return;
    this.#savedAt = at;
    // Charts are no reason to end a run: if the disk is full, the ledger says so.
    this.#saving = this.#saving.then(() => folder.writeSessionSamples(this.#samples())).catch(() => {});
  }
}

/** Returns the command of the last session of `run`. */
function runCommandOf({ isRetry = false, continueWith }: SessionFacts, former: RunFacts | undefined): string {
  return isRetry ? (former?.runCommand ?? '') : continueWith({ state: 'finished', notAccepted: undefined });
}

const QUERY_NAMES = ['check_previously_added', 'force_add_to_current_statement'] as const;

/** Returns the parameters of all sessions, with the new values of this session. */
function queryOfAll(former: TransactionsQuery | undefined, now: SessionFacts['transactionsQuery']): TransactionsQuery {
  const valuesOf = (name: keyof TransactionsQuery) => [...new Set([...(former?.[name] ?? []), now[name]])];
  return {
    check_previously_added: valuesOf('check_previously_added'),
    force_add_to_current_statement: valuesOf('force_add_to_current_statement'),
  };
}

/** Returns the parameters that differ from the defaults of the service, in words. */
function queryInWords(query: SessionFacts['transactionsQuery']): string {
  const off = QUERY_NAMES.filter((name) => !query[name]).map((name) => `${name}=false`);
  return off.length === 0 ? '' : `; transactions.create with ${off.join(' and ')}`;
}
