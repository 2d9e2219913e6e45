/** Exports `answeredRows` and `outcomesOfRows`: unknown.csv with its column `answer` filled in becomes answers about outcomes of the run. */

import { openSheet, type SheetRow } from '../../migration/input/csv/edited-csv.js';
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

/** A row with an answer. */
interface AnsweredRow extends SheetRow {
  as: 'done' | 'notDone';
}

export type AnsweredSheet = Awaited<ReturnType<typeof answeredRows>>;

const { mark, key, kind, supplier, step, items, file, line, answer, serviceId } = UNKNOWN_CSV;
const HEADER = [mark, key, kind, supplier, step, items, file, line, answer];

/** Resolves with the rows that have an answer. Rejects with a `UsageError` or an `InputError` for a sheet that cannot be read. */
export async function answeredRows(path: string, template: string, encoding?: string) {
  /** Rows that cannot be used. */
  const refused: { row: number; why: string }[] = [];
  const refuse = (row: number, why: string) => void refused.push({ row, why });
  const rows: AnsweredRow[] = [];
  const { header = [], rows: all } = await openSheet(path, encoding);
  const missing = HEADER.find((name) => !header.includes(name));
  if (missing !== undefined) {
    throw new UsageError(`--from ${path}: no column "${missing}". ${template} is the template.`);
  }
  for await (const one of all) {
    const given = one.cell(answer).toLowerCase().replace(' ', '-');
    if (one.flaw !== undefined) refuse(one.line, `${one.flaw} ${template} is the template.`);
    else if (given === 'done' || given === 'not-done') rows.push({ ...one, as: given === 'done' ? given : 'notDone' });
    else if (given !== '') refuse(one.line, `answer: expected done or not-done, found ${JSON.stringify(given)}.`);
  }
  if (rows.length === 0 && refused.length === 0) {
    throw new UsageError(`--from ${path}: the column answer is empty in every row. Write done or not-done into it.`);
  }
  /** Throws a `UsageError` that lists the rows that cannot be used, if there are any. */
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
  whyNotId: (serviceId: string, kind: RecordKind, step: string, as: Answered['as']) => string | undefined,
): Promise<{ answers: Answered[]; alreadyKnown: number }> {
  const { rows, refuse, template } = sheet;
  const likely = rows.flatMap(({ cell }): RecordKey[] =>
    KINDS.has(cell(kind)) ? [{ kind: cell(kind) as RecordKind, number: cell(key), supplier: cell(supplier) }] : [],
  );
  const marks = new Set(rows.map(({ cell }) => cell(mark)));
  const found = await outcomesWith(marks, context.ledger, context.unknowns, likely);
  const answered = new Map<string, AnsweredRow>();
  const byId = new Map<string, AnsweredRow>();
  const answers: Answered[] = [];
  let alreadyKnown = 0;
  for (const one of rows) {
    const { line: row, as, cell } = one;
    const serviceNumber = cell(serviceId) || undefined;
    const marked = found.get(cell(mark));
    if (marked === undefined) {
      refuse(row, `the run has no outcome with the hash ${JSON.stringify(cell(mark))}. ${template} is the template.`);
      continue;
    }
    const { record, step, row: item } = marked;
    const same = answered.get(cell(mark));
    if (same !== undefined) {
      if (same.as !== as || same.cell(serviceId) !== cell(serviceId)) {
        refuse(row, `row ${same.line} has another answer for this outcome. Keep one of them.`);
      }
      continue;
    }
    answered.set(cell(mark), one);
    const why = whyNotOf(one, marked) ?? (serviceNumber && whyNotId(serviceNumber, record.kind, step, as));
    if (why !== undefined) {
      refuse(row, why.replace('<template>', template));
      continue;
    }
    const id = serviceNumber && `${record.kind} ${serviceNumber}`;
    const other = id === undefined || record.kind === 'populate' ? undefined : byId.get(id);
    if (other !== undefined) {
      refuse(
        row,
        `row ${other.line} has the same service id for another record: check which of them the service has under it.`,
      );
      continue;
    }
    if (id !== undefined) byId.set(id, one);
    const { supplier, kind, number } = record;
    const choice = { supplier, kind, number, step, items: item.position === null ? undefined : [cell(mark)] };
    try {
      answers.push(...(await outcomesOf({ choice, as, serviceNumber }, context)));
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
function whyNotOf({ cell }: AnsweredRow, { record, step: ofMark, row }: Marked): string | undefined {
  const name = `${record.kind} ${record.number}`;
  const asTemplate = '<template> has the rows as they belong together.';
  if (cell(kind) !== record.kind || cell(step) !== ofMark) {
    return `the hash is that of ${name} at step ${ofMark}, and the row has ${cell(kind)} and ${cell(step)}. ${asTemplate}`;
  }
  if (cell(key) !== record.number && `${cell(file)}:${cell(line)}` !== placeOf(record)) {
    return `the hash is that of ${name} at ${placeOf(record)}, and the row has another number and place. ${asTemplate}`;
  }
  if (cell(items) !== row.name) {
    return `the hash is that of ${row.name} of ${name}, and the row has other items. ${asTemplate}`;
  }
  return undefined;
}
