/** Which test a row of the table means. */
import type { Title } from './titles.js';

/**
 * The tests that a reference can mean; a sound one means exactly one. It is the title of a test, with or without those
 * of its groups (`group > title`), as written; or its beginning; or the title as a case of the test has it
 * (`a supplier that is Paused is 400`). Of these the first that fits decides.
 */
export function meant(reference: string, titles: readonly Title[]): Title[] {
  const known = found.get(titles) ?? new Known(titles);
  found.set(titles, known);
  return known.meant(reference);
}

/** Of a list of titles, what each reference means: table and page ask for the same hundreds of them. */
const found = new WeakMap<readonly Title[], Known>();

const PLACEHOLDER = /%[sdifjo]|\$\{…\}|\$\w+/g;

class Known {
  private readonly texts: readonly (readonly [text: string, title: Title])[];
  /** Texts with placeholders, by what is between those. */
  private readonly templates: readonly (readonly [parts: readonly string[], title: Title])[];
  private readonly byReference = new Map<string, Title[]>();

  constructor(titles: readonly Title[]) {
    this.texts = titles.flatMap((title) => [...new Set([title.own, title.full])].map((text) => [text, title] as const));
    this.templates = this.texts
      .map(([text, title]) => [text.split(PLACEHOLDER), title] as const)
      .filter(([parts]) => parts.length > 1);
    for (const [text, title] of this.texts) {
      const those = this.byReference.get(text);
      if (those === undefined) this.byReference.set(text, [title]);
      else those.push(title);
    }
  }

  meant(reference: string): Title[] {
    const known = this.byReference.get(reference) ?? this.search(reference);
    this.byReference.set(reference, known);
    return known;
  }

  private search(reference: string): Title[] {
    const beginning = this.texts.filter(([text]) => text.startsWith(reference));
    const fitting =
      beginning.length > 0
        ? beginning
        : this.templates.filter(([parts, title]) => isCase(reference, parts, title.words));
    return [...new Set(fitting.map(([, title]) => title))];
  }
}

/** The text in place of a placeholder must occur in the test: a case that was deleted does not count. */
function isCase(reference: string, parts: readonly string[], words: ReadonlySet<string>): boolean {
  // First by their ends: most titles differ there, and a pattern takes far longer.
  if (!reference.startsWith(parts[0] ?? '') || !reference.endsWith(parts.at(-1) ?? '')) return false;
  const pattern = new RegExp(`^${parts.map(escaped).join('(.+?)')}$`);
  const filled = pattern.exec(reference);
  return filled?.slice(1).every((word) => isWritten(word, words)) ?? false;
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
