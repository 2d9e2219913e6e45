/** Exports `inputWarnings` and `profileTables`: the warnings of the local check, and what is in the fields of the input. */
import type { FieldProfile } from '../../../validation/records/field-profile.js';
import { amountInWords } from '../../shared/decimal.js';
import { number } from '../../shared/format.js';
import type { Report } from '../report.js';
import { typeInWords } from '../summary/amount-words.js';
import type { ErrorGroup } from '../summary/error-groups.js';
import type { AmountProfile } from '../summary/input-profile.js';
import { detailsInWords, shareInWords, signedSumsInWords } from '../summary/profile-words.js';
import { html, type Markup, NOTHING } from './markup.js';

export function inputWarnings({ summary: { warnings } }: Pick<Report, 'summary'>): Markup {
  if (warnings.length === 0) return NOTHING;
  return html`<section aria-labelledby="warnings"><h2 id="warnings">Warnings: values to look at</h2>
<p class="muted">Values that the local check finds suspicious, and that keep no record from being sent. Those of records that were corrected since are gone.</p>
<ul class="groups">
${warnings.map(warning)}</ul></section>`;
}

function warning({ code, attr, count, samples, detail }: ErrorGroup): Markup {
  return html`<li><span class="count">${number(count)}</span><div>
<p class="what mono">${code}${attr === '' ? NOTHING : html` <span class="attr">${attr}</span>`}</p>
${detail === undefined ? NOTHING : html`<p>${detail}</p>`}
${samples.length === 0 ? NOTHING : html`<p class="samples">for example <span class="mono">${samples.join(', ')}</span></p>`}
</div></li>
`;
}

/** The amounts, and each field. */
export function profileTables({ amounts, fields }: NonNullable<NonNullable<Report['input']>['profile']>): Markup {
  return html`${amounts.length === 0 ? NOTHING : amountTable(amounts)}
${fields.length === 0 ? NOTHING : fieldTable(fields)}`;
}

function amountTable(amounts: readonly AmountProfile[]): Markup {
  const cell = (name: string, text: string | undefined) =>
    html`<td data-name="${name}" class="n">${text === undefined ? '' : amountInWords(text)}</td>`;
  return html`<details><summary>Amounts of the input by type and sign</summary>
<div class="wide" role="group" aria-labelledby="input" tabindex="0"><table>
<thead><tr><th scope="col">type</th><th scope="col">sums (number)</th><th scope="col" class="n">net sum</th><th scope="col" class="n">lowest</th><th scope="col" class="n">highest</th></tr></thead>
<tbody>${amounts.map(
    (
      one,
    ) => html`<tr><th scope="row">${typeInWords(one.type)}</th><td data-name="sums">${signedSumsInWords(one)}</td>${cell('net sum', one.net)}${cell('lowest', one.least)}${cell('highest', one.most)}</tr>
`,
  )}</tbody></table></div></details>`;
}

function fieldTable(fields: readonly FieldProfile[]): Markup {
  return html`<details><summary>Fields: how often they are filled, and with what</summary>
<p class="muted">By the objects that can have the field. A * stands for any index, and for a name that the API specification does not have. No value of a person is shown.</p>
<div class="wide" role="group" aria-labelledby="input" tabindex="0"><table>
<thead><tr><th scope="col">field</th><th scope="col" class="n">filled</th><th scope="col">values</th></tr></thead>
<tbody>${fields.map(
    (
      field,
    ) => html`<tr><th scope="row" class="mono">${field.path}</th><td data-name="filled" class="n${field.filled === 0 ? ' zero' : ''}">${shareInWords(field)}</td><td data-name="values">${detailsInWords(field)}</td></tr>
`,
  )}</tbody></table></div></details>`;
}
