/** `data-import-sdk forget`: removes records that left the input on purpose from the ledger, unless they exist on the service. */
import { IN_FLIGHT_GRACE_MS } from '../../http/limits/in-flight.js';
import { isImported, type Ledger, type LedgerRecord } from '../../migration/ledger/ledger.js';
import { isRemoved } from '../../migration/record/changed-and-removed.js';
import { canStartOver } from '../../migration/record/events/record-state.js';
import { mayRunUntil } from '../../migration/record/preconditions/quiet-time.js';
import { recordsWith } from '../../migration/record/record-key.js';
import { rewriteReport } from '../../migration/report/folder/write-report.js';
import { masked } from '../../migration/report/summary/error-groups.js';
import { forgetInCopies } from '../../migration/run/retried-files.js';
import { counted, spaced } from '../../migration/shared/format.js';
import { placeOf } from '../../migration/shared/place.js';
import { inRunFolder, openFolderOf } from '../open/run-folder.js';
import { defineCommand } from '../options/command.js';
import type { OptionTable, OptionValues } from '../options/option.js';
import { chosenBy, recordSelectionOptions } from '../options/record-options.js';
import { endingBy, nextInWords } from '../session/next-commands.js';
import { forgetOptions } from '../session/run-flags.js';
import { UsageError } from '../shared/errors.js';
import { EXIT } from '../shared/exit-codes.js';

const options = {
  ...recordSelectionOptions,
  notInInput: {
    flags: '--not-in-input',
    group: 'Records',
    help: 'all records that the last session did not find',
    details: 'The records of not-in-input.jsonl: they are no longer in the input.',
    isFlagOnly: true,
  },
  ...forgetOptions,
} as const satisfies OptionTable;

type Flags = OptionValues<typeof options>;

export const command = defineCommand({
  options,
  async action(flags, context) {
    const { account, business, populate, notInInput, inFlightGrace, run, json } = flags;
    const graceMs = inFlightGrace === undefined ? IN_FLIGHT_GRACE_MS : inFlightGrace * 1000;
    if ([account, business, populate, notInInput].filter((one) => one !== undefined).length !== 1) {
      throw new UsageError(
        'expected one of --account <number>, --business <identifier>, --populate <number> and --not-in-input.',
      );
    }
    await inRunFolder(openFolderOf(flags), flags, context, async (folder, ledger) => {
      const records =
        notInInput === undefined ? [await recordOf(ledger, flags)] : await folder.recordsNotInInput(ledger);
      for (const record of records) await expectNoRequestInFlight(record, ledger, graceMs);
      for (const record of records) {
        await ledger.remove(record);
        const { kind, number, outcome } = record;
        const what = `forget: ${kind} ${masked(number)} (${placeOf(record)}), ${outcome ?? 'unfinished'}`;
        await folder.audit.append({ at: new Date().toISOString(), by: 'operator', what });
      }
      await folder.dropForgotten(ledger);
      const facts = await folder.readRun();
      // One that the input still has is begun again.
      const removed = records.filter(isRemoved).length;
      if (facts?.records != null) await folder.writeRun({ ...facts, records: facts.records - removed });
      await forgetInCopies(folder, records);
      const { summary, report } = await rewriteReport(folder, ledger, endingBy(ledger, run, context));
      context.exit(EXIT.ok);
      if (json) {
        const forgotten = records.map(({ supplier, kind, number }) => ({ supplier, kind, number }));
        context.out(`${JSON.stringify({ forgotten, balance: summary.balance.text })}\n`);
        return;
      }
      const forgotten = records.map((record) => `Forgot ${record.kind} ${record.number}${lineLeft(record)}`);
      const next = report?.ending.next.map(nextInWords) ?? [];
      const lines = [...forgotten, `${counted(records.length, 'record')} forgotten.`, summary.balance.text, ...next];
      context.out(`${lines.join('\n')}\n`);
    });
  },
});

/** The line may have left the input after the last session. */
function lineLeft(record: LedgerRecord): string {
  if (isRemoved(record)) return '';
  return `. The last session read its line (${placeOf(record)}): if it is still in the input, the next run reads it as a new record`;
}

async function recordOf(ledger: Ledger, flags: Flags): Promise<LedgerRecord> {
  const { kind, number, supplier } = chosenBy(flags);
  const found = kind && number !== undefined ? await recordsWith({ kind, number, supplier }, ledger) : [];
  const [record, other] = found;
  if (record === undefined)
    throw new UsageError(
      `the run in ${flags.run} has no ${kind} ${number}. unfinished.jsonl, rejected.jsonl, skipped.jsonl and not-in-input.jsonl list the records that can be forgotten.`,
    );
  if (other !== undefined) {
    const suppliers = found.map((one) => one.supplier).join(', ');
    throw new UsageError(`${kind} ${number} exists for several suppliers (${suppliers}): give --supplier.`);
  }
  expectAbsent(record);
  return record;
}

/** Throws if the record exists, or may exist, on the service: the ledger is the only evidence of it. */
function expectAbsent(record: LedgerRecord): void {
  const { kind, number, intent, unknown } = record;
  if (canStartOver(record)) return;
  const name = `${kind} ${number}`;
  if (isImported(record)) {
    throw new UsageError(
      `${name} exists on the service, so it cannot be forgotten. Removing its line from the input changes nothing there.`,
    );
  }
  const step = unknown[0] ?? intent;
  throw new UsageError(
    step === null
      ? `${name} exists on the service, and some of its items were not sent: put its line back into the input, and run again.`
      : `${name} may exist on the service (the outcome of ${spaced(step)} is unknown), so it cannot be forgotten. Resolve it with data-import-sdk resolve, then repeat this command.`,
  );
}

/** Throws if a staging request may still be running: it could replace what a new record with the same number stages. */
async function expectNoRequestInFlight(record: LedgerRecord, ledger: Ledger, graceMs: number): Promise<void> {
  const until = await mayRunUntil(record, ledger, graceMs);
  if (until === undefined || until <= Date.now()) return;
  const { kind, number, intent } = record;
  throw new UsageError(
    `the last request of ${kind} ${number} (${spaced(intent ?? 'stage')}) got no answer and may still be running on the service until ${new Date(until).toISOString()}. Nothing was forgotten. Repeat this command after that time.`,
  );
}
