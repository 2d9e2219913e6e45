/** Which file of the repository becomes which page, and where a link between files leads on the site. */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[/\\]$/, '');

const FOLDERS = ['docs', 'examples'];
/** The template of the pages of example programs. */
const PROGRAMS = 'site/examples/';

/** Markdown that is no page: everything outside of the folders above and the first level of the repository. */
export const srcExclude = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !FOLDERS.includes(entry.name))
  .map(({ name }) => (name === 'site' ? 'site/*.md' : `${name}/**`));

/** `docs/run.md` is the page `run.md`, a README the index of its folder. */
export function pageOf(file: string): string {
  return file
    .replace(/^docs\//, '')
    .replace(PROGRAMS, 'examples/')
    .replace(/(^|\/)README\.md$/, '$1index.md');
}

/** The programs that have a page: everything in `examples` but Markdown, which is a page itself. */
export const programs = readdirSync(join(root, 'examples'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && !entry.name.endsWith('.md'))
  .map((entry) => relative(join(root, 'examples'), join(entry.parentPath, entry.name)))
  .filter((path) => !path.includes('node_modules'));

/** The page that a relative link of a file leads to, from the top of the site, or `undefined` for a file that has none. */
export function targetOf(link: string, file: string): string | undefined {
  const [, path = '', heading = ''] = /^([^#]*)(#.*)?$/.exec(link) ?? [];
  if (path === '') return heading;
  const target = normalize(join(dirname(file), path));
  if (programs.some((program) => target === join('examples', program))) return `/${target}.md${heading}`;
  return target.endsWith('.md') && existsSync(join(root, target)) ? `/${pageOf(target)}${heading}` : undefined;
}
