/** `npm run words -- [file or folder ...]`: prints the phrases to rewrite; `--max 10` exits with 1 if there are more. */
import { parseArgs } from 'node:util';
import { placesIn } from './plain-words.js';

const DEFAULT = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'docs',
  'src',
  'schemas',
  'examples',
  'test',
];

const { values, positionals } = parseArgs({ options: { max: { type: 'string' } }, allowPositionals: true });
const { places, words } = placesIn(positionals.length === 0 ? DEFAULT : positionals);
for (const { file, line, phrase, instead } of places) console.log(`${file}:${line}: ${phrase}  ->  ${instead}`);
console.log(`${places.length} in ${words} words: ${((places.length / words) * 10_000).toFixed(1)} in 10,000`);
process.exitCode = places.length > Number(values.max ?? Number.POSITIVE_INFINITY) ? 1 : 0;
