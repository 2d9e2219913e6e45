/** A migration from its book to its report: the runner put together, as the command line and other programs use it. */

import { resolve } from 'node:path';
import type { DataImportClient } from '../client.js';
import type { Profile } from '../validation/profile.js';
import { VERSION } from '../version.js';
import type { BegunRun, DistributedRun } from './distributed/coordinator.js';
import { expectDistributable } from './distributed/undistributable.js';
import { readCorrectedLines } from './input/corrected-lines.js';
import { expectRecords, noRecord } from './input/expect-records.js';
import type { Input, InputLine } from './input/source.js';
import { STDIN } from './input/text/input-files.js';
import { type Ledger, type LedgerRecord, STEPS, type Step } from './ledger/ledger.js';
import { openSqliteLedger } from './ledger/sqlite/sqlite-ledger.js';
import type { NotAccepted, RecordEvent } from './record/apply-event.js';
import { itemsIn } from './record/items/item-counts.js';
import { needsDryRun } from './record/preconditions/dry-run.js';
import { createFirstAccount, isAcceptedTeam, storeAcceptedTeam } from './record/preconditions/first-account.js';
import { InFlightRecords, rememberInFlight } from './record/preconditions/in-flight-records.js';
import { createRefusedSuppliers } from './record/preconditions/refused-suppliers.js';
import { LEDGER_FILE, NOT_IN_INPUT, openRunFolder, type RunFolder } from './report/folder/run-folder.js';
import { beginSession, type SessionFacts } from './report/folder/session.js';
import { writeReport } from './report/folder/write-report.js';
import type { EndState, RunFacts } from './report/report.js';
import { keepEarlierLines } from './report/result-files/earlier-lines.js';
import { createRemainingInputs } from './report/result-files/rejected-by-input.js';
import { earlierNotInInput } from './report/result-files/result-files.js';
import { tallyInput } from './report/summary/input-report.js';
import { addUnsent, noItemTotals } from './report/summary/item-totals.js';
import type { Summary } from './report/summary/summary.js';
import { expectSameNumbers } from './run/changed-mapping.js';
import { expectSameSources } from './run/changed-sources.js';
import { checkRulesOf } from './run/check-rules.js';
import { countIgnoredLines, type IgnoredLineCounts } from './run/ignored-lines.js';
import type { LineFinding } from './run/input-pass.js';
import { createReadProgress, type ReadProgress } from './run/read-progress.js';
import { runInput } from './run/run-input.js';
import { claimTarget, expectSharedSupplier, expectTarget, knownSuppliers } from './run/target.js';
import { failureInWords, failureOfEvent, failureOfResponse, NOT_UNDERSTOOD } from './shared/connection-failure.js';
import type { CompactEvent } from './throttle/compact-event.js';
import type { ThrottleOptions } from './throttle/settings.js';
import { createThrottle, type Throttle } from './throttle/throttle.js';

/** Of `runMigration` and `startMigration`. */
export interface MigrationOptions {
  /** The client that the run calls. It is watched while the run goes, and not closed. */
  client: DataImportClient;
  /** `openInput(paths)` for files, `inputFromRecords(records)` for records in code. */
  input: Input;
  /** Where the run leaves its ledger and its reports. The same folder continues the same run. */
  folder: string;
  /**
   * The service that receives the records: `sandbox`, or its address. A run folder belongs to one target; a run with
   * another target is refused. Pass `sandbox` for rehearsals, because each sandbox has a different port.
   * @default `client.baseUrl`
   */
  target?: string | undefined;
  /** The address that the service had, where it has moved since this run began. Noted in the audit log. */
  retarget?: string | undefined;
  /**
   * When the service started, where it is a sandbox in this process: a request that an earlier process sent ended with
   * the sandbox of that process, so nothing waits until it can no longer be running.
   * @default not known
   */
  serviceStartedAt?: Date | undefined;
  /** Operations team that processes the accounts. */
  team: string;
  /**
   * What the run remembers.
   * @default a SQLite ledger in the folder
   */
  ledger?: Ledger | undefined;
  /** `openDistributedRun(options)`, in place of `ledger`: workers on other machines import records too. */
  distributed?: DistributedRun | undefined;
  /** What your deployment demands beyond the document. */
  profile?: Profile | undefined;
  /**
   * Whether ledger and report keep the names of fields that neither the API specification nor the profile has, as the local
   * check finds them. Such a name may be personal data.
   * @default false: they are `*`
   */
  showPersonalData?: boolean | undefined;
  /**
   * Whether the platform validates each account before it is staged; staging applies the same rules.
   * @default false
   */
  validateRemotely?: boolean | undefined;
  /**
   * Accounts that are dry-run before they are processed: none, the first, all, or every Nth. No other account is
   * staged until the service has accepted the team for the first one, so a wrong team or token stages one account at
   * most.
   * @default 'first'
   */
  dryRun?: 'none' | 'first' | 'all' | number | undefined;
  /**
   * Whether a refused transaction is set aside, and the other transactions of its account are sent.
   * @default false
   */
  setAside?: boolean | undefined;
  /**
   * Whether businesses, payment instructions, statements and notes without a body are sent again after a 500. If the
   * service fails after its work was done, it then stores them twice. The API specification warns of this only for
   * payment instructions.
   * @default false
   */
  resendAfter500?: boolean | undefined;
  /**
   * Whether the service moves a transaction that is dated outside the open statement period into it; with false it rejects
   * that transaction. (Specification: Transactions, force_add_to_current_statement.)
   * @default true
   */
  forceAddToCurrentStatement?: boolean | undefined;
  /**
   * Whether the service skips transactions that it has. With false all transactions of an account go in one request, and
   * one without an answer ends as unknown: it is not sent again unless `resolve` says that it was not done.
   * (Specification: Transactions, check_previously_added.)
   * @default true
   */
  checkPreviouslyAdded?: boolean | undefined;
  /**
   * Whether items are sent to accounts that existed before this run, or whose line changed after this run created them:
   * notes and transactions, which the service skips where it has them, and statements and payment instructions to accounts
   * that this run created and sent none. `'all'` also sends statements and payment instructions to accounts that existed
   * before: the service does not skip these, so they are there twice where another run or a person has sent them.
   * @default false
   */
  addToExisting?: boolean | 'all' | undefined;
  /**
   * Transactions in one request.
   * @default 100
   */
  transactionsAtOnce?: number | undefined;
  /**
   * Statements per request; each request has its own intent in the ledger.
   * @default 100
   */
  statementsAtOnce?: number | undefined;
  /**
   * Notes per request; each request has its own intent in the ledger.
   * @default 100
   */
  notesAtOnce?: number | undefined;
  /** Concurrency, rate, time window, and what halts the run. */
  throttle?: ThrottleOptions | undefined;
  /**
   * Whether refused records and items are tried again even if their line is unchanged.
   * @default false
   */
  retryRejected?: boolean | undefined;
  /**
   * Whether the input is not the whole input of the run but corrected lines of it, as records or as entries of
   * rejected.jsonl and similar files. Only refused records and items are tried again; no new record is begun.
   * @default false
   */
  retry?: boolean | undefined;
  /**
   * Whether a query, or a file that it reads, may have changed since an earlier session of the run.
   * @default false: the run is refused
   */
  changedSources?: boolean | undefined;
  /** Imports only the first N records of the input, to look at the result before the whole run. */
  canary?: number | undefined;
  /** Aborts calls in flight. To let them finish, use `drain` of the throttle. */
  signal?: AbortSignal | undefined;
  /**
   * Called after each event of a record is on disk. `before`: the record as an earlier session left it, where this session
   * begins it anew (`changed`, `again`) or finds out that it was created (`settled`).
   */
  onEvent?: ((record: LedgerRecord, event: RecordEvent, before?: LedgerRecord) => void) | undefined;
  /** In a distributed run: called with the events of the other workers, a moment later. */
  onOthers?: ((event: CompactEvent) => void) | undefined;
  /** Called with every line that does not become a separate record. */
  onLine?: ((item: InputLine, finding: LineFinding) => void) | undefined;
  /** For run.json and the report; no secrets. */
  configuration?: RunFacts['configuration'] | undefined;
  /** The command that continues it, for run.json and the report. */
  continueWith?: string | undefined;
  /**
   * The command that continues a session while it runs, or that did not finish, where that is another one: with the same
   * `canary`, or with another team.
   * @default `continueWith`
   */
  continueUnfinishedWith?: ((notAccepted: NotAccepted | undefined) => string) | undefined;
  /**
   * What time it is, for ledger and reports.
   * @default the machine's clock
   */
  now?: (() => Date) | undefined;
}

/** What a run came to. */
export interface MigrationResult {
  /**
   * `finished`: every record has an outcome. `stopped`: it was drained or aborted. `halted`: the halt rules stopped
   * it. `unfinished`: records remain that something other than themselves blocked. The same options resume it.
   */
  state: EndState;
  /** Why it was halted, or is unfinished. */
  reason: string | undefined;
  /** What the platform does not accept, where that halted it. */
  notAccepted: NotAccepted | undefined;
  /** The balance of the whole book, also of former sessions of the run. */
  summary: Summary;
  /** With `retry`: lines of which nothing was done, by how their record ended; up to three of each as `file:line`. */
  ignoredLines: IgnoredLineCounts;
}

/** A running migration. */
export interface Migration {
  /** Pause, resume, set, drain; and how it stands. */
  throttle: Throttle;
  /** What the run remembers; closed when the run ends, unless it was given. */
  ledger: Ledger;
  /** @internal */
  inFlight: InFlightRecords;
  /** @internal */
  runFolder: RunFolder;
  /** Rejects if the ledger, the input or the run folder fails. The ledger has the state until then. */
  finished: Promise<MigrationResult>;
}

/**
 * Migrates a whole input into the service. After a crash, the same call resumes the run: no record is lost, and no
 * request is repeated that must not be. Resolves with the summary, also if records were rejected. Rejects if the run
 * folder, the ledger or the input cannot be used, and for an input without a record (an empty file, only a header, an
 * empty array), because an export that is empty by mistake must not count as a migration.
 *
 * @example
 * const input = await openInput(['accounts.jsonl']);
 * const { summary } = await runMigration({ client, input, folder: 'data-import-run', team: 'EAST' });
 * console.log(summary.balance.text);
 */
export async function runMigration(options: MigrationOptions): Promise<MigrationResult> {
  const { finished } = await startMigration(options);
  return finished;
}

/**
 * Starts a migration like `runMigration` and returns an object that controls it. Before anything is written it
 * rejects if the run folder or the ledger cannot be used, with a `RunTargetError` if they belong to another target or
 * input, with a `RangeError` that names an invalid option, and with "the input has no record" for an empty input. If
 * the input can be read only once, `finished` rejects for an empty input instead.
 */
export async function startMigration(options: MigrationOptions): Promise<Migration> {
  checkCounts(options);
  await expectRecords(options.input);
  if (options.distributed !== undefined) await expectDistributable(options.input);
  const runFolder = await openRunFolder(options.folder);
  const { now = () => new Date() } = options;
  const given = options.distributed?.ledger ?? options.ledger;
  const ledger = given ?? (await openSqliteLedger(runFolder.at(LEDGER_FILE), { now }));
  const close = async () => {
    if (given === undefined) await ledger.close();
  };
  try {
    await beginTarget(options, { runFolder, ledger, now });
  } catch (error) {
    await close();
    throw error;
  }
  const told = { onEvent: (_record: LedgerRecord, _event: RecordEvent) => {} };
  const distributed =
    options.distributed &&
    (await beginDistributed(options.distributed, options, now, (record, event) => told.onEvent(record, event)));
  const throttle = distributed?.pace ?? createThrottle(options.throttle);
  const inFlight = new InFlightRecords(options.client.inFlight, now, options.serviceStartedAt);
  const finished = carryOut(options, { runFolder, ledger, pace: throttle, distributed, told, inFlight, now }).finally(
    async () => {
      await distributed?.end();
      await close();
    },
  );
  // The caller awaits `finished` later; until then a rejection must not count as unhandled.
  finished.catch(() => {});
  return { throttle, ledger, inFlight, runFolder, finished };
}

interface Parts {
  runFolder: RunFolder;
  ledger: Ledger;
  pace: Throttle;
  distributed: BegunRun | undefined;
  /** Receives the events of a distributed run at this process, which may begin before the input is read. */
  told: { onEvent: (record: LedgerRecord, event: RecordEvent) => void };
  inFlight: InFlightRecords;
  now: () => Date;
}

/** Runs before the first request, and before workers learn about the run. */
async function beginTarget(
  { client, target = client.baseUrl, retarget, input, folder, retry, changedSources }: MigrationOptions,
  { runFolder, ledger, now }: Pick<Parts, 'runFolder' | 'ledger' | 'now'>,
): Promise<void> {
  await expectTarget(ledger, { target, retarget, folder });
  // Corrected lines may have any supplier; those of other runs are ignored.
  if (!retry) await expectSharedSupplier(ledger, input, folder);
  if (!retry) await expectSameNumbers(ledger, input, folder);
  if (!retry) await expectSameSources(ledger, input, { folder, areChangesAccepted: changedSources ?? false });
  await claimTarget(ledger, runFolder.audit, { target, retarget, folder, now });
}

async function carryOut(options: MigrationOptions, parts: Parts): Promise<MigrationResult> {
  const { runFolder, ledger, pace, distributed, told, inFlight, now } = parts;
  const { client, canary, signal = new AbortController().signal } = options;
  const session = await beginSession(runFolder, factsOf(options), pace, now, client.host);
  const corrected = options.retry ? readCorrectedLines(options.input) : undefined;
  const book = corrected ?? options.input;
  const ignoredLines = countIgnoredLines();
  const reach = createReadProgress();
  const itemsRead = noItemTotals();
  const suppliers = await knownSuppliers(ledger);
  const checkRules = await checkRulesOf(ledger, options.profile);
  const { continueWith = '' } = options;
  const ofInput = { book: options.input, isWholeInput: corrected === undefined, command: continueWith };
  const input = await tallyInput(runFolder, { ...ofInput, now });
  let acceptedTeamStored: Promise<unknown> = Promise.resolve();
  // Workers of a distributed run share one.
  const isTeamKnown = distributed !== undefined || (await isAcceptedTeam(ledger, options.team));
  const firstAccount = isTeamKnown
    ? undefined
    : createFirstAccount({
        onAccepted() {
          // Where it is not stored, the next session tries its first account once more.
          acceptedTeamStored = storeAcceptedTeam(ledger, options.team).catch(() => {});
        },
      });
  // A distributed run ends as a whole: its workers take records of any supplier.
  const refusedSuppliers = distributed === undefined ? createRefusedSuppliers() : undefined;
  const met = new Set<string>();
  let notAccepted: MigrationResult['notAccepted'];
  let lastFailure: Parameters<typeof failureInWords>[0] | undefined;
  const onEvent = (record: LedgerRecord, event: RecordEvent, before?: LedgerRecord) => {
    session.event(record, event);
    const isFailure = event.type === 'stepFailed' || event.type === 'reconcileFailed' || event.type === 'noAnswer';
    if (isFailure && 'of' in event && event.of !== undefined) notAccepted ??= event.of;
    // What was held back or broken off has no code.
    if (isFailure && event.code !== undefined) lastFailure = event;
    if (isFailure && event.code === NOT_UNDERSTOOD) session.failed(event);
    options.onEvent?.(record, event, before);
  };
  const storeInFlight = await rememberInFlight(ledger, client.inFlight);
  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  const stopWatching = client.on({
    onRequest: session.request,
    onResponse({ operation, status, durationMs, reason }) {
      const failure = failureOfResponse({ status, reason });
      if (failure !== undefined && !signal.aborted) session.failed(failure);
      if (operation === 'accounts.process' && status !== undefined) storeInFlight();
      // A process of a distributed run watches its own client.
      if (distributed === undefined) pace.onResponse({ operation, status, latencyMs: durationMs });
    },
  });
  const stopHearing = distributed?.onOthers((event) => {
    if (event[0] === 'ended') session.ended();
    if (event[0] === 'failed' && event[2] !== '') {
      const [, , code, step, , host, status] = event;
      lastFailure = { code, step, host, ...(status !== 0 && { status }) };
    }
    const failure = failureOfEvent(event);
    if (failure !== undefined) session.failed(failure);
    options.onOthers?.(event);
  });
  told.onEvent = onEvent;
  const recordQueue = distributed?.recordQueue(signal);
  try {
    const reading = runInput({
      client,
      ledger,
      input: canary === undefined ? book : firstOf(book, canary),
      isPartOfInput: canary !== undefined,
      team: options.team,
      profile: options.profile,
      showPersonalData: options.showPersonalData,
      ...settingsOf(options),
      dryRun: needsDryRun(options.dryRun ?? 'first', firstAccount),
      firstAccount,
      refusedSuppliers,
      retryRejected: corrected !== undefined || (options.retryRejected ?? false),
      recheckRejected: checkRules.haveChanged,
      correctedLines: corrected && { mayStart: corrected.hasNoRecord, ignore: ignoredLines.add },
      recordsAtOnce: distributed === undefined ? RECORDS_A_CALL * pace.status().concurrency.most : LOADED_AT_ONCE,
      signal,
      now,
      schedule: pace.schedule,
      inFlight,
      sleep: (ms) => Promise.race([pace.sleep(ms), aborted]),
      isAccepting: () => pace.isAccepting() && !signal.aborted,
      onEvent(record, event, before) {
        const isOfSupplier = event.type === 'stepFailed' && event.of === 'supplier';
        if (isOfSupplier && refusedSuppliers !== undefined) refusedSuppliers.add(record.supplier, event.code ?? '');
        else pace.onEvent(record, event);
        onEvent(record, event, before);
      },
      onRead: reach.add,
      onNewRecord: input.add,
      onRecord: (payload) => addUnsent(itemsRead, itemsIn(payload)),
      onSupplier(supplier) {
        met.add(supplier);
        return suppliers.add(supplier);
      },
      onLine(item, finding) {
        runFolder.lines.add(item, finding);
        options.onLine?.(item, finding);
      },
      recordQueue,
    });
    const end = await (distributed === undefined ? reading : Promise.race([reading, distributed.failed]));
    const { linesRead } = end;
    await distributed?.end();
    await acceptedTeamStored;
    if (linesRead === 0 && canary === undefined) throw noRecord(options.input);
    const refusal = refusedSuppliers?.describe();
    if (refusal !== undefined && refusedSuppliers?.areAll(met)) pace.halt(refusal);
    const isWhole = linesRead !== undefined && canary === undefined;
    const isInFiles = isOfInput(options.input, reach);
    if (isWhole && corrected === undefined) await checkRules.store();
    const isGone = corrected !== undefined ? await corrected.becameRecords(ledger) : isWhole ? isInFiles : reach.has;
    const left = createRemainingInputs((record) => {
      if (isInFiles(record)) return 'yes';
      if (end.hasNoLine(record)) return 'no';
      return isWhole && corrected === undefined && mayHaveNoLine(record) ? 'yes' : 'maybe';
    });
    await keepEarlierLines(runFolder, ledger, isGone, left.earlierLine);
    const lines = runFolder.lines.counts();
    // Corrected lines are not the whole book: some may be none of it.
    const ofBook =
      corrected === undefined ? { linesRead, ...(isWhole && distributed === undefined && { itemsRead }) } : {};
    const hadNoLine = await earlierNotInInput(runFolder.at(NOT_IN_INPUT));
    // Records of other files may have their lines there still.
    const hasNoLine = (record: LedgerRecord) =>
      (corrected === undefined && isWhole && isInFiles(record) ? end.hasNoLine : hadNoLine)(record);
    const summary = await runFolder.writeOutcome(ledger, book, {
      steps: stepsOf(options),
      hasNoLine,
      onLeft: left.record,
      ...ofBook,
    });
    const { state: paceState, reason: haltedFor } = pace.status();
    const wasEnded = paceState === 'draining' || signal.aborted;
    const state = paceState === 'halted' ? 'halted' : endStateOf(summary, linesRead, wasEnded);
    const unfinished =
      refusal ??
      `${left.inWords(summary.unfinished)}${lastFailure === undefined ? '' : `; calls failed, the last ${failureInWords(lastFailure)}`}`;
    const reason = state === 'halted' ? haltedFor : state === 'unfinished' ? unfinished : undefined;
    const isOwnLeft = left.isOwnLeft() || lines.rejected + lines.skipped + lines.changed > left.earlierLines();
    const own = isOwnLeft && continueWith !== '' ? [continueWith] : [];
    const refused = notAccepted ?? distributed?.notAccepted();
    await session.end({
      ...{ state, reason, lines, notAccepted: refused },
      hasEndedLines: linesRead !== undefined && end.unfinished === 0,
      runAgainWith: [...new Set([...own, ...input.commandsOf(left.others())])],
      openWith: state === 'unfinished' ? input.commandsOf(left.othersWithOpen()) : [],
    });
    await input.save();
    if (distributed !== undefined) await runFolder.writeWorkers(await distributed.workers());
    await writeReport(runFolder, summary, ledger);
    if (state === 'finished' && canary === undefined) await distributed?.over(summary);
    return {
      state,
      reason,
      notAccepted: refused,
      summary,
      ignoredLines: ignoredLines.counts,
    };
  } catch (error) {
    // The error says what went wrong; if that cannot be noted either, there is nothing to add.
    await input.save().catch(() => {});
    await session.brokeOff().catch(() => {});
    throw error;
  } finally {
    stopHearing?.();
    stopWatching();
  }
}

/** Whether `RunEnd.hasNoLine` counts the record: not if it exists or may exist in the service. */
function mayHaveNoLine({ outcome }: LedgerRecord): boolean {
  return outcome === null || outcome === 'rejected' || outcome === 'skipped';
}

/** Whether a line of an earlier session stands in a file of this session's input, which was read to its end. */
function isOfInput(book: Input, reach: ReadProgress): (line: { source: string }) => boolean {
  const place = (source: string) => (source === STDIN ? source : resolve(source));
  const files = new Set(book.files?.().map(({ source }) => place(source)));
  return ({ source }) => reach.hasSource(source) || files.has(place(source));
}

function endStateOf({ unfinished }: Summary, linesRead: number | undefined, wasEnded: boolean): EndState {
  if (unfinished === 0 && linesRead !== undefined) return 'finished';
  return wasEnded ? 'stopped' : 'unfinished';
}

/**
 * Records in progress per call slot: while some wait for the disk, others call. More would cost memory, and leave
 * more intents after a crash, each of which is reconciled with a request (decision 11).
 */
const RECORDS_A_CALL = 4;

/** Lines that are on their way to the processes of a distributed run: they are written together. */
const LOADED_AT_ONCE = 2000;

/** Runs before anything is written or sent. A batch size of 0, for example, would send the same request without end. */
function checkCounts(options: MigrationOptions): void {
  const { transactionsAtOnce = 100, statementsAtOnce = 100, notesAtOnce = 100 } = options;
  const { canary = 0, dryRun = 'first', setAside, checkPreviouslyAdded } = options;
  if (setAside && checkPreviouslyAdded === false) {
    throw new RangeError(
      'setAside: expected checkPreviouslyAdded not to be false. The others of a refused request are sent again, and the service would not skip those that it has kept.',
    );
  }
  checkCount('transactionsAtOnce', transactionsAtOnce, 1);
  checkCount('statementsAtOnce', statementsAtOnce, 1);
  checkCount('notesAtOnce', notesAtOnce, 1);
  checkCount('canary', canary, 0);
  if (dryRun !== 'none' && dryRun !== 'first' && dryRun !== 'all') {
    checkCount('dryRun', dryRun, 1, 'none, first, all, or ');
  }
}

function checkCount(name: string, value: number, least: number, others = ''): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new RangeError(`${name}: expected ${others}a whole number from ${least} up, found ${value}.`);
}

/** Options of the steps, for each caller that advances records. */
export type StepOptions = Pick<
  MigrationOptions,
  | 'validateRemotely'
  | 'setAside'
  | 'resendAfter500'
  | 'forceAddToCurrentStatement'
  | 'checkPreviouslyAdded'
  | 'addToExisting'
  | 'transactionsAtOnce'
  | 'statementsAtOnce'
  | 'notesAtOnce'
>;

export function settingsOf(options: StepOptions) {
  return {
    validateRemotely: options.validateRemotely ?? false,
    setAside: options.setAside ?? false,
    resendAfter500: options.resendAfter500 ?? false,
    forceAddToCurrentStatement: options.forceAddToCurrentStatement ?? true,
    checkPreviouslyAdded: options.checkPreviouslyAdded ?? true,
    addToExisting: options.addToExisting ?? false,
    transactionsAtOnce: options.transactionsAtOnce ?? 100,
    statementsAtOnce: options.statementsAtOnce ?? 100,
    notesAtOnce: options.notesAtOnce ?? 100,
  };
}

/** Loads the modules of distributed runs only if the run is distributed. */
async function beginDistributed(
  distributed: DistributedRun,
  options: MigrationOptions,
  now: () => Date,
  onEvent: (record: LedgerRecord, event: RecordEvent) => void,
): Promise<BegunRun> {
  const { client, throttle, profile, team, dryRun = 'first' } = options;
  const { beginDistributedRun } = await import('./distributed/coordinator.js');
  return beginDistributedRun({
    ...{ distributed, client, pace: throttle, profile, now, onEvent },
    settings: { team, dryRun, ...settingsOf(options) },
  });
}

function factsOf(options: MigrationOptions): SessionFacts {
  const { continueWith = '', continueUnfinishedWith = () => continueWith, configuration = {} } = options;
  const versions = { 'data-import-sdk': VERSION, node: process.version };
  const { checkPreviouslyAdded, forceAddToCurrentStatement } = settingsOf(options);
  const transactionsQuery = {
    check_previously_added: checkPreviouslyAdded,
    force_add_to_current_statement: forceAddToCurrentStatement,
  };
  const isRetry = options.retry ?? false;
  const commands = { continueWith, continueUnfinishedWith };
  return { ...commands, versions, configuration, steps: stepsOf(options), transactionsQuery, isRetry };
}

function stepsOf({ validateRemotely = false, dryRun = 'first' }: MigrationOptions): Step[] {
  const triesMany = dryRun !== 'none' && dryRun !== 'first';
  const isTaken: Partial<Record<Step, boolean>> = { validate: validateRemotely, dryRun: triesMany };
  return STEPS.filter((step) => isTaken[step] ?? true);
}

function firstOf(book: Input, count: number): Input {
  return {
    async *[Symbol.asyncIterator]() {
      let read = 0;
      if (count === 0) return;
      for await (const item of book) {
        yield item;
        if (++read >= count) return;
      }
    },
  };
}
