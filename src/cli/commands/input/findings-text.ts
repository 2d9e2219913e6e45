/**
 * Exports `createFindingsText`, which prints the findings of `check` and `plan`: errors as they are found, and equal ones up to a limit; at
 * the end the answer, and each kind of finding once, with its number and the first places.
 */
import type { PlacedFinding } from '../../../migration/operations/check-input.js';
import { allWarnings, createGroups, type ErrorGroup, hintOf } from '../../../migration/report/summary/error-groups.js';
import { counted, number } from '../../../migration/shared/format.js';
import { placeOf } from '../../../migration/shared/place.js';
import { oneLine } from '../../../migration/shared/printable.js';
import { withoutIndexes } from '../../../validation/path-patterns.js';
import { isAboutMoney } from '../../../validation/warnings/rules.js';
import { wrapped } from '../../options/help.js';

/** Different errors that are counted, to limit memory: values that are shown may all differ. Further ones are all printed. */
const MOST_KINDS = 10_000;

/** Equal errors: the first of those that were not printed, and their number. */
interface EqualErrors {
  printed: number;
  first: PlacedFinding | undefined;
  count: number;
}

export type FindingsText = ReturnType<typeof createFindingsText>;

/** `most`: equal errors to print; 0 for none; without a limit all kinds of findings are listed at the end too. */
export function createFindingsText(out: (text: string) => void, most: number) {
  const mostKinds = most === Number.POSITIVE_INFINITY ? most : MOST_LISTED;
  // Paths and values are of the input.
  const line = (text: string) => out(`${oneLine(text)}\n`);
  const groups = { error: createGroups(), warning: createGroups() };
  const counts = { error: 0, warning: 0 };
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

  return {
    /** Prints an error, unless `most` equal ones were printed. */
    add(finding: PlacedFinding): void {
      const { severity, count } = finding;
      counts[severity]++;
      groups[severity].add(placesOf(finding), [{ step: 'check', ...finding }], count);
      if (severity === 'error' && most > 0) addError(finding);
    },
    /** Prints the number of errors that were not printed. */
    endOfFindings(): void {
      for (const { first, count } of errors.values()) {
        if (first !== undefined) line(moreErrorsInOneLine(first, count));
      }
    },
    /**
     * Returns the answer with the number of errors and warnings, up to ten kinds of them with their number and first places, and how to see
     * what is not shown. Of the warnings those about money come first. At most 80 columns wide. `all`: what prints all findings.
     */
    end(
      answer: string,
      { all, showPersonalData = false }: { all: string; showPersonalData?: boolean | undefined },
    ): string[] {
      const kindsOf = {
        error: groups.error.list().map((group) => kindInLines(group, 'error')),
        warning: allWarnings(groups.warning.list()).map((group) => kindInLines(group, 'warning')),
      };
      const kept = Math.min(groups.warning.list().filter(isAboutMoney).length, MOST_ABOUT_MONEY);
      const errors = kindsOf.error.slice(0, mostKinds - kept);
      const kinds = [...errors, ...kindsOf.warning.slice(0, mostKinds - errors.length)];
      const more = kindsOf.error.length + kindsOf.warning.length - kinds.length;
      const warnings = counts.warning === 0 ? '' : `, ${counted(counts.warning, 'warning')}`;
      return [
        `${answer}, ${counted(counts.error, 'error')}${warnings}`,
        ...kinds.flat(),
        ...(more > 0 ? [`… and ${counted(more, 'more kind', 'more kinds')} of findings. ${all} prints all.`] : []),
        ...(counts.error > 0 && !showPersonalData ? ['Values are hidden: --show-personal-data shows them.'] : []),
      ];
    },
  };
}

/** Kinds of findings at the end. */
const MOST_LISTED = 10;
/** Warnings about money that further kinds of errors do not displace. */
const MOST_ABOUT_MONEY = 3;

/** `    1,200  warning email_in_unusual_form at account.customers.*.email`, and below it what it means and the first places. */
function kindInLines({ code, attr, count, didYouMean, detail, samples }: ErrorGroup, severity: string): string[] {
  const more = count > samples.length ? ', …' : '';
  const place = `${attr === '' ? '' : ` at ${attr}`}${hintOf(didYouMean)}`;
  // Each error was printed with its text.
  const meaning = severity === 'error' || detail === undefined ? '' : `${detail} `;
  return [
    `${number(count).padStart(9)}  ${wrapped(oneLine(`${severity} ${code}${place}`), 11).trimStart()}`,
    ...wrapped(oneLine(`${meaning}First: ${samples.join(', ')}${more}`), 11).split('\n'),
  ];
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

function inOneLine(finding: PlacedFinding): string {
  const { severity, attr, code, detail, collidesWith, value } = finding;
  const other = collidesWith === undefined ? '' : ` (${placeOf(collidesWith)})`;
  const shown = value === undefined ? '' : ` Value: ${value}.`;
  return `${placeOf(finding)}: ${severity} ${attr === '' ? '' : `${attr} `}${code}: ${detail}${shown}${other}`;
}

/** Returns the places of a finding, each with its value if it may be shown. */
function placesOf(finding: PlacedFinding): string[] {
  const { collidesWith, value, others = [] } = finding;
  const place = placeOf(finding);
  const other = collidesWith === undefined ? '' : ` as ${placeOf(collidesWith)}`;
  const shown = value === undefined ? '' : `: ${value}`;
  return [`${place}${other}${shown}`, ...others.map(placeOf)];
}
