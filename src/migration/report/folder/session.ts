/**
 * One session of a run: from the start of the command to its end. All sessions of a run share run.json, audit.log and
 * the throttle samples.
 */

import type { LedgerRecord } from '../../ledger/ledger.js';
import type { FailureCause, NotAccepted, RecordEvent } from '../../record/events/record-event.js';
import { createFailureNotes } from '../../shared/connection-failure.js';
import { counted } from '../../shared/format.js';
import { endsRecord } from '../../record/events/record-state.js';
import type { Sample } from '../../throttle/samples.js';
import type { EndState, RunFacts, TransactionsQuery } from '../report.js';
import type { LineCounts } from '../summary/line-counts.js';
import type { RunFolder } from './run-folder.js';
import { appendSession, type SessionSamples } from './session-samples.js';

/** Facts about a session at its start. */
export interface SessionFacts extends Pick<RunFacts, 'continueWith' | 'versions' | 'configuration' | 'steps'> {
  /** The command that continues the session while it runs, and where it did not finish. */
  continueUnfinishedWith: (notAccepted: NotAccepted | undefined) => string;
  /** Query parameters of transactions.create in this session. */
  transactionsQuery: Readonly<Record<keyof TransactionsQuery, boolean>>;
  /** Whether it was given corrected lines, and not the input. */
  isRetry?: boolean;
}

export interface Session {
  /** A request leaves. */
  request(): void;
  event(record: LedgerRecord, event: RecordEvent): void;
  /** A record ended at another worker of the run. */
  ended(): void;
  end(how: SessionEnd): Promise<void>;
  /** A request ended without a usable answer. Each cause is noted in the audit log when it comes for the first time. */
  failed(cause: FailureCause): void;
  /** By an error. */
  brokeOff(): Promise<void>;
}

/** How a session ended. */
interface SessionEnd {
  state: EndState;
  reason: string | undefined;
  /** What the service did not accept, where that ended it. */
  notAccepted?: NotAccepted | undefined;
  lines: LineCounts;
  /** Every record of the lines that it was given has ended, though others of the run have not. */
  hasEndedLines?: boolean;
  /** Commands whose inputs have the records and lines that are left. Of a retry those of the session before are kept. */
  runAgainWith?: readonly string[];
  /** Of these, the ones with records of another input that have not ended. */
  openWith?: readonly string[];
}

/** A run that is killed loses this much of its plots, and nothing else. */
const BETWEEN_SAVES_MS = 30_000;

export async function beginSession(
  folder: RunFolder,
  { isRetry = false, continueUnfinishedWith, ...facts }: SessionFacts,
  { samples }: { samples: () => readonly Sample[] },
  now: () => Date,
  host: string,
): Promise<Session> {
  const former = await folder.readRun();
  const before = await folder.readSessionSamples();
  const startedAt = now().toISOString();
  const begun: RunFacts = {
    ...facts,
    continueWith: continueUnfinishedWith(undefined),
    runCommand: isRetry ? (former?.runCommand ?? '') : facts.continueWith,
    retryCommand: isRetry ? facts.continueWith : (former?.retryCommand ?? ''),
    runAgainWith: isRetry ? (former?.runAgainWith ?? []) : [],
    beganAt: former?.beganAt ?? startedAt,
    startedAt,
    endedAt: null,
    state: 'running',
    reason: null,
    transactionsQuery: queryOfAll(former?.transactionsQuery, facts.transactionsQuery),
    // The same book has the same lines, also where this session does not come to its end.
    lines: former?.lines ?? null,
  };
  const sessions = (): SessionSamples => appendSession(before, samples());
  const note = (what: string) => folder.audit.append({ at: now().toISOString(), by: 'run', what });
  // The log is no reason to end a run either.
  const failures = createFailureNotes(host, (text) => void note(text).catch(() => {}));
  let requests = 0;
  let records = 0;
  let savedAt = now().getTime();
  let saving: Promise<void> = Promise.resolve();

  const close = async (
    state: EndState | 'brokenOff',
    lines: LineCounts | null,
    reason: string | undefined,
    commands: Partial<Pick<RunFacts, 'continueWith' | 'runAgainWith'>> = {},
  ): Promise<void> => {
    await saving;
    await folder.writeSessionSamples(sessions());
    const endedAt = now().toISOString();
    await folder.writeRun({ ...begun, endedAt, state, reason: reason ?? null, lines, ...commands });
    const said = state === 'brokenOff' ? 'broken off by an error' : state;
    const unanswered = failures.inTotal();
    const sent = `${counted(records, 'record')} ended, ${counted(requests, 'request')} sent`;
    await note(
      `${said}${reason === undefined ? '' : `: ${reason}`}; ${sent}${unanswered === undefined ? '' : `; ${unanswered}`}`,
    );
  };

  const keepPlots = () => {
    const at = now().getTime();
    if (at - savedAt < BETWEEN_SAVES_MS) return;
    savedAt = at;
    // Plots are no reason to end a run: where the disk is full, the ledger says so.
    saving = saving.then(() => folder.writeSessionSamples(sessions())).catch(() => {});
  };

  await folder.writeRun(begun);
  await note(`${former === undefined ? 'began' : 'resumed'}${queryInWords(facts.transactionsQuery)}`);
  return {
    request: () => void requests++,
    event(record, event) {
      if (endsRecord(record, event)) records++;
      keepPlots();
    },
    ended() {
      records++;
      keepPlots();
    },
    failed: failures.failed,
    end({ state, reason, notAccepted, lines, hasEndedLines = false, runAgainWith = [], openWith = [] }) {
      // Accounts that waited for a corrected business are in the input, and not among the corrected lines.
      const ofInput = isRetry ? [...begun.runAgainWith, begun.runCommand] : openWith;
      const own = state === 'finished' ? facts.continueWith : continueUnfinishedWith(notAccepted);
      const continueWith = (hasEndedLines ? ofInput[0] : undefined) || own;
      return close(state, lines, reason, { continueWith, ...(!isRetry && { runAgainWith }) });
    },
    brokeOff: () => close('brokenOff', begun.lines, undefined),
  };
}

const QUERY_NAMES = ['check_previously_added', 'force_add_to_current_statement'] as const;

/** With the values of this session, where no earlier one had them. */
function queryOfAll(former: TransactionsQuery | undefined, now: SessionFacts['transactionsQuery']): TransactionsQuery {
  const valuesOf = (name: keyof TransactionsQuery) => [...new Set([...(former?.[name] ?? []), now[name]])];
  return {
    check_previously_added: valuesOf('check_previously_added'),
    force_add_to_current_statement: valuesOf('force_add_to_current_statement'),
  };
}

/** What differs from the defaults of the service. */
function queryInWords(query: SessionFacts['transactionsQuery']): string {
  const off = QUERY_NAMES.filter((name) => !query[name]).map((name) => `${name}=false`);
  return off.length === 0 ? '' : `; transactions.create with ${off.join(' and ')}`;
}
