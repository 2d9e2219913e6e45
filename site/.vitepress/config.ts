import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DefaultTheme, defineConfig } from 'vitepress';
import { adapt, slugify } from './markdown.js';
import { pageOf, root, srcExclude } from './sources.js';

type Item = DefaultTheme.SidebarItem;

/** Menu entries: the title of the page, or the word that stands before its path. */
function pages(...entries: (string | [string, string])[]): Item[] {
  return entries.map((entry) => {
    const [text, file] = typeof entry === 'string' ? [titleOf(entry), entry] : entry;
    return { text, link: `/${pageOf(file).replace(/(index)?\.md$/, '')}` };
  });
}

function titleOf(file: string): string {
  const [, title = file] = /^# (?:Interface: |Class: )?(.+)$/m.exec(readFileSync(join(root, file), 'utf8')) ?? [];
  return title.replaceAll('`', '');
}

const inFolder = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => /^(?!README)[^[]+\.md$/.test(name))
    .map((name) => `${folder}/${name}`);

const start = pages(
  ['Five minutes', 'README.md'],
  ['From a CSV export, in ten steps', 'docs/from-csv-to-production.md'],
  'docs/cookbook.md',
  'docs/guarantees.md',
  ['Words', 'docs/glossary.md'],
);
const guides: Item[] = [
  { text: 'A program', items: pages('docs/client.md', ['The sandbox', 'docs/sandbox.md']) },
  {
    text: 'Your export',
    items: pages('docs/fields.md', 'docs/input.md', 'docs/mapping.md', 'docs/sql-input.md'),
  },
  {
    text: 'A migration',
    items: pages('docs/rehearse.md', 'docs/run.md', 'docs/verify.md', 'docs/control-totals.md', 'docs/monitoring.md'),
  },
  { text: 'Many machines', items: pages('docs/postgresql.md', ['Distributed runs', 'docs/distributed.md']) },
  { text: 'Other tools', items: pages('docs/certify.md', 'docs/learn.md', ['AI agents', 'docs/agents.md']) },
];
const reference: Item[] = [
  {
    text: 'Look up',
    items: pages('docs/commands.md', 'docs/exit-codes.md', 'docs/errors.md', 'docs/run-folder.md', 'docs/runtimes.md'),
  },
  {
    text: 'Generated from the code',
    items: pages(
      ['Contents', 'docs/reference/README.md'],
      'docs/reference/operations.md',
      'docs/reference/options.md',
      ['Error classes', 'docs/reference/errors.md'],
      ['Settings of the sandbox', 'docs/reference/settings.md'],
      ['Flags of each command', 'docs/reference/cli/README.md'],
      ['Exported names', 'docs/reference/api/README.md'],
    ),
  },
];
/** Beside the pages of the generated lists, which would hide the rest of the menu. */
const commands: Item[] = [
  {
    text: 'Commands',
    items: pages(['All commands', 'docs/reference/cli/README.md'], ...inFolder('docs/reference/cli')),
  },
];
const modules: Item[] = [
  {
    text: 'Exported names',
    items: pages(
      ['All modules', 'docs/reference/api/README.md'],
      ...['', '/schemas', '/migration', '/mapping', '/sandbox', '/msw', '/opentelemetry'].map(
        (name): [string, string] => [`data-import-sdk${name}`, `docs/reference/api/data-import-sdk${name}/README.md`],
      ),
    ),
  },
];
const inside: Item[] = [
  {
    text: 'How it works',
    items: pages(
      'docs/architecture.md',
      'docs/unspecified-behaviour.md',
      'docs/threat-model.md',
      'docs/speed.md',
      'docs/compatibility.md',
    ),
  },
  {
    text: 'For maintainers',
    items: pages(
      'CONTRIBUTING.md',
      ['Decisions', inFolder('docs/decisions')[0] ?? ''],
      'docs/fidelity.md',
      'SECURITY.md',
      'CHANGELOG.md',
    ),
  },
];

const menu = JSON.stringify([start, guides, reference, inside]);
const missing = inFolder('docs').filter((file) => !menu.includes(`"/${pageOf(file).replace('.md', '')}"`));
if (missing.length > 0)
  throw new Error(`No entry of the menu leads to ${missing.join(', ')}: add it in site/.vitepress/config.ts.`);

/** Long lists, of which the search finds the page and not each sentence. */
const BY_TITLE = /^(docs\/reference\/api\/|docs\/fidelity\.md|CHANGELOG\.md)/;

export default defineConfig({
  title: 'data-import-sdk',
  description: 'Move energy customers into a supply and billing platform: client, sandbox and migration runner.',
  base: process.env['SITE_BASE'] ?? '/',
  srcDir: '..',
  srcExclude,
  rewrites: pageOf,
  head: [
    [
      'link',
      {
        rel: 'icon',
        href: 'data:image/svg+xml,<svg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 8 8%22><path d=%22M1 4h4M3 2l2 2-2 2M7 1v6%22 fill=%22none%22 stroke=%22%233451b2%22/></svg>',
      },
    ],
  ],
  markdown: {
    languageAlias: { mjs: 'js' },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify },
    config: adapt,
  },
  vite: {
    build: { chunkSizeWarningLimit: 4000 },
    plugins: [
      {
        // The pages lie outside of the folder that has the packages.
        name: 'packages-of-the-site',
        enforce: 'pre',
        resolveId(source, importer, options) {
          if (!/^vue(\/|$)/.test(source)) return null;
          if (options.ssr) return { id: source, external: true };
          if (!importer?.endsWith('.md')) return null;
          return this.resolve(source, join(root, 'site/package.json'), { ...options, skipSelf: true });
        },
      },
    ],
  },
  themeConfig: {
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/', activeMatch: '^/(index.html)?$' },
      { text: 'Guides', link: '/rehearse' },
      { text: 'Reference', link: '/commands' },
      { text: 'Inside', link: '/architecture' },
    ],
    sidebar: {
      '/decisions/': [{ text: 'Decisions', items: pages(...inFolder('docs/decisions')) }],
      '/reference/api/': modules,
      '/reference/cli/': commands,
      '/': [
        { text: 'Start', items: start },
        { text: 'Guides', items: guides },
        { text: 'Reference', items: reference },
        { text: 'Inside', items: inside },
      ],
    },
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          searchOptions: {
            combineWith: 'AND',
            // A guide comes before the reason for a decision about the same thing.
            boostDocument: (id: string) =>
              /^[^#]*\/(decisions|reference\/(?!api)|examples|unspecified|threat)/.test(id) ? 0.2 : 1,
          },
        },
        _render(source, env, md) {
          const html = md.render(source, env);
          return BY_TITLE.test(env.relativePath) ? (/<h1[\s\S]*?<\/h1>/.exec(html)?.[0] ?? '') : html;
        },
      },
    },
  },
});
