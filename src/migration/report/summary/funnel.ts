/** Exports `createFunnel`: for each step, how many records passed it and how many stopped at it. */
import { type LedgerRecord, type RecordKind, STEPS, type Step } from '../../ledger/ledger.js';
import { zeros } from '../../shared/zero-counts.js';

/** Records of one kind at one step. */
export interface FunnelRow {
  /** Business or account. */
  kind: RecordKind;
  /** The step. */
  step: Step;
  /** Records that completed the step, or have nothing to do in it. */
  passed: number;
  /** Records that were rejected here, or existing accounts with rejected items. */
  rejected: number;
  /** Records with an unknown outcome at this step. */
  unknown: number;
  /** Accounts that existed before. */
  alreadyImported: number;
  /** Skipped records. */
  skipped: number;
  /** Records that have not reached the end of the step. */
  unfinished: number;
}

/** The states of a record at a step, in the order of the report. */
export const STEP_STATES = ['passed', 'alreadyImported', 'rejected', 'skipped', 'unknown', 'unfinished'] as const;

type StepState = (typeof STEP_STATES)[number];

const KINDS: readonly RecordKind[] = ['populate', 'business', 'account'];
const OF_POPULATE: readonly Step[] = ['check', 'populate'];
const OF_A_BUSINESS: readonly Step[] = ['check', 'create', 'paymentInstruction'];

/** `taken`: the steps of the run. Not every run validates on the service or makes dry runs. */
export function createFunnel(taken: readonly Step[] = STEPS) {
  const rows = KINDS.flatMap((kind) => stepsOf(kind, taken).map((step) => ({ kind, step, ...zeros(STEP_STATES) })));
  return {
    add(record: LedgerRecord, isWaiting: boolean): void {
      // Few businesses have payment instructions, so others are not in the row of that step.
      const isOwn = (step: Step) =>
        record.kind === 'account' || step !== 'paymentInstruction' || record.items.paymentInstruction.length > 0;
      const own = rows.filter(({ kind, step }) => kind === record.kind && isOwn(step));
      const stop = stopOf(record, isWaiting, own);
      for (const row of own) {
        // A step that only the first account has has no row.
        if (stop !== undefined && STEPS.indexOf(row.step) >= STEPS.indexOf(stop.step)) {
          row[stop.state]++;
          return;
        }
        row[stateAt(record, row.step)]++;
      }
    },
    rows: () => rows.filter((row) => STEP_STATES.some((state) => row[state] > 0)),
  };
}

function stepsOf(kind: RecordKind, taken: readonly Step[]): Step[] {
  if (kind === 'populate') return [...OF_POPULATE];
  if (kind === 'business') return [...OF_A_BUSINESS];
  return STEPS.filter((step) => step !== 'populate' && step !== 'create' && taken.includes(step));
}

/** Returns the step at which a record stopped; undefined if it completed all. */
function stopOf(
  record: LedgerRecord,
  isWaiting: boolean,
  rows: readonly FunnelRow[],
): { step: Step; state: StepState } | undefined {
  const { done, intent, outcome, errors, unknown } = record;
  const next = rows.find(({ step }) => done === null || STEPS.indexOf(step) > STEPS.indexOf(done))?.step;
  const at = (step: Step | undefined, state: StepState) => (step === undefined ? undefined : { step, state });
  switch (outcome) {
    case 'created':
      return undefined;
    case 'rejected':
      return at(errors.at(-1)?.step ?? next, 'rejected');
    case 'alreadyImported':
      return at(next, 'alreadyImported');
    case 'unknown':
      // For an existing account, the other steps were completed.
      return intent === null ? undefined : at(unknown.at(-1), 'unknown');
    case null:
      return isWaiting ? at(next, 'skipped') : at(intent ?? next, 'unfinished');
  }
}

function stateAt({ errors, unknown, items }: LedgerRecord, at: Step): StepState {
  if (at === 'process' && items.existed) return 'alreadyImported';
  if (unknown.includes(at)) return 'unknown';
  return errors.some(({ step }) => step === at) ? 'rejected' : 'passed';
}
