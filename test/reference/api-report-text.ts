/** Reports that say each thing once: what an earlier report has, a later one only names. */

export interface Report {
  name: string;
  text: string;
}

const FENCE = '```ts\n';

/** `text` is as API Extractor writes it: declarations in one block of code, an empty line between two. */
export function shortened(reports: readonly Report[]): Report[] {
  const saidIn = new Map<string, string>();
  return reports.map(({ name, text }) => {
    const [head = '', code = ''] = text.split(FENCE);
    const own: string[] = [];
    const again = new Map<string, string[]>();
    for (const part of code.replace(/\n```\n*$/, '').split('\n\n')) {
      const declaration = part.trim();
      if (declaration === '' || declaration === NO_COMMENT) continue;
      const said = declaration.replace(/^export /m, '');
      const where = saidIn.get(said);
      const what = nameOf(said);
      if (where === undefined || what === undefined) own.push(declaration);
      else if (said !== declaration) again.set(where, [...(again.get(where) ?? []), what]);
      if (where === undefined && what !== undefined) saidIn.set(said, name);
    }
    const title = head.replace(/^## .*$/m, `## API of ${name}`).replace(/^> .*$/m, DO_NOT_EDIT);
    return { name, text: `${title}${FENCE}\n${own.join('\n\n')}\n\n\`\`\`\n${listed(again)}` };
  });
}

const NO_COMMENT = '// (No @packageDocumentation comment for this package)';
const DO_NOT_EDIT = [
  '> Written by `npm run api` with [API Extractor](https://api-extractor.com/); do not edit. A change in this file is a',
  '> change of the public API: is it intended, does it break callers, is it in CHANGELOG.md?',
].join('\n');

/** Of `// @public` and the declaration below it; undefined for imports. */
function nameOf(declaration: string): string | undefined {
  const [, name] = /^(?:abstract )?(?:class|interface|type|const|function) ([\w$]+)/m.exec(declaration) ?? [];
  return name;
}

function listed(again: ReadonlyMap<string, readonly string[]>): string {
  return [...again]
    .map(
      ([where, names]) =>
        `\nAlso exported here, with the API of ${where}:\n\n${[...names]
          .sort()
          .map((name) => `- \`${name}\`\n`)
          .join('')}`,
    )
    .join('');
}
