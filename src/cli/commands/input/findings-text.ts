/**
 * Exports `createFindingsText`, which prints the findings of `check`: errors as they are found, and equal ones up to a limit; then
 * warnings, equal ones together.
 */
import type { PlacedFinding } from '../../../migration/operations/check-records.js';
import { createGroups, hintOf, withoutIndexes } from '../../../migration/report/summary/error-groups.js';
import { counted, number } from '../../../migration/shared/format.js';
import { oneLine } from '../../../migration/shared/printable.js';

/** Equal warnings: of the same code at the same field, with the same text. */
interface EqualWarnings {
  first: PlacedFinding;
  count: number;
  /** Places after the first. */
  others: string[];
}

/** Places of equal warnings that are named. */
const MOST_PLACES = 3;
/** Further different findings are printed at once, to limit memory: values that are shown may all differ. */
const MOST_KINDS = 10_000;

/** Equal errors: the first of those that were not printed, and their number. */
interface EqualErrors {
  printed: number;
  first: PlacedFinding | undefined;
  count: number;
}

export interface FindingsText {
  /** Prints an error, unless `most` equal ones were printed, and keeps a warning. */
  add(finding: PlacedFinding): void;
  /** Prints the number of errors that were not printed, and the warnings. */
  endOfFindings(): void;
  /** Returns a line for each code and field, with the number of records: errors, then warnings. */
  groups(): string[];
  /** Returns `2 errors, 1,200 warnings`. */
  total(): string;
}

/** `most`: equal errors to print. */
export function createFindingsText(out: (text: string) => void, most = Number.POSITIVE_INFINITY): FindingsText {
  // Paths and values are of the input.
  const line = (text: string) => out(`${oneLine(text)}\n`);
  const groups = { error: createGroups(), warning: createGroups() };
  const counts = { error: 0, warning: 0 };
  const warnings = new Map<string, EqualWarnings>();
  const errors = new Map<string, EqualErrors>();

  function addError(finding: PlacedFinding): void {
    const key = kindOf(finding);
    const equal = errors.get(key) ?? { printed: 0, first: undefined, count: 0 };
    if (equal.printed < most) {
      equal.printed++;
      line(inOneLine(finding));
    } else {
      equal.first ??= finding;
      equal.count++;
    }
    // Further kinds are all printed.
    if (errors.size < MOST_KINDS) errors.set(key, equal);
  }

  function addWarning(finding: PlacedFinding): void {
    const key = kindOf(finding);
    const equal = warnings.get(key);
    if (equal !== undefined) {
      equal.count++;
      if (equal.others.length < MOST_PLACES - 1) equal.others.push(placeOf(finding));
    } else if (warnings.size >= MOST_KINDS) line(inOneLine(finding));
    else warnings.set(key, { first: finding, count: 1, others: [] });
  }

  return {
    add(finding) {
      const { severity, source, line, count } = finding;
      counts[severity]++;
      groups[severity].add(`${source}:${line}`, [{ step: 'check', ...finding }], count);
      if (severity === 'error') addError(finding);
      else addWarning(finding);
    },
    endOfFindings() {
      for (const { first, count } of errors.values()) {
        if (first !== undefined) line(moreErrorsInOneLine(first, count));
      }
      for (const equal of warnings.values()) line(equalInOneLine(equal));
      warnings.clear();
    },
    groups: () =>
      (['error', 'warning'] as const).flatMap((severity) =>
        groups[severity].list().map(({ code, attr, count, didYouMean }) => {
          const place = `${attr === '' ? '' : ` at ${attr}`}${hintOf(didYouMean)}`;
          return oneLine(`${String(count).padStart(9)}  ${severity} ${code}${place}`);
        }),
      ),
    total: () =>
      counts.warning === 0
        ? counted(counts.error, 'error')
        : `${counted(counts.error, 'error')}, ${counted(counts.warning, 'warning')}`,
  };
}

function kindOf({ code, attr, detail, value }: PlacedFinding): string {
  return JSON.stringify([code, withoutIndexes(attr), detail, value]);
}

/** `… and 50 more equal errors map_failed at map.mjs:12, the first at customers.csv:7. --limit 0 prints all.` */
function moreErrorsInOneLine(first: PlacedFinding, count: number): string {
  const { code, attr } = first;
  const errors = count === 1 ? 'error' : 'errors';
  return `… and ${number(count)} more equal ${errors} ${code}${attr === '' ? '' : ` at ${withoutIndexes(attr)}`}, the first at ${placeOf(first)}. --limit 0 prints all.`;
}

function placeOf({ source, line, label }: PlacedFinding): string {
  return label === undefined ? `${source}:${line}` : `${source}: ${label}`;
}

function inOneLine(finding: PlacedFinding): string {
  const { severity, attr, code, detail, collidesWith, value } = finding;
  const other = collidesWith === undefined ? '' : ` (${collidesWith.source}:${collidesWith.line})`;
  const shown = value === undefined ? '' : ` Value: ${value}.`;
  return `${placeOf(finding)}: ${severity} ${attr === '' ? '' : `${attr} `}${code}: ${detail}${shown}${other}`;
}

function equalInOneLine({ first, count, others }: EqualWarnings): string {
  if (count === 1) return inOneLine(first);
  const more = count > MOST_PLACES ? ', …' : '';
  return `${inOneLine(first)} ${counted(count, 'such warning')}, also at ${others.join(', ')}${more}`;
}
