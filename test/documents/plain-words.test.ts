/** Each folder has at most the number of stumbling phrases below. Lower a number after a rewrite; never raise it. */
import { relative } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './documents.js';
import { placesIn } from './plain-words.js';

/** Generated from comments, messages, test titles and quotations, which count where they are written. */
const GENERATED = ['docs/reference', 'docs/fidelity.md', 'docs/fidelity.json'];

/** How many places a path has at most. A file that is rewritten has 3 in 10,000 words at most, which is 0 or 1. */
const BOUNDS = {
  'README.md': 0,
  'CHANGELOG.md': 0,
  'CONTRIBUTING.md': 0,
  'SECURITY.md': 0,
  '.github': 0,
  bench: 0,
  docs: 0,
  schemas: 0,
  src: 0,
  examples: 0,
  // The lists of the phrases themselves, in plain-words.ts.
  test: 15,
};

test.each(Object.entries(BOUNDS))(
  '%s has at most %i phrases that readers stumble over',
  { tags: 'long' },
  (path, bound) => {
    const { places } = placesIn([`${root}/${path}`], GENERATED);
    const shown = places.map(({ file, line, phrase }) => `${relative(root, file)}:${line}: ${phrase}`);
    expect(
      shown.length,
      `${shown.slice(-40).join('\n')}\nnpm run words -- ${path} prints all places`,
    ).toBeLessThanOrEqual(bound);
  },
);
