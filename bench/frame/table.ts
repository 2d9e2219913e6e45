/** Formats the table of a group as Markdown with aligned columns, readable in a terminal. */
import type { Goal, PlannedGroup, Unit } from '../plan.js';
import type { Entry } from './sheet.js';

const HEAD = ['what', 'goal', 'measured', 'middle half of the rounds', 'met'];

export function tableOf({ rows }: PlannedGroup, entries: ReadonlyMap<string, Entry>): string {
  const lines = Object.entries(rows).map(([id, { what, unit, goal }]) => {
    const entry = entries.get(id) ?? { failed: 'not measured' };
    if ('failed' in entry)
      return [what, goalText(goal, unit), `failed: ${withoutBars(entry.failed)}`, '', goal ? 'no' : ''];
    const { value, middle } = entry;
    return [
      what,
      goalText(goal, unit),
      withUnit(value, unit),
      middle === undefined ? '' : middle.map(numberText).join(' to '),
      goal === undefined ? '' : isMet(goal, value) ? 'yes' : 'no',
    ];
  });
  const all = [HEAD, ...lines];
  const widths = HEAD.map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0)));
  const row = (cells: readonly string[]) =>
    `| ${cells.map((text, nth) => text.padEnd(widths[nth] ?? 0)).join(' | ')} |`;
  return [row(HEAD), row(widths.map((width) => '-'.repeat(width))), ...lines.map(row)].join('\n');
}

/** Returns the rows that missed their goal or could not be measured. */
export function missedIn({ rows }: PlannedGroup, entries: ReadonlyMap<string, Entry>): string[] {
  return Object.entries(rows).flatMap(([id, { what, goal }]) => {
    const entry = entries.get(id);
    const isFine = entry !== undefined && !('failed' in entry) && (goal === undefined || isMet(goal, entry.value));
    return isFine ? [] : [what];
  });
}

function isMet(goal: Goal, value: number): boolean {
  return 'atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost;
}

function goalText(goal: Goal | undefined, unit: Unit): string {
  if (goal === undefined) return '';
  return 'atLeast' in goal ? `at least ${withUnit(goal.atLeast, unit)}` : `at most ${withUnit(goal.atMost, unit)}`;
}

function withUnit(value: number, unit: Unit): string {
  return unit === 'times' || unit === '' ? numberText(value) : `${numberText(value)} ${unit}`;
}

function numberText(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-GB', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Replaces bars, which would end the cell. */
function withoutBars(text: string): string {
  return text.replaceAll('|', '/');
}
