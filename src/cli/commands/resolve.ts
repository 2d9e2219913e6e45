/** `data-import-sdk resolve`: lists unknown outcomes, asks the service about them, and stores what the user decides. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { STEPS } from '../../migration/ledger/ledger.js';
import {
  type Answered,
  type Asked,
  acceptDifferences,
  decisionWord,
  expectServiceId,
  outcomesOf,
  queryService,
  storeAnswers,
  type Unknown,
  unknownsOf,
} from '../../migration/operations/resolve.js';
import { CREATING_STEP } from '../../migration/record/events/record-state.js';
import { InFlightRecords, refreshInFlight } from '../../migration/record/preconditions/quiet-time.js';
import { rewriteReport } from '../../migration/report/folder/write-report.js';
import { unknownItems } from '../../migration/report/result-files/ok-and-unknown-files.js';
import { unknownRows } from '../../migration/report/result-files/rows-of-unknown-csv.js';
import { masked } from '../../migration/report/summary/error-groups.js';
import { howToResolveStep } from '../../migration/report/summary/remedies.js';
import { acceptCopy } from '../../migration/run/copied-ledger.js';
import { counted, firstInWords, moment, spaced, stepWord } from '../../migration/shared/format.js';
import { placeOf } from '../../migration/shared/place.js';
import { machineNow } from '../../validation/option-kinds.js';
import { connectionRule, openConnection } from '../open/connection.js';
import { claimTargetOf, inRunFolder, openFolderOf } from '../open/run-folder.js';
import { defineCommand } from '../options/command.js';
import { inputOptions } from '../options/input-options.js';
import { flagsInGroup, type OptionTable, type OptionValues } from '../options/option.js';
import { chosenBy, recordSelectionOptions } from '../options/record-options.js';
import { endingBy, nextInWords } from '../session/next-commands.js';
import { answersOfSheet, type FindAnswers } from '../session/read-unknown-csv.js';
import { resolveOptions } from '../session/run-flags.js';
import type { CommandContext } from '../shared/command-context.js';
import { commandText, withoutFlags } from '../shared/command-data.js';
import { shellWord } from '../shared/command-text.js';
import { isNotAccepted } from '../shared/error-causes.js';
import { UsageError } from '../shared/errors.js';
import { EXIT } from '../shared/exit-codes.js';
import { tableText } from '../terminal/table.js';

/** A decision about unknown outcomes. */
const decisionOptions = {
  ...recordSelectionOptions,
  ...flagsInGroup('Records', {
    all: { flags: '--all', help: 'all unknown outcomes of the step' },
    step: {
      flags: '--step <name>',
      help: 'the step that is resolved',
      choices: STEPS,
      shownAs: stepWord,
    },
    items: {
      flags: '--items <names>',
      help: 'only these items, as they are listed',
      details:
        'Of one record, such as --items "statements.0; statements.2". Without it the answer is about all that are unknown.',
    },
    as: { flags: '--as <what>', help: 'what you found out: done or not-done', choices: ['done', 'not-done'] },
    from: {
      flags: '--from <file>',
      help: 'your answers in a sheet: unknown.csv',
      details:
        'Fill in the column answer of unknown.csv in the run folder (done or not-done), and save it as CSV. Rows without an answer stay as they are.',
    },
  }),
  encoding: { ...inputOptions.encoding, help: 'encoding of the sheet', needs: 'from' },
  accept: {
    flags: '--accept <what>',
    group: 'Records',
    help: 'accept changed lines, or removed ones',
    details:
      'changed: the lines differ from records that exist, and are right. removed: records are no longer in the input, and shall not be. All of them, or with --account or --business one. copy: the ledger was copied or restored, and no other copy was continued. Nothing is sent.',
    choices: ['changed', 'removed', 'copy'],
    isFlagOnly: true,
  },
  serviceId: {
    flags: '--service-id <id>',
    group: 'Records',
    help: 'with --as done: the id of the service',
    details:
      'For ok.csv: the service_business_id of create, the service_account_number of process, the batch_id of populate.',
    isFlagOnly: true,
  },
} as const satisfies OptionTable;

const options = {
  ...decisionOptions,
  ...resolveOptions,
} as const satisfies OptionTable;

type Flags = OptionValues<typeof options>;

export const command = defineCommand({
  options,
  async action(flags, context) {
    const find = flags.from === undefined ? decisionOf(flags) : await sheetOf(flags, flags.from);
    await inRunFolder(openFolderOf(flags), flags, context, async (folder, ledger) => {
      await claimTargetOf(flags, folder, ledger);
      const now = machineNow;
      const rule = connectionRule(flags);
      await refreshInFlight(ledger, rule);
      // The sandbox of a rehearsal ended with the command that ran it, so none of its requests is still running.
      const inFlight = new InFlightRecords(rule, now, flags.sandbox ? now() : undefined);
      const resolved: Resolved[] = [];
      let asked: Asked | undefined;
      let accepted: number | undefined;
      const unknowns = await unknownsOf(ledger);
      // Before anything is stored, and before a token is needed.
      const { answers, alreadyKnown } = await find({ ledger, inFlight, unknowns });
      const isAsked = canAsk(flags) && unknowns.some((one) => isLeftToAsk(one, answers));
      // Connected before the decision is stored: without a token nothing is stored.
      const connection = isAsked ? await openConnection(flags, flags.run) : undefined;
      try {
        if (flags.accept === 'copy') {
          accepted = Number(await acceptCopy(ledger, { folder: flags.run, now }));
          if (accepted === 0) throw new UsageError(NO_COPY);
        } else if (flags.accept !== undefined) {
          accepted = (await acceptDifferences(ledger, flags.accept, chosenBy(flags), now)).length;
          if (accepted === 0) expectAll(flags);
        }
        await storeAnswers(answers, ledger, now);
        resolved.push(...answers.map((one): Resolved => ({ ...one, by: 'operator' })));
        if (alreadyKnown > 0) {
          context.err(
            `data-import-sdk: ${counted(alreadyKnown, 'row has an outcome that is', 'rows have an outcome that is')} known already, and left out.\n`,
          );
        }
        if (connection !== undefined) {
          asked = await queryService(
            { ledger, inFlight, now },
            connection.client,
            (ms) => sleep(ms),
            (one) => resolved.push({ ...one, by: 'service' }),
          );
        }
      } finally {
        const at = now().toISOString();
        const notes = accepted === undefined || accepted === 0 ? [] : [decisionInWords(accepted, flags)];
        for (const what of [...notesOf(resolved), ...notes]) await folder.audit.append({ at, by: 'operator', what });
        await connection?.close();
      }
      // A run that was killed before its first record has no facts to report.
      const { report } = await rewriteReport(folder, ledger, endingBy(ledger, flags.run, context));
      const left = await unknownsOf(ledger);
      if (accepted !== undefined && !flags.json) context.out(`${decisionInWords(accepted, flags)}.\n`);
      printResolved(resolved, left, accepted, flags, context);
      if (!flags.json) {
        const [first] = left;
        const afterAll = report?.ending.next.map(nextInWords) ?? [];
        const lines = first === undefined ? afterAll : howToResolve(first, flags.run, context);
        for (const one of lines) context.out(`${one}\n`);
      }
      context.exit(left.length > 0 ? EXIT.unknown : EXIT.ok);
      if (asked !== undefined) printAsked(asked, context);
    });
  },
});

type Resolved = Unknown & Pick<Answered, 'as'> & Partial<Answered> & { by: 'service' | 'operator' };

/** The command that resolves one unknown outcome, with the flags of this command. */
function howToResolve(
  { record, step }: Unknown,
  folder: string,
  { program, command }: Pick<CommandContext, 'program' | 'command'>,
): string[] {
  const { kind, number } = record;
  const { verb, parts } = withoutFlags(command, ...OF_DECISION, '--json');
  const [item, ...others] = unknownRows(record, step);
  const own = [
    { flag: `--${kind}`, value: number },
    { flag: '--step', value: step },
    // Items that have left the line have one name.
    ...(others.length === 0 ? [] : [{ flag: '--items', value: /\s/.test(item.name) ? item.mark : item.name }]),
    // In quotes, so that a pasted line is refused by this command and stores no decision.
    { flag: '--as', value: '<done|not-done>' },
  ];
  // The report shows it, and the text of these steps asks for it.
  return [
    `Next: find out about each one, and fill in the answer: ${commandText(program, { verb, parts: [...parts, ...own] })}${step === CREATING_STEP[kind] ? ' (with done also --service-id and the id, if you have it)' : ''}`,
    `For many: fill in the column answer of ${folder}/unknown.csv, then: ${commandText(program, { verb, parts: [...parts, { flag: '--from', value: `${folder}/unknown.csv` }] })}`,
    `With --as not-done the next run sends it. With --all in place of --${kind} ${shellWord(number)} all at that step are resolved.`,
    ...(others.length === 0
      ? []
      : ['Each item has its own answer. Without --items the answer is about all of the record at that step.']),
  ];
}

const OF_DECISION = Object.values(decisionOptions).map(({ flags }) => flags.split(' ')[0] ?? '');

function isLeftToAsk({ record, step }: Unknown, answers: readonly Answered[]): boolean {
  return step === 'process' && !answers.some((one) => one.step === step && one.record === record);
}

function printAsked({ strange, running, ofOthers, failure }: Asked, { err, exit }: CommandContext): void {
  const [first] = strange;
  if (first !== undefined) {
    err(
      `data-import-sdk: the service answers 404 for ${counted(strange.length, 'account')} that the run staged, such as ${first.record.number}. Check that --base-url is the address of the run; if it is, ask the operator and resolve them with --as.\n`,
    );
  }
  const [other] = ofOthers;
  if (other !== undefined) {
    err(
      `data-import-sdk: for ${counted(ofOthers.length, 'account')}, such as ${other.record.number}, the service answers with the number of another record of the run. Ask the operator which of them it has, then resolve them with --as.\n`,
    );
  }
  if (running.length > 0) {
    err(
      `data-import-sdk: ${counted(running.length, 'request')} may still be running on the service, which has no account yet, or no number for it. Repeat this command later (--in-flight-grace), or give run, which waits.\n`,
    );
  }
  if (failure === undefined) return;
  err(`data-import-sdk: the service cannot be asked: ${failure.message}\n`);
  exit(isNotAccepted(failure) ? EXIT.notAccepted : EXIT.internal);
}

function canAsk({ baseUrl, sandbox }: Flags): boolean {
  return baseUrl !== undefined || sandbox === true;
}

async function sheetOf(flags: Flags, path: string): Promise<FindAnswers> {
  const others = [...Object.keys(recordSelectionOptions), 'all', 'step', 'items', 'as', 'accept', 'serviceId'];
  if (others.some((name) => flags[name as keyof Flags] !== undefined)) {
    throw new UsageError('--from has the records and their answers: give it without other choices of records.');
  }
  return answersOfSheet(path, join(flags.run, 'unknown.csv'), flags.encoding);
}

/** Throws a `UsageError` for an incomplete decision. */
function decisionOf(flags: Flags): FindAnswers {
  const { account, business, populate, all, step, as, serviceId: serviceNumber, accept } = flags;
  const whose = [account, business, populate, all].filter((one) => one !== undefined);
  const chosen = chosenBy(flags);
  if (serviceNumber !== undefined) expectServiceId(serviceNumber, { ...chosen, step, as });
  if (flags.items !== undefined && account === undefined && business === undefined) {
    throw new UsageError('--items needs one record: give --account or --business, with --step and --as.');
  }
  const isDecision = step !== undefined || as !== undefined;
  if (accept !== undefined && (isDecision || whose.length > (accept === 'copy' ? 0 : 1))) {
    throw new UsageError(
      '--accept takes no --step and no --as, and at most one of --account, --business and --all; none with copy.',
    );
  }
  if (accept !== undefined || (whose.length === 0 && !isDecision))
    return async () => ({ answers: [], alreadyKnown: 0 });
  if (whose.length !== 1 || step === undefined || as === undefined) {
    throw new UsageError(
      'incomplete decision: expected one of --account, --business, --populate and --all, with --step and --as, such as --account <number> --step statements --as <done|not-done>.',
    );
  }
  const items = flags.items?.split(/[;,\s]+/).filter((name) => name !== '');
  const answer = { choice: { step, ...chosen, items }, as: as === 'done' ? as : 'notDone', serviceNumber } as const;
  return async (context) => ({ answers: await outcomesOf(answer, context), alreadyKnown: 0 });
}

/** A number that is named has a difference: otherwise it is a slip. */
function expectAll(flags: Flags): void {
  const { kind, number } = chosenBy(flags);
  if (number === undefined) return;
  throw new UsageError(
    `${kind} ${number} has nothing to accept: ${flags.accept === 'changed' ? 'its line is as it was sent' : 'its line is in the input'}, or that is accepted already. changed.jsonl and not-in-input.jsonl list the others.`,
  );
}

const NO_COPY = 'the ledger is the one of the last session in this folder: there is no copy to accept.';

function decisionInWords(count: number, { accept }: Flags): string {
  if (accept === 'copy') return 'Accepted the ledger that was copied or restored';
  return accept === 'changed'
    ? `Accepted ${counted(count, 'changed line')}`
    : `Accepted that ${counted(count, 'record is', 'records are')} no longer in the input`;
}

const MOST_NOTED = 100;

/** Notes for the audit log, which the report shows: a record by its place in the input, with its number masked. */
function notesOf(resolved: readonly Resolved[]): string[] {
  const groups = new Map<string, Resolved[]>();
  for (const one of resolved) {
    const was = one.was === undefined ? '' : ` in place of ${decisionWord(one.was.as)}`;
    const how = `resolve: ${spaced(one.step)} ${decisionWord(one.as)}${was}, by the ${one.by}`;
    groups.set(how, [...(groups.get(how) ?? []), one]);
  }
  return [...groups].map(([how, ones]) => {
    const named = ones.map((one) => {
      return `${one.record.kind} ${masked(one.record.number)} (${[placeOf(one.record), namesOf(one)].filter(Boolean).join(', ')})`;
    });
    return `${how}: ${firstInWords(named, MOST_NOTED)}`;
  });
}

/** Returns the items that were chosen; undefined for all of the step. */
function namesOf({ items }: Unknown): string | undefined {
  return items?.map(({ name }) => name).join('; ');
}

function printResolved(
  resolved: readonly Resolved[],
  left: readonly Unknown[],
  accepted: number | undefined,
  flags: Flags,
  { out }: CommandContext,
): void {
  if (flags.json) {
    const entries = resolved.map(({ record, step, as, by, was, items }) => {
      const names = items && { items: items.map(({ name }) => name) };
      return {
        ...nameOf(record),
        step,
        ...names,
        as,
        by,
        ...(was !== undefined && { was: { as: was.as, at: was.at } }),
      };
    });
    const unknown = left.map(({ record, step }) => {
      const items = unknownRows(record, step).flatMap(({ position, name }) => (position === null ? [] : [name]));
      return { ...nameOf(record), step, items, since: record.updatedAt, howToResolve: howToResolveStep(step) };
    });
    out(`${JSON.stringify({ resolved: entries, ...(accepted !== undefined && { accepted }), unknown })}\n`);
    return;
  }
  for (const one of resolved) {
    const { record, step, as, by, was } = one;
    const before = was === undefined ? '' : `was ${decisionWord(was.as)} since ${moment(was.at)}, now `;
    const isWithoutId = by === 'operator' && step === CREATING_STEP[record.kind] && one.serviceNumber === undefined;
    const done = isWithoutId
      ? 'done. ok.csv has no service id of it: resolve it again with --service-id to add one'
      : 'done';
    const what = as === 'done' ? done : 'not done: the next run sends it';
    out(`Resolved by the ${by}: ${record.kind} ${record.number} ${namesOf(one) ?? spaced(step)} ${before}${what}\n`);
  }
  for (const text of leftInWords(left)) out(`${text}\n`);
  const isAsked = left.some(({ step }) => step === 'process') && !canAsk(flags);
  if (isAsked) out('Give --base-url and a token to ask the service about those at process.\n');
  out(
    left.length === 0 ? 'No outcome is unknown.\n' : `${counted(left.length, 'outcome is', 'outcomes are')} unknown.\n`,
  );
}

/** More of one step are in unknown.csv. */
const MOST_LISTED = 20;

/** A table for each step, with what to look up above it. */
function leftInWords(left: readonly Unknown[]): string[] {
  const header = ['kind', 'number', 'service account', 'items', 'amounts', 'unknown since'];
  return STEPS.flatMap((step) => {
    const ofStep = left.filter((one) => one.step === step);
    if (ofStep.length === 0) return [];
    const rows = ofStep.slice(0, MOST_LISTED).map(({ record }) => {
      const { items, amounts } = unknownItems(record, step);
      return [
        record.kind,
        record.number,
        record.serviceNumber ?? '-',
        items || '-',
        amounts || '-',
        moment(record.updatedAt),
      ];
    });
    const shown = header.map((_, place) => place).filter((place) => rows.some((row) => row[place] !== '-'));
    const table = tableText([header, ...rows].map((row) => shown.map((place) => row[place] ?? '')));
    const more = ofStep.length - rows.length;
    return [
      `${stepWord(step)}: ${howToResolveStep(step)}`,
      ...table.map((text) => `  ${text}`),
      ...(more > 0 ? [`  and ${more} more, in unknown.csv of the run folder`] : []),
    ];
  });
}

function nameOf({ supplier, kind, number }: Unknown['record']) {
  return { supplier, kind, number };
}
