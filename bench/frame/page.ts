/** Updates docs/speed.md: its text is written by hand, the tables between markers by the benchmarks. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { GroupName } from '../plan.js';

const PAGE = fileURLToPath(new URL('../../docs/speed.md', import.meta.url));

export function writeToPage(measured: ReadonlyMap<GroupName, string>): void {
  const text = [...measured].reduce((page, [name, table]) => withTable(page, name, table), readFileSync(PAGE, 'utf8'));
  writeFileSync(PAGE, text);
}

/** Returns the page with the table of this group replaced. */
export function withTable(page: string, name: string, table: string): string {
  const [begin, end] = [`<!-- measured: ${name} -->`, `<!-- end: ${name} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) {
    throw new Error(
      `docs/speed.md: expected the marker ${begin} and, after it, ${end}; put both where the table belongs.`,
    );
  }
  return `${page.slice(0, from)}${begin}\n\n${table}\n\n${page.slice(to)}`;
}
