/**
 * What every member of a fleet does, the one that began the run as well: it answers the doorbell, claims the record in
 * the ledger, reads its line, and takes it as far as it goes by `runRecord`. What was begun under a lease that is lost
 * sends nothing more.
 */
import type { DataImportClient } from '../../client.js';
import type { CallSettings } from '../calls.js';
import { InFlightRecords, refreshInFlight, rememberInFlight } from '../in-flight-records.js';
import { type LedgerRecord, StaleRecordError } from '../ledger/ledger.js';
import { isEnd } from '../pace/ends.js';
import type { Pace } from '../pace/pace.js';
import type { PlanSettings } from '../plan.js';
import { HeldBackError, runRecord } from '../run-record.js';
import type { RecordEvent } from '../step.js';
import type { Bell, Doorbell } from './bell.js';
import { CannotJoinError } from './cannot-join-error.js';
import type { FirstAccountOfFleet } from './first-account-of-fleet.js';
import type { Claimed, FleetLedger } from './fleet-ledger.js';
import type { LineReader } from './line-reader.js';

export interface AtWorkParts {
  client: DataImportClient;
  ledger: FleetLedger;
  doorbell: Doorbell;
  lines: LineReader;
  pace: Pace;
  /** As the run does it; the signal is the lease's. */
  settings: Omit<CallSettings & PlanSettings, 'client' | 'signal'>;
  /** Until the service has taken the team of the run. */
  first?: Pick<FirstAccountOfFleet, 'firstAccount' | 'mayClaim'> | undefined;
  /** Records at a time. */
  recordsAtOnce: number;
  /** The token of a member that came from outside is its own matter; that of the one that began the run is the run's. */
  isCoordinator: boolean;
  now: () => Date;
  onEvent: (record: LedgerRecord, event: RecordEvent) => void;
  onNote: (note: string) => void;
}

export interface AtWork {
  /** Records that this member has now. */
  records(): number;
  /** Answers no bell any more; resolves when what was begun is ended or given back. */
  end(): Promise<void>;
  /** Breaks off what is under way. */
  breakOff(): void;
  /** Rejects where the ledger cannot be worked with; else it never settles. */
  failed: Promise<never>;
}

export function beginWork(parts: AtWorkParts): AtWork {
  const { client, ledger, doorbell, lines, pace, settings, first, recordsAtOnce } = parts;
  const { isCoordinator, now, onEvent, onNote } = parts;
  const { lease } = ledger;
  const inFlight = new InFlightRecords(client.inFlight, now);
  // Stored before its first request: whoever takes that over must know for how long it may run.
  const remembering = rememberInFlight(ledger, client.inFlight);
  // Whoever awaits it is told.
  remembering.catch(() => {});
  const broken = new AbortController();
  let records = 0;
  let fail: (error: unknown) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  // Whoever asks for it is told.
  failed.catch(() => {});
  const stopWatching = client.observe({
    // A machine that stood still finds out here: what was about to leave, such as another try, is broken off.
    onSend: () => void lease.isValid(lease.generation),
    onResponse({ operation, status, durationMs }) {
      lease.work.requests++;
      if (operation === 'accounts.process' && status !== undefined) void remembering.then((learned) => learned());
      if (status === 429) lease.work.throttled++;
      // What this worker breaks off itself says nothing of the service.
      if (!broken.signal.aborted) pace.answered({ operation, status, latencyMs: durationMs });
    },
  });
  let signal = { generation: -1, value: broken.signal };
  /** One for all records of a lease: each listens to it. */
  const signalOf = (generation: number): AbortSignal => {
    if (signal.generation !== generation) {
      signal = { generation, value: AbortSignal.any([lease.signal(), broken.signal]) };
    }
    return signal.value;
  };

  /** A book that is out of reach is so for all of its lines. */
  const told = new Set<string>();
  const tellOnce = (what: string) => {
    if (told.size < MOST_TOLD && !told.has(what)) onNote(`fleet: a record cannot be carried on: ${what}`);
    told.add(what);
  };

  async function answer(bell: Bell): Promise<void> {
    try {
      await remembering;
      if (bell.kind === 'account' && (await first?.mayClaim()) === false) return;
      const { generation } = lease;
      if (!pace.mayBegin() || broken.signal.aborted || !lease.isValid(generation)) return;
      const claimed = await ledger.claim(bell);
      if (claimed === undefined) return;
      records++;
      try {
        const { record } = claimed;
        // Another member may have sent its request.
        if (record.intent !== null && !inFlight.isWaiting(record)) await refreshInFlight(ledger, client.inFlight);
        await carry(claimed, generation);
      } finally {
        records--;
      }
    } catch (error) {
      // Another member has it: it knows what to do.
      if (!(error instanceof StaleRecordError)) fail(error);
    }
  }

  async function carry({ record, line, isTakenOver }: Claimed, generation: number): Promise<void> {
    if (isTakenOver) lease.work.takenOver++;
    // What was held back because a lease was lost says nothing of the service.
    const observe = (current: LedgerRecord, event: RecordEvent) => {
      if (!lease.isValid(generation)) return;
      const isOfToken = (event.happens === 'failed' || event.happens === 'questionFailed') && event.of === 'token';
      if (!isCoordinator && isOfToken) fail(tokenRefused());
      else pace.observe(current, event);
    };
    const read = line === undefined ? { failure: MISSING } : await lines.read(line, record.hash);
    if (!('record' in read)) {
      const what = 'failure' in read ? read.failure : read.problem.detail;
      tellOnce(what);
      observe(record, { happens: 'failed', step: 'check', code: 'line_unreadable' });
      return ledger.release(record);
    }
    const { record: stored } = await runRecord(record, read.record, {
      ...settings,
      inFlight,
      client,
      ledger,
      now,
      firstAccount: first?.firstAccount,
      signal: signalOf(generation),
      inTurn: (step, call) =>
        pace.inTurn(step, () => {
          if (lease.isValid(generation)) return call();
          throw new HeldBackError('migration: the lease of this member is over; another one goes on with its records.');
        }),
      onEvent(current, event) {
        if (isEnd(current, event)) lease.work.ended++;
        observe(current, event);
        onEvent(current, event);
      },
    });
    if (stored.end === null) await ledger.release(stored);
  }

  const answering = doorbell.answer(answer, recordsAtOnce);
  return {
    records: () => records,
    failed,
    async end() {
      await answering.close();
      stopWatching();
    },
    breakOff: () => broken.abort(),
  };
}

function tokenRefused(): CannotJoinError {
  return new CannotJoinError(
    'fleet: the service does not take the token of this worker, so it leaves; the others go on. Give it a valid one.',
    'notAccepted',
  );
}

const MOST_TOLD = 100;
const MISSING = 'its line was taken out of the database. Give the book again, with the command that began the run.';
