/**
 * Exports `htmlDocument`, the frame of a page without external resources, with a policy that allows none, and no script besides its own;
 * and `copyable`, a command with a button that copies it. Values from the input or the service are always text.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { html, type Markup, raw } from './markup.js';

// The build puts the text of the file here (build/text-files.ts).
const STYLE = readFileSync(new URL('style.css', import.meta.url), 'utf8');

export function htmlDocument({
  eyebrow,
  headline,
  intro,
  main,
}: Record<'eyebrow' | 'headline', string> & Record<'intro' | 'main', Markup>): string {
  return html`<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${eyebrow}: ${headline}</title>
<link rel="icon" href="data:,">
<style>${raw(STYLE)}</style>
</head>
<body>
<header>
<p class="eyebrow">${eyebrow}</p>
<h1>${headline}</h1>
${intro}
</header>
<main>
${main}
</main>
<script>${raw(SCRIPT)}</script>
</body>
</html>
`.markup;
}

export function copyable(command: string): Markup {
  return html`<div class="copy"><code>${command}</code><button type="button" hidden>Copy</button></div>`;
}

/**
 * Copies the command next to a button. Without scripts the buttons stay hidden, and one click selects a command. The policy of the page
 * allows this script only, by its hash.
 */
const SCRIPT = `
for (const button of document.querySelectorAll('.copy button')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    const code = button.previousElementSibling;
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      getSelection().selectAllChildren(code);
      document.execCommand('copy');
    }
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
}
`;

const POLICY = [
  "default-src 'none'",
  `style-src ${hashOf(STYLE)}`,
  `script-src ${hashOf(SCRIPT)}`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
