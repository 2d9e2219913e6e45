/** Exports `createFindingsText`, which prints the findings of `check`: errors as they are found, then warnings, equal ones together. */
import type { PlacedFinding } from '../../../migration/operations/check-records.js';
import { createGroups, hintOf, withoutIndexes } from '../../../migration/report/summary/error-groups.js';
import { counted } from '../../../migration/shared/format.js';

/** Equal warnings: of the same code at the same field, with the same text. */
interface EqualWarnings {
  first: PlacedFinding;
  count: number;
  /** Places after the first. */
  others: string[];
}

/** Places of equal warnings that are named. */
const MOST_PLACES = 3;
/** Further different warnings are printed at once, to limit memory: values that are shown may all differ. */
const MOST_WARNINGS = 10_000;

export interface FindingsText {
  /** Prints an error, and keeps a warning. */
  add(finding: PlacedFinding): void;
  /** Prints the warnings. */
  endOfFindings(): void;
  /** Returns a line for each code and field, with the number of records: errors, then warnings. */
  groups(): string[];
  /** Returns `2 errors, 1,200 warnings`. */
  total(): string;
}

export function createFindingsText(out: (text: string) => void): FindingsText {
  const groups = { error: createGroups(), warning: createGroups() };
  const counts = { error: 0, warning: 0 };
  const warnings = new Map<string, EqualWarnings>();

  function addWarning(finding: PlacedFinding): void {
    const { code, attr, detail, value } = finding;
    const key = JSON.stringify([code, withoutIndexes(attr), detail, value]);
    const equal = warnings.get(key);
    if (equal !== undefined) {
      equal.count++;
      if (equal.others.length < MOST_PLACES - 1) equal.others.push(placeOf(finding));
    } else if (warnings.size >= MOST_WARNINGS) out(`${inOneLine(finding)}\n`);
    else warnings.set(key, { first: finding, count: 1, others: [] });
  }

  return {
    add(finding) {
      const { severity, source, line, count } = finding;
      counts[severity]++;
      groups[severity].add(`${source}:${line}`, [{ step: 'check', ...finding }], count);
      if (severity === 'error') out(`${inOneLine(finding)}\n`);
      else addWarning(finding);
    },
    endOfFindings() {
      for (const equal of warnings.values()) out(`${equalInOneLine(equal)}\n`);
      warnings.clear();
    },
    groups: () =>
      (['error', 'warning'] as const).flatMap((severity) =>
        groups[severity].list().map(({ code, attr, count, didYouMean }) => {
          const place = `${attr === '' ? '' : ` at ${attr}`}${hintOf(didYouMean)}`;
          return `${String(count).padStart(9)}  ${severity} ${code}${place}`;
        }),
      ),
    total: () =>
      counts.warning === 0
        ? counted(counts.error, 'error')
        : `${counted(counts.error, 'error')}, ${counted(counts.warning, 'warning')}`,
  };
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
