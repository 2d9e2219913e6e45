/** Exports `answersOfSheet`: unknown.csv with its column `answer` filled in becomes answers about outcomes of the run. */

import { openSheet, type SheetRow } from '../../migration/input/csv/edited-csv.js';
import type { RecordKey, RecordKind } from '../../migration/ledger/ledger.js';
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
import { counted } from '../../migration/shared/format.js';
import { placeOf } from '../../migration/shared/place.js';
import { UsageError } from '../shared/errors.js';

/** Further rows that cannot be used are counted. */
const MOST_LISTED = 20;

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
    expectCells(one, marked);
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

/**
 * Throws a `ResolveError` if the cells of a row are not those of its hash. A spreadsheet may change a number, and a new input the place: not
 * both.
 */
function expectCells({ cell }: AnsweredRow, { record, step: ofMark, row }: Marked): void {
  const name = `${record.kind} ${record.number}`;
  const refuse = (of: string, found: string): never => {
    throw new ResolveError(
      `the hash is that of ${of}, and the row has ${found}. <template> has the rows as they belong together.`,
    );
  };
  if (cell(kind) !== record.kind || cell(step) !== ofMark) {
    refuse(`${name} at step ${ofMark}`, `${cell(kind)} and ${cell(step)}`);
  }
  if (cell(key) !== record.number && `${cell(file)}:${cell(line)}` !== placeOf(record)) {
    refuse(`${name} at ${placeOf(record)}`, 'another number and place');
  }
  if (cell(items) !== row.name) refuse(`${row.name} of ${name}`, 'other items');
}
