/** Exports `inputFields`, the section of the report page about the input: columns that the mapping never reads, and fields. */

import { number } from '../../shared/format.js';
import type { Report } from '../report.js';
import { type InputReport, inputFileInWords, recordsInWords, unreadInWords } from '../summary/input-report.js';
import { html, type Markup, NOTHING } from './markup.js';
import { profileTables } from './profile-section.js';

export function inputFields({ input }: Pick<Report, 'input'>): Markup {
  if (input === undefined) return NOTHING;
  const unread = unreadInWords(input.files);
  const fields = Object.entries(input.fields);
  if (fields.length + unread.length + input.files.length === 0) return NOTHING;
  return html`<section aria-labelledby="input"><h2 id="input">Content of the input</h2>
${
  input.files.length === 0
    ? NOTHING
    : html`<ul>${input.files.map(
        (file) => html`<li>${inputFileInWords(file)}</li>
`,
      )}</ul>`
}
${unread.map((text) => html`<p>${text}.</p>\n`)}
${fields.length === 0 ? NOTHING : table(input, fields)}
${input.profile === undefined ? NOTHING : profileTables(input.profile)}
</section>`;
}

function table(input: Omit<InputReport, 'profile'>, fields: readonly [string, number][]): Markup {
  return html`<details><summary>Fields, by the number of records that have them; ${recordsInWords(input)} were counted</summary>
<p class="muted">A * stands for any index, and for a name that the API specification does not have.</p>
<div class="wide" role="group" aria-labelledby="input" tabindex="0"><table>
<thead><tr><th scope="col">field</th><th scope="col" class="n">records</th></tr></thead>
<tbody>${fields.map(
    ([
      path,
      count,
    ]) => html`<tr><th scope="row" class="mono">${path}</th><td data-name="records" class="n">${number(count)}</td></tr>
`,
  )}</tbody></table></div></details>`;
}
