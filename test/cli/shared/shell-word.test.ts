/** The command that goes on with a run can be pasted into a shell. */
import { win32 } from 'node:path';
import { expect, test } from 'vitest';
import { shellWord } from '../../../src/cli/shared/shell-word.js';

test.each<[NodeJS.Platform, string, string]>([
  ['linux', 'book/2026.jsonl', 'book/2026.jsonl'],
  ['linux', 'my book.jsonl', "'my book.jsonl'"],
  ['linux', "O'Brien $HOME", "'O'\\''Brien $HOME'"],
  ['linux', 'C:\\book.jsonl', "'C:\\book.jsonl'"],
  ['win32', win32.join('C:', 'books', '2026.jsonl'), 'C:\\books\\2026.jsonl'],
  ['win32', 'C:\\my books\\2026.jsonl', '"C:\\my books\\2026.jsonl"'],
  ['win32', 'Mon-Fri 20:00-06:00', '"Mon-Fri 20:00-06:00"'],
  ['win32', 'say "so"', '"say \\"so\\""'],
])('on %s %s is %s', (platform, word, expected) => {
  expect(shellWord(word, platform)).toBe(expected);
});
