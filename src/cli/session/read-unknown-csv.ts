/** Exports `answersOfSheet`: unknown.csv with its column `answer` filled in becomes answers about outcomes of the run. */

import { openSheet, type SheetRow } from '../../migration/input/csv/edited-csv.js';
import type { LedgerRecord, RecordKey, RecordKind } from '../../migration/ledger/ledger.js';
import {
  type ExpectedCell,
  mayBecome,
  namesRecord,
  otherCellsIn,
  unusableRows,
} from '../../migration/operations/cells-of-row.js';
import {
  type AnswerContext,
  type Answered,
  expectServiceId,
  KnownOutcomeError,
  type Marked,
  merged,
  outcomesOf,
  outcomesWith,
  ResolveError,
} from '../../migration/operations/resolve.js';
import { UNKNOWN_CSV } from '../../migration/report/result-files/ok-and-unknown-files.js';
import { UsageError } from '../shared/errors.js';

/** A row with an answer. */
interface AnsweredRow extends SheetRow {
  as: Answered['as'];
}

/** Finds the outcomes that answers are about, and stores nothing. `alreadyKnown`: the number of rows whose outcome is known. */
export type FindAnswers = (context: AnswerContext) => Promise<{ answers: readonly Answered[]; alreadyKnown: number }>;

const { mark, key, kind, supplier, step, items, file, line, answer, serviceId } = UNKNOWN_CSV;
const HEADER = [mark, key, kind, supplier, step, items, file, line, answer];

/**
 * Reads the rows that have an answer. Resolves with a function that finds their outcomes and stores nothing. Both reject with a `UsageError`
 * that lists the rows that cannot be used, or an `InputError` for a sheet that cannot be read.
 */
export async function answersOfSheet(path: string, template: string, encoding?: string): Promise<FindAnswers> {
  /** Rows that cannot be used. */
  const refused: { row: number; why: string }[] = [];
  const refuse = (row: number, why: string) => void refused.push({ row, why: why.replace('<template>', template) });
  const rows: AnsweredRow[] = [];
  const { header = [], rows: all } = await openSheet(path, encoding);
  const missing = HEADER.find((name) => !header.includes(name));
  if (missing !== undefined) {
    throw new UsageError(`--from ${path}: no column "${missing}". ${template} is the template.`);
  }
  for await (const one of all) {
    const given = one.cell(answer).toLowerCase().replace(' ', '-');
    if (one.flaw !== undefined) refuse(one.line, `${one.flaw} <template> is the template.`);
    else if (given === 'done' || given === 'not-done') rows.push({ ...one, as: given === 'done' ? given : 'notDone' });
    else if (given !== '') refuse(one.line, `answer: expected done or not-done, found ${JSON.stringify(given)}.`);
  }
  if (rows.length === 0 && refused.length === 0) {
    throw new UsageError(`--from ${path}: the column answer is empty in every row. Write done or not-done into it.`);
  }
  return async (context) => {
    const find = await rowFinder(rows, context);
    const answers: Answered[] = [];
    let alreadyKnown = 0;
    for (const row of rows) {
      try {
        answers.push(...(await find(row)));
      } catch (error) {
        if (error instanceof KnownOutcomeError) alreadyKnown++;
        else if (error instanceof ResolveError) refuse(row.line, error.message);
        else throw error;
      }
    }
    if (refused.length === 0) return { answers: merged(answers), alreadyKnown };
    throw new UsageError(`--from ${path}: ${unusableRows(path, 'no answer of the sheet is stored', refused)}`);
  };
}

/**
 * Resolves with a function that resolves with the outcome of a row; with none for a row that is there twice. It rejects with a `ResolveError`
 * for a row that cannot be used.
 */
async function rowFinder(rows: readonly AnsweredRow[], context: AnswerContext) {
  const likely = rows.flatMap(({ cell }): RecordKey[] =>
    KINDS.has(cell(kind)) ? [{ kind: cell(kind) as RecordKind, number: cell(key), supplier: cell(supplier) }] : [],
  );
  const found = await outcomesWith(new Set(rows.map(({ cell }) => cell(mark))), likely, context);
  const byPlace = new Map(context.unknowns.map(({ record }) => [`${record.source}:${record.line}`, record]));
  const answered = new Map<string, AnsweredRow>();
  const byId = new Map<string, AnsweredRow>();
  return async (one: AnsweredRow): Promise<Answered[]> => {
    const { as, cell } = one;
    const marked = found.get(cell(mark));
    if (marked === undefined) {
      throw new ResolveError(
        `the run has no outcome with the hash ${JSON.stringify(cell(mark))}. <template> is the template.`,
      );
    }
    const { record, step, row, unknowns } = marked;
    const same = answered.get(cell(mark));
    if (same !== undefined) {
      if (same.as === as && same.cell(serviceId) === cell(serviceId)) return [];
      throw new ResolveError(`row ${same.line} has another answer for this outcome. Keep one of them.`);
    }
    answered.set(cell(mark), one);
    expectCells(one, marked, byPlace);
    const { supplier, kind, number } = record;
    const serviceNumber = cell(serviceId) || undefined;
    if (serviceNumber !== undefined) {
      expectServiceId(serviceNumber, { kind, step, as });
      const id = `${kind} ${serviceNumber}`;
      const other = kind === 'populate' ? undefined : byId.get(id);
      if (other !== undefined) {
        throw new ResolveError(
          `row ${other.line} has the same service id for another record: check which of them the service has under it.`,
        );
      }
      byId.set(id, one);
    }
    const choice = { supplier, kind, number, step, items: row.position === null ? undefined : [row.mark] };
    return outcomesOf({ choice, as, serviceNumber }, { ...context, unknowns });
  };
}

const KINDS: ReadonlySet<string> = new Set<RecordKind>(['populate', 'business', 'account']);

/** Throws a `ResolveError` if the cells of a row are not those of its hash. */
function expectCells(one: AnsweredRow, marked: Marked, byPlace: ReadonlyMap<string, LedgerRecord>): void {
  const { record, step: ofMark, row } = marked;
  const { serviceNumber, amounts } = UNKNOWN_CSV;
  const expected = {
    ...{ [kind]: record.kind, [supplier]: record.supplier, [step]: ofMark, [items]: row.name },
    // What a person looks up.
    ...{ [amounts]: row.amount, [serviceNumber]: record.serviceNumber ?? '' },
  };
  const others = Object.entries(expected).flatMap(([column, text]): ExpectedCell[] => {
    const found = one.cell(column);
    // A deleted column, and a number that was not known when the sheet was written, contradict nothing.
    const isOpen = column === amounts || (column === serviceNumber && /^\d*$/.test(text));
    const isLeftOut = isOpen ? found === '' || text === '' : column === serviceNumber;
    return isLeftOut || mayBecome(text, found) ? [] : [{ column, found, expected: text }];
  });
  const other = byPlace.get(`${one.cell(file)}:${one.cell(line)}`);
  const isOther = other !== undefined && other !== record && namesRecord(one, other) && !namesRecord(one, record);
  const why = otherCellsIn(one, record, '<template>', { others, isOther });
  if (why !== undefined) throw new ResolveError(why);
}
