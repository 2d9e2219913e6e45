/** Exports `planRecords`: which columns of which exports make a record, and by which columns further exports belong to the first one. */
import { jsonText } from './literals.js';
import {
  ADDRESSES,
  type ColumnMatches,
  isSameName,
  type MatchedColumn,
  matchColumns,
  namesBilling,
  POINT,
  POINTS,
  SAME_ADDRESS,
} from './match-columns.js';
import { type ExportFile, valuesOf } from './read-export.js';
import { areDays } from './value-forms.js';

/** A field with its column and the export that has it. */
export interface PlannedColumn extends MatchedColumn {
  file: ExportFile;
}

/** How an export belongs to the first one. */
export interface Related {
  file: ExportFile;
  /** The columns with the same values; undefined if there are none. */
  key: (Pair & { remark: string | undefined }) | undefined;
  /** Without a key: columns that have common values. */
  near: Pair | undefined;
  /** Whether each value of the key is there once. Otherwise its rows are the supply points of a record. */
  isSingle: boolean;
  /** The fields of the supply points of a record, and those of their addresses if it has them; empty if the rows are something else. */
  points: readonly PlannedColumn[];
  /** Whether a column of it makes a field. */
  isUsed: boolean;
}

/** A column that may be for a field. */
interface Candidate {
  file: ExportFile;
  column: string;
  /** The field; undefined if nothing is known. */
  candidate: string | undefined;
  /** Why the code does not have it there. */
  why?: string | undefined;
}

export interface Plan {
  file: ExportFile;
  /** One for each field, in the order of the payload. */
  columns: readonly PlannedColumn[];
  supplyType: ColumnMatches['supplyType'];
  /** Of columns that make no field, and of others; of one column the first one counts. */
  candidates: readonly Candidate[];
  related: readonly Related[];
}

/** Returns the further export that has the supply points; undefined if the rows of the first one have them. */
export function pointsOf({ related }: Plan): Related | undefined {
  return related.find((one) => one.points.length > 0);
}

const IDENTIFIER = `${POINT}.identifier`;
const NUMBER = 'account.external_account_number';

/** Returns whether some fields have the address of a site. */
export function haveAddress(paths: readonly string[]): boolean {
  return SAME_ADDRESS.some(([, supply]) => paths.includes(supply));
}

/** The rows of an export with supply points are sites: an address that is not said to be that of bills is the one of the site. */
function atSites(matched: readonly MatchedColumn[]): readonly MatchedColumn[] {
  if (haveAddress(pathsOf(matched))) return matched;
  return matched.map((match) => {
    const supply = SAME_ADDRESS.find(([billing]) => billing === match.field.path)?.[1];
    return supply === undefined || namesBilling(match.column)
      ? match
      : { ...match, field: { ...match.field, path: supply } };
  });
}

const pathsOf = (matched: readonly MatchedColumn[]) => matched.map(({ field }) => field.path);

/** Returns the plan of the records. `matches`: of the columns of `file`, which has a row for each account. */
export function planRecords(file: ExportFile, matches: ColumnMatches, others: readonly ExportFile[]): Plan {
  const columns: PlannedColumn[] = matches.matched.map((match) => ({ ...match, file }));
  let { supplyType } = matches;
  const candidates = candidatesIn(file, matches);
  /** The export whose rows are the supply points. */
  let list: Related | undefined;
  const related = others.map((other): Related => {
    const { key, near } = keyOf(file, matches, other);
    const isSingle = key !== undefined && isUnique(other, key.column);
    const found = matchColumns(other.columns);
    const isFree = (path: string) => columns.every(({ field }) => field.path !== path);
    const hasPoints =
      list === undefined &&
      isFree(IDENTIFIER) &&
      found.matched.some(({ column, field }) => field.path === IDENTIFIER && column !== key?.column);
    const matched = (hasPoints ? atSites(found.matched) : found.matched)
      .filter(({ column }) => column !== key?.column)
      .map((match) => ({ ...match, file: other }));
    const isOfSite = (path: string) => path.startsWith(`${ADDRESSES}.`) && !path.startsWith(POINTS);
    // An address is not made of the parts of two exports.
    const isAddressUsed = isSingle ? !haveAddress(pathsOf(columns)) : haveAddress(pathsOf(matched));
    const planned = matched.filter(
      ({ field: { path } }) =>
        key !== undefined &&
        path !== NUMBER &&
        (isSingle
          ? isFree(path) && (hasPoints || !path.startsWith(POINTS)) && (isAddressUsed || !haveAddress([path]))
          : // A list of points has the fields of this export only.
            hasPoints && (path.startsWith(POINT) || (isAddressUsed && isOfSite(path)))),
    );
    const whyNot = (path: string): string | undefined => {
      const first = columns.find(({ field }) => field.path === path);
      if (key === undefined) return undefined;
      if (path === NUMBER) return `If each row of ${other.table} is an account, name this file first`;
      if (first !== undefined) return `The code has it from ${jsonText(first.column)} of ${first.file.table}`;
      if (isSingle && haveAddress([path])) return 'The supply address has other columns already';
      if (list !== undefined && path.startsWith(POINTS)) return `The supply points are the rows of ${list.file.table}`;
      return isSingle ? undefined : `${other.table} has several rows for a record`;
    };
    candidates.push(...matched.flatMap((one) => leftOut(one, whyNot(one.field.path))), ...candidatesIn(other, found));
    const points = isSingle ? [] : planned;
    const one = { file: other, key, near, isSingle, points, isUsed: points.length > 0 };
    if (hasPoints && planned.length > 0) ({ supplyType } = found);
    if (one.points.length > 0) list = one;
    if (isSingle) columns.push(...planned);
    return one;
  });
  const hasPoint = columns.some(({ field }) => field.path === IDENTIFIER);
  const listed = list && pathsOf(list.points);
  const whyLeft = ({ field: { path } }: PlannedColumn): string | undefined => {
    if (listed !== undefined && haveAddress(listed) && path.startsWith(`${ADDRESSES}.`))
      return `The supply addresses are the rows of ${list?.file.table}`;
    if (hasPoint || !path.startsWith(POINTS)) return undefined;
    if (list === undefined) return 'No column has the identifier of its supply point';
    return `The supply points are the rows of ${list.file.table}`;
  };
  const used = columns.filter((one) => whyLeft(one) === undefined);
  const left = columns.flatMap((one) => (used.includes(one) ? [] : leftOut(one, whyLeft(one))));
  return {
    ...{ file, supplyType, columns: used, candidates: [...left, ...candidates] },
    related: related.map((one) => ({ ...one, isUsed: one.isUsed || used.some((column) => column.file === one.file) })),
  };
}

function leftOut({ file, column, house, field }: PlannedColumn, why: string | undefined): Candidate[] {
  return [column, house].flatMap((name) =>
    name === undefined ? [] : { file, column: name, candidate: field.path, why },
  );
}

function candidatesIn(file: ExportFile, { candidates }: ColumnMatches): Candidate[] {
  return [...candidates].map(([column, candidate]) => {
    const why = candidate?.includes('date') && areDays(valuesOf(file, column)) ? DAYS : undefined;
    return { file, column, candidate, why };
  });
}

const DAYS =
  'Its numbers are days since 1899-12-30, as spreadsheets count them: format the column as a date, and export it again';

/** The share of the values of a key that must be in the other file too. */
const LEAST_COMMON = 0.5;

/** Columns of two exports with the same values. */
interface Pair {
  column: string;
  inFirst: string;
}

/**
 * Returns the columns by which the rows of an export belong to those of the first one: the same values, best under the same name. One of them has
 * each value once: that of the first one, or that of the other one, as of many accounts of a customer. `near`: the best columns with common
 * values otherwise.
 */
function keyOf(file: ExportFile, matches: ColumnMatches, other: ExportFile): Pick<Related, 'key' | 'near'> {
  const fieldOf = new Map(matches.matched.map(({ column, field }) => [column, field.path]));
  const [own, others] = [matches.candidates, matchColumns(other.columns).candidates];
  const pairs = file.columns.flatMap((first) => {
    const values = new Set(first.values);
    const isNumber = fieldOf.get(first.name) === NUMBER;
    // A repeated account number is a duplicate, which the check reports.
    const isOne = isNumber || isUnique(file, first.name);
    return other.columns.map((column) => {
      const different = new Set(column.values);
      const shared = [...different].filter((value) => values.has(value)).length;
      const isNamed = isSameName(first.name, column.name);
      const areNumbers = (isNumber || (!isOne && own.get(first.name) === NUMBER)) && others.get(column.name) === NUMBER;
      const isOther = isUnique(other, column.name) && (areNumbers || (isNamed && !fieldOf.has(first.name)));
      const common = shared / Math.max((isOne ? different : values).size, 1);
      return { column: column.name, inFirst: first.name, common, areNumbers, isNamed, isKey: isOne || isOther };
    });
  });
  const sorted = pairs.sort((one, another) => fitOf(another) - fitOf(one));
  const best = sorted.find(
    ({ isKey, common, isNamed, areNumbers }) =>
      isKey && (common >= LEAST_COMMON || (areNumbers && (isNamed || common > 0))),
  );
  if (best === undefined) return { key: undefined, near: sorted.find(({ common }) => common > 0) };
  const { column, inFirst, common, isNamed, areNumbers } = best;
  const remark =
    common === 0
      ? 'no value is in the first rows of both files: check it'
      : isNamed || areNumbers
        ? undefined
        : 'their values are the same, and their names are not: check it';
  return { key: { column, inFirst, remark }, near: undefined };
}

/** Common values count most, then the account number, then equal names. */
function fitOf({ common, isNamed, areNumbers }: { common: number; isNamed: boolean; areNumbers: boolean }): number {
  return (common > 0 ? 4 : 0) + (areNumbers ? 2 : 0) + (isNamed ? 1 : 0) + common / 2;
}

/** Returns whether each row that was read has another value. */
function isUnique(file: ExportFile, column: string): boolean {
  const values = valuesOf(file, column);
  return values.length === file.rows && new Set(values).size === file.rows;
}
