/** Which test a row of the table means. */
import type { Title } from './titles.js';

/**
 * The tests that a reference can mean; a sound one means exactly one. It is the title of a test, with or without those
 * of its groups (`group > title`), as written; or its beginning; or the title as a case of the test has it
 * (`a supplier that is Paused is 400`). Of these the first that fits decides.
 */
export function meant(reference: string, titles: readonly Title[]): Title[] {
  const known = found.get(titles) ?? byText(titles);
  found.set(titles, known);
  const these = known.get(reference) ?? search(reference, titles);
  known.set(reference, these);
  return these;
}

/** Of a list of titles, what each reference means: table and page ask for the same hundreds of them. */
const found = new WeakMap<readonly Title[], Map<string, Title[]>>();

/** What those references mean that are a title as written. */
function byText(titles: readonly Title[]): Map<string, Title[]> {
  const found = new Map<string, Title[]>();
  for (const title of titles)
    for (const text of new Set(both(title))) {
      found.set(text, [...(found.get(text) ?? []), title]);
    }
  return found;
}

const both = ({ own, full }: Title) => [own, full];

function search(reference: string, titles: readonly Title[]): Title[] {
  const waysToFit: readonly ((title: Title) => boolean)[] = [
    (title) => both(title).some((text) => text.startsWith(reference)),
    (title) => both(title).some((text) => isCase(reference, text, title.words)),
  ];
  for (const fits of waysToFit) {
    const fitting = titles.filter(fits);
    if (fitting.length > 0) return fitting;
  }
  return [];
}

const PLACEHOLDER = /%[sdifjo]|\$\{…\}|\$\w+/g;

/** The text in place of a placeholder must occur in the test: a case that was deleted does not count. */
function isCase(reference: string, template: string, words: ReadonlySet<string>): boolean {
  const [first = '', ...parts] = partsOf(template);
  // First by their beginnings: most titles differ there, and a pattern takes far longer.
  if (parts.length === 0 || !reference.startsWith(first)) return false;
  const pattern = new RegExp(`^${[first, ...parts].map(escaped).join('(.+?)')}$`);
  const filled = pattern.exec(reference);
  return filled?.slice(1).every((word) => isWritten(word, words)) ?? false;
}

const split = new Map<string, string[]>();

/** What is between the placeholders. Each title is asked for hundreds of times. */
function partsOf(template: string): string[] {
  const parts = split.get(template) ?? template.split(PLACEHOLDER);
  split.set(template, parts);
  return parts;
}

/** As a whole, or left open as it is; or, for the path to a field, in two parts: a note's `body` is written once, and used below `notes.0`. */
function isWritten(word: string, words: ReadonlySet<string>): boolean {
  if (words.has(word) || new RegExp(`^(${PLACEHOLDER.source})$`).test(word)) return true;
  const dots = [...word.matchAll(/\./g)].map(({ index }) => index);
  return dots.some((dot) => words.has(word.slice(0, dot)) && words.has(word.slice(dot + 1)));
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
