/** Exports `inputWarnings` and `inputFields`: the warnings of the local check, and what is in the columns and fields of the input. */
import { amountInWords } from '../../shared/decimal.js';
import type { Report } from '../report.js';
import { typeInWords } from '../summary/amount-words.js';
import { inputFileInWords, recordsInWords, unreadInWords } from '../summary/input-report.js';
import { detailsInWords, shareInWords, signedSumsInWords } from '../summary/profile-words.js';
import { codeAt, groups, ofNumbers, table } from './blocks.js';
import { html, type Markup, NOTHING } from './markup.js';

export function inputWarnings({ summary: { warnings } }: Report): Markup {
  if (warnings.length === 0) return NOTHING;
  const list = warnings.map(({ code, attr, count, samples, detail }) => ({
    ...{ count, what: codeAt(code, attr), isCode: true, texts: [detail], samples },
  }));
  return html`<p class="muted">Values that the local check finds suspicious, and that keep no record from being sent. Those of records that were corrected since are gone.</p>
${groups(list)}`;
}

export function inputFields({ input }: Report): Markup {
  if (input === undefined) return NOTHING;
  const { files, profile } = input;
  const unread = unreadInWords(files);
  if (profile.fields.length + unread.length + files.length === 0) return NOTHING;
  const amount = (text: string | undefined) => (text === undefined ? '' : amountInWords(text));
  return html`${files.length === 0 ? NOTHING : html`<ul>${files.map((file) => html`<li>${inputFileInWords(file)}</li>\n`)}</ul>\n`}${unread.map((text) => html`<p>${text}.</p>\n`)}
${details(
  'Amounts of the input by type and sign',
  'The number of amounts is in brackets.',
  ['type', 'sums', ...['net sum', 'lowest', 'highest'].map(ofNumbers)],
  profile.amounts.map((one) => [
    typeInWords(one.type),
    signedSumsInWords(one),
    amount(one.net),
    amount(one.least),
    amount(one.most),
  ]),
)}
${details(
  `Fields of ${recordsInWords(input)}: how often they are filled, and with what`,
  'By the objects that can have the field. A * stands for any index, and for a name that the API specification does not have. No value of a person is shown.',
  [{ name: 'field', class: 'mono' }, ofNumbers('filled'), 'values'],
  profile.fields.map((field) => [
    field.path,
    { text: shareInWords(field), isZero: field.filled === 0 },
    detailsInWords(field),
  ]),
)}`;
}

/** A table that a click opens; nothing without rows. */
function details(
  summary: string,
  remark: string,
  headings: Parameters<typeof table>[1],
  rows: Parameters<typeof table>[2],
): Markup {
  if (rows.length === 0) return NOTHING;
  return html`<details><summary>${summary}</summary>
<p class="muted">${remark}</p>
${table('input', headings, rows)}</details>`;
}
