/** What people read of the package, besides what is generated: the texts, and the blocks of code in them. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Without a slash at its end. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[/\\]$/, '');

/** Written by test/trace, which looks after it. */
const GENERATED = 'fidelity.md';

export const documents: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'examples/distributed/README.md',
  ...readdirSync(`${root}/docs`).flatMap((name) =>
    name.endsWith('.md') && name !== GENERATED ? [`docs/${name}`] : [],
  ),
];

export function textOf(document: string): string {
  return readFileSync(`${root}/${document}`, 'utf8');
}

export interface Block {
  document: string;
  /** Of its first line of code, from 1. */
  line: number;
  code: string;
}

/** The blocks in this language, as they stand. */
export function blocksOf(language: string): Block[] {
  return documents.flatMap((document) => {
    const text = textOf(document);
    return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map((match) => ({
      document,
      line: text.slice(0, match.index).split('\n').length + 1,
      code: match[1] ?? '',
    }));
  });
}

/** The lines of shell that a page prints, without remarks, from top to bottom. */
export function commandLinesOf(document: string): string[] {
  return blocksOf('sh')
    .filter((block) => block.document === document)
    .flatMap(({ code }) => code.split('\n'))
    .map((line) => line.replace(/(^|\s+)#.*$/, ''))
    .filter((line) => line !== '');
}
