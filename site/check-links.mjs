/** Fails if a link, picture or anchor of the built site leads nowhere. VitePress itself checks only the paths of links between pages. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = fileURLToPath(new URL('.vitepress/dist', import.meta.url));
const base = process.env.SITE_BASE ?? '/';
const pages = new Map(
  readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.html'))
    .map((path) => [path, readFileSync(join(dist, path), 'utf8')]),
);
const anchors = new Map(
  [...pages].map(([path, html]) => [path, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
);

const broken = [];
for (const [path, html] of pages) {
  for (const [, target] of html.matchAll(/ (?:href|src)="([^"]+)"/g)) {
    const { origin, pathname, hash } = new URL(target, `http://site${base}${path}`);
    if (origin !== 'http://site') continue;
    const name = decodeURIComponent(pathname.slice(base.length));
    const file = name === '' || name.endsWith('/') ? `${name}index.html` : name;
    const isThere = pathname.startsWith(base) && existsSync(join(dist, file));
    const id = decodeURIComponent(hash.slice(1));
    if (!isThere || (id !== '' && !anchors.get(file)?.has(id))) broken.push(`${path}: ${target}`);
  }
}
for (const line of broken) console.error(line);
console.log(`${pages.size} pages, ${broken.length} links that lead nowhere`);
if (pages.size === 0 || broken.length > 0) process.exitCode = 1;
