/** Makes Markdown that is written for the repository fit the site: links, headings, diagrams and pictures. */
import { relative } from 'node:path';
import { renderMermaidSVG } from 'beautiful-mermaid';
import type { MarkdownRenderer } from 'vitepress';
import { root, targetOf } from './sources.js';

/** As repositories make anchors of headings, so that one link works in both. */
export function slugify(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

export function adapt(md: MarkdownRenderer): void {
  md.core.ruler.push('links_of_the_repository', ({ tokens, env }) => {
    const file = relative(root, env.realPath ?? env.path);
    tokens.forEach((token, index) => {
      // A header cell without words is none, and a row of them has nothing to show.
      if (token.type !== 'th_open' || tokens[index + 1]?.content !== '') return;
      for (const cell of [token, tokens[index + 2]]) if (cell) cell.tag = 'td';
    });
    for (const { children } of tokens) {
      let opened = '';
      for (const token of children ?? []) {
        if (token.type === 'link_open') {
          opened = String(token.attrGet('href'));
          const target = /^[a-z]+:/.test(opened) ? opened : targetOf(opened, file);
          // Source code and tests are no pages: their names stay as text.
          if (target === undefined) opened = '';
          else token.attrSet('href', target);
        }
        if (opened === '' && /^link_(open|close)$/.test(token.type)) Object.assign(token, { type: 'text', tag: '' });
        if (token.type === 'link_close') opened = '';
      }
    }
  });

  const { fence, html_block } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const { info = '', content = '' } = tokens[index] ?? {};
    if (info.trim() !== 'mermaid') return fence?.(tokens, index, ...rest) ?? '';
    const heading = tokens.slice(0, index).findLastIndex(({ type }) => type === 'heading_open');
    return diagram(content, tokens[heading + 1]?.content ?? '');
  };
  // Indented code scrolls as code between fences does.
  md.renderer.rules.code_block = (tokens, index, ...rest) => {
    const token = tokens[index];
    if (token) token.info = 'text';
    return fence?.(tokens, index, ...rest) ?? '';
  };
  md.renderer.rules.html_block = (tokens, index, ...rest) =>
    inBothColours(html_block?.(tokens, index, ...rest) ?? tokens[index]?.content ?? '');
}

/** A flowchart goes down on the site, where a column of text is narrower than in a repository. */
function diagram(code: string, title: string): string {
  const svg = renderMermaidSVG(code.replace('flowchart LR', 'flowchart TD'), {
    bg: 'var(--vp-c-bg)',
    fg: 'var(--vp-c-text-1)',
    muted: 'var(--vp-c-text-2)',
    padding: 8,
    layerSpacing: 28,
  });
  // The font is that of the site, and none is loaded from elsewhere.
  const drawing = svg
    .replace(/@import[^\n]*\n/, '')
    .replace('  svg {', '  .diagram svg {')
    .replace('<svg ', `<svg role="img" aria-label="Diagram: ${title}" `);
  const html = JSON.stringify(drawing).replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return `<div class="diagram" tabindex="0" role="region" aria-label="${title}" v-html="${html}"></div>`;
}

/** A picture that follows the operating system becomes two that follow the switch of the site. */
function inBothColours(html: string): string {
  const [, dark] = /<source [^>]*srcset="([^"]+)"/.exec(html) ?? [];
  const [, light, alt] = /<img src="([^"]+)" alt="([^"]*)"/.exec(html) ?? [];
  if (!dark || !light) return html;
  return `<img class="in-light" src="./${light}" alt="${alt}"><img class="in-dark" src="./${dark}" alt="${alt}">`;
}
