/** Exports `answeredRows` and `outcomesOfRows`: unknown.csv with its column `answer` filled in becomes answers about outcomes of the run. */

import { openSheet } from '../../migration/input/csv/edited-csv.js';
import type { RecordKey, RecordKind } from '../../migration/ledger/ledger.js';
import {
  type Answered,
  KnownOutcomeError,
  type Marked,
  merged,
  outcomesOf,
  outcomesWith,
  ResolveError,
} from '../../migration/operations/resolve.js';
import { UNKNOWN_CSV } from '../../migration/report/result-files/ok-and-unknown-files.js';
import { counted } from '../../migration/shared/format.js';
import { placeOf } from '../../migration/shared/place.js';
import { UsageError } from '../shared/errors.js';

/** Further rows that cannot be used are counted. */
const MOST_LISTED = 20;

/** A row with an answer, as its cells are. */
interface AnsweredRow {
  row: number;
  as: 'done' | 'notDone';
  serviceId: string;
  mark: string;
  key: string;
  kind: string;
  supplier: string;
  step: string;
  items: string;
  place: string;
}

export interface AnsweredSheet {
  path: string;
  /** unknown.csv of the run. */
  template: string;
  rows: readonly AnsweredRow[];
  /** Reports a row that cannot be used. */
  refuse: (row: number, why: string) => void;
  /** Rejects with a `UsageError` that lists the rows that cannot be used, if there are any. */
  expectUsable: () => void;
}

const { mark, key, kind, supplier, step, items, file, line, answer } = UNKNOWN_CSV;
const HEADER = [mark, key, kind, supplier, step, items, file, line, answer];

/** Resolves with the rows that have an answer. Rejects with a `UsageError` or an `InputError` for a sheet that cannot be read. */
export async function answeredRows(path: string, template: string, encoding?: string): Promise<AnsweredSheet> {
  const refused: { row: number; why: string }[] = [];
  const refuse = (row: number, why: string) => void refused.push({ row, why });
  const rows: AnsweredRow[] = [];
  const { header = [], rows: all } = await openSheet(path, encoding);
  const missing = HEADER.find((name) => !header.includes(name));
  if (missing !== undefined) {
    throw new UsageError(`--from ${path}: no column "${missing}". ${template} is the template.`);
  }
  for await (const { line: row, cell, flaw } of all) {
    if (flaw !== undefined) refuse(row, `${flaw} ${template} is the template.`);
    const answer = cell(UNKNOWN_CSV.answer).toLowerCase().replace(' ', '-');
    if (flaw !== undefined || answer === '') continue;
    if (answer !== 'done' && answer !== 'not-done') {
      refuse(row, `answer: expected done or not-done, found ${JSON.stringify(answer)}.`);
      continue;
    }
    rows.push({
      ...{ row, as: answer === 'done' ? 'done' : 'notDone', serviceId: cell(UNKNOWN_CSV.serviceId) },
      ...{ mark: cell(UNKNOWN_CSV.mark), key: cell(UNKNOWN_CSV.key), kind: cell(UNKNOWN_CSV.kind) },
      ...{ supplier: cell(UNKNOWN_CSV.supplier), step: cell(UNKNOWN_CSV.step), items: cell(UNKNOWN_CSV.items) },
      place: `${cell(UNKNOWN_CSV.file)}:${cell(UNKNOWN_CSV.line)}`,
    });
  }
  if (rows.length === 0 && refused.length === 0) {
    throw new UsageError(`--from ${path}: the column answer is empty in every row. Write done or not-done into it.`);
  }
  const expectUsable = () => {
    if (refused.length === 0) return;
    const listed = refused.sort((one, other) => one.row - other.row).slice(0, MOST_LISTED);
    const more = refused.length - listed.length;
    throw new UsageError(
      [
        `--from ${path}: ${counted(refused.length, 'row')} cannot be used, so that no answer of the sheet is stored. Correct ${refused.length === 1 ? 'it' : 'them'}, and give the sheet again:`,
        ...listed.map(({ row, why }) => `${path}:${row}: ${why}`),
        ...(more > 0 ? [`and ${counted(more, 'more row')}`] : []),
      ].join('\n'),
    );
  };
  return { path, template, rows, refuse, expectUsable };
}

type Context = Required<Pick<Parameters<typeof outcomesOf>[1], 'ledger' | 'inFlight' | 'unknowns'>>;

/**
 * Resolves with the outcomes of all rows, and the number of rows whose outcome is known already. Stores nothing. Rejects with a `UsageError`
 * that lists the rows that cannot be used. `whyNotId`: why an answer cannot have this service id.
 */
export async function outcomesOfRows(
  sheet: AnsweredSheet,
  context: Context,
  whyNotId: (serviceId: string, marked: Marked, as: Answered['as']) => string | undefined,
): Promise<{ answers: Answered[]; alreadyKnown: number }> {
  const { rows, refuse, template } = sheet;
  const likely = rows.flatMap(({ kind, key: number, supplier }): RecordKey[] =>
    KINDS.has(kind) ? [{ kind: kind as RecordKind, number, supplier }] : [],
  );
  const found = await outcomesWith(new Set(rows.map(({ mark }) => mark)), context.ledger, context.unknowns, likely);
  const answered = new Map<string, AnsweredRow>();
  const byId = new Map<string, AnsweredRow>();
  const answers: Answered[] = [];
  let alreadyKnown = 0;
  for (const one of rows) {
    const { row, as, mark } = one;
    const serviceId = one.serviceId || undefined;
    const marked = found.get(mark);
    if (marked === undefined) {
      refuse(row, `the run has no outcome with the hash ${JSON.stringify(mark)}. ${template} is the template.`);
      continue;
    }
    const { record, step, row: item } = marked;
    const same = answered.get(mark);
    if (same !== undefined) {
      if (same.as !== as || same.serviceId !== one.serviceId) {
        refuse(row, `row ${same.row} has another answer for this outcome. Keep one of them.`);
      }
      continue;
    }
    answered.set(mark, one);
    const why = whyNotOf(one, marked) ?? (serviceId && whyNotId(serviceId, marked, as));
    if (why !== undefined) {
      refuse(row, why.replace('<template>', template));
      continue;
    }
    const id = serviceId && `${record.kind} ${serviceId}`;
    const other = id === undefined || record.kind === 'populate' ? undefined : byId.get(id);
    if (other !== undefined) {
      refuse(
        row,
        `row ${other.row} has the same service id for another record: check which of them the service has under it.`,
      );
      continue;
    }
    if (id !== undefined) byId.set(id, one);
    const { supplier, kind, number } = record;
    const items = item.position === null ? undefined : [mark];
    try {
      answers.push(
        ...(await outcomesOf(
          { choice: { supplier, kind, number, step, items }, as, serviceNumber: serviceId },
          context,
        )),
      );
    } catch (error) {
      if (error instanceof KnownOutcomeError) alreadyKnown++;
      else if (error instanceof ResolveError) refuse(row, error.message);
      else throw error;
    }
  }
  sheet.expectUsable();
  return { answers: merged(answers), alreadyKnown };
}

const KINDS: ReadonlySet<string> = new Set<RecordKind>(['populate', 'business', 'account']);

/** Returns why the cells of a row are not those of its hash. A spreadsheet may change a number, and a new input the place: not both. */
function whyNotOf(
  { key, kind, step, items, place }: AnsweredRow,
  { record, step: ofMark, row }: Marked,
): string | undefined {
  const name = `${record.kind} ${record.number}`;
  const asTemplate = '<template> has the rows as they belong together.';
  if (kind !== record.kind || step !== ofMark) {
    return `the hash is that of ${name} at step ${ofMark}, and the row has ${kind} and ${step}. ${asTemplate}`;
  }
  if (key !== record.number && place !== placeOf(record)) {
    return `the hash is that of ${name} at ${placeOf(record)}, and the row has another number and place. ${asTemplate}`;
  }
  if (items !== row.name) {
    return `the hash is that of ${row.name} of ${name}, and the row has other items. ${asTemplate}`;
  }
  return undefined;
}
