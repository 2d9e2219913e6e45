/**
 * Exports `openSession`, which prepares one session of a run: it logs the start of the session in the run folder, and reads the state
 * of earlier sessions from the ledger.
 */
import type { Callbacks } from '../../../callbacks.js';
import { expectKind } from '../../../validation/option-kinds.js';
import { VERSION } from '../../../version.js';
import type { BegunRun } from '../../distributed/coordinator.js';
import { readCorrectedLines } from '../../input/read-corrected-lines.js';
import type { Ledger, LedgerRecord } from '../../ledger/ledger.js';
import type { RecordEvent } from '../../record/events/record-event.js';
import { createFirstAccount, isAcceptedTeam, storeAcceptedTeam } from '../../record/preconditions/first-account.js';
import type { InFlightRecords } from '../../record/preconditions/quiet-time.js';
import { createRefusedSuppliers } from '../../record/preconditions/refused-suppliers.js';
import { settingsOf } from '../../record/steps/call-settings.js';
import type { RunFolder } from '../../report/folder/run-folder.js';
import { beginSession, type SessionFacts } from '../../report/folder/session-log.js';
import type { ContinueWith } from '../../report/report.js';
import { AmountTally } from '../../report/summary/amount-totals.js';
import { tallyInput } from '../../report/summary/input-report.js';
import { noItemTotals } from '../../report/summary/item-totals.js';
import type { Throttle } from '../../throttle/throttle.js';
import { knownSuppliers } from '../known-suppliers.js';
import { type MigrationOptions, stepsOf } from '../options.js';
import { checkRulesOf } from '../recheck-rejected.js';
import { countIgnoredLines, type ReadProgress } from './read-progress.js';

/** Resources of a session. The caller opens and closes them. */
export interface SessionParts {
  runFolder: RunFolder;
  ledger: Ledger;
  throttle: Throttle;
  distributed: BegunRun | undefined;
  /** Receives the events of a distributed run at this process, which may begin before the input is read. */
  listener: { onEvent: (record: LedgerRecord, event: RecordEvent) => void };
  inFlight: InFlightRecords;
  readProgress: ReadProgress;
  /** The functions of the caller. */
  callbacks: Callbacks;
  /** The files of the input as they were before they were read. */
  filesToRead: string | undefined;
  now: () => Date;
}

/** The state of one session. */
export type OpenSession = Awaited<ReturnType<typeof openSession>>;

/** Rejects if the run folder, the ledger or the corrected lines cannot be read. */
export async function openSession(options: MigrationOptions, parts: SessionParts) {
  const { runFolder, ledger, throttle, distributed, now } = parts;
  const signal: AbortSignal = options.signal ?? new AbortController().signal;
  const continueWith = continueWithOf(options);
  const log = await beginSession(factsOf(options), {
    ...{ folder: runFolder, samples: () => throttle.samples(), now, host: options.client.host },
  });
  const corrected = options.retry ? readCorrectedLines(options.input) : undefined;
  const suppliers = await knownSuppliers(ledger);
  const checkRules = await checkRulesOf(ledger, options.profile);
  const command = () => continueWith(FINISHED);
  const ofInput = { input: options.input, isWholeInput: corrected === undefined, command };
  const tally = await tallyInput(runFolder, ofInput);
  let acceptedTeamStored: Promise<unknown> = Promise.resolve();
  const isTeamKnown = await isAcceptedTeam(ledger, options.team);
  const onAccepted = () => {
    acceptedTeamStored = storeAcceptedTeam(ledger, options.team).catch(() => {});
  };
  return {
    ...parts,
    ...{ options, continueWith, signal, corrected, log, tally, checkRules },
    /** The input that is read: corrected lines, or that of the options. */
    input: corrected ?? options.input,
    /** Suppliers of all sessions; stored in the ledger. */
    suppliers,
    ...{ ignoredLines: countIgnoredLines(), itemsRead: noItemTotals(), amountsRead: new AmountTally() },
    /** Suppliers of the records of this session. */
    seenSuppliers: new Set<string>(),
    /** undefined for a distributed run: it ends as a whole, because its workers take records of any supplier. */
    refusedSuppliers: distributed === undefined ? createRefusedSuppliers() : undefined,
    /** undefined if the service has accepted the team. */
    firstAccount: isTeamKnown ? undefined : createFirstAccount({ onAccepted }),
    /** Resolves when the accepted team is stored. If that fails, the next session tries its first account once more. */
    acceptedTeamStored: () => acceptedTeamStored,
  };
}

export const FINISHED = { state: 'finished', notAccepted: undefined } as const;

function continueWithOf({ continueWith = '' }: MigrationOptions): ContinueWith {
  if (typeof continueWith === 'string') return () => continueWith;
  return (end) => {
    const command: unknown = continueWith(end);
    // run.json could not be read with another value, such as a promise.
    expectKind('runMigration: continueWith: the result of the function', command, 'string');
    return command as string;
  };
}

function factsOf(options: MigrationOptions): SessionFacts {
  const { configuration = {} } = options;
  const versions = { 'data-import-sdk': VERSION, node: process.version };
  const { check_previously_added, force_add_to_current_statement } = settingsOf(options);
  const transactionsQuery = { check_previously_added, force_add_to_current_statement };
  const isRetry = options.retry ?? false;
  const continueWith = continueWithOf(options);
  return { continueWith, versions, configuration, steps: stepsOf(options), transactionsQuery, isRetry };
}
