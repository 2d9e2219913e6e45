/** Exports the sections of the report page about the results: balance, items, funnel, errors, unknown outcomes, changed lines. */

import { STEPS } from '../../ledger/ledger.js';
import { amountInWords } from '../../shared/decimal.js';
import { ITEM_KINDS, number, spaced, stepWord } from '../../shared/format.js';
import type { Report } from '../report.js';
import { AMOUNT_PARTS, type AmountTotals, isUsed } from '../summary/amount-totals.js';
import {
  countInWords,
  partInWords,
  typeInWords,
  uncountedInWords,
  unreadAmountsInWords,
} from '../summary/amount-words.js';
import { type ErrorGroup, hintOf, type Place } from '../summary/error-groups.js';
import { type FunnelRow, STEP_STATES } from '../summary/funnel.js';
import { ITEM_OUTCOMES } from '../summary/item-totals.js';
import * as sentences from '../summary/sentences.js';
import { PARTS, type PlacedTransactions } from '../summary/summary.js';
import { codeAt, count, groups, ofNumbers, table } from './blocks.js';
import { html, type Markup, NOTHING } from './markup.js';

const SHOWN_PARTS = [...PARTS, 'notInInput'] as const;

export function balance({ summary }: Report): Markup {
  const parts = SHOWN_PARTS.filter((part) => (part !== 'unfinished' && part !== 'notInInput') || summary[part] > 0);
  const wordsOf = (part: (typeof SHOWN_PARTS)[number]) =>
    part === 'notInInput' ? 'no longer in the input' : spaced(part);
  const tile = (count: number, words: string, icon: string, sign: string) =>
    html`<li data-sign="${sign}"><b>${number(count)}</b><span><i class="i-${icon}"></i>${words}</span></li>`;
  return html`<section aria-label="Balance">
${summary.balance.isBalanced ? NOTHING : html`<p class="alarm">Out of balance. ${summary.balance.text}</p>`}
${sentences.notBegunInWords(summary).map((text) => html`<p class="muted">${text}</p>\n`)}
${stacked(
  'share',
  SHOWN_PARTS.map((part) => [part, summary[part]]),
  summary.input,
)}
<ul class="balance">
${parts.map((part, index) => tile(summary[part], wordsOf(part), part, index === parts.length - 1 ? '=' : '+'))}
${tile(summary.input, 'input', 'none', '')}
</ul>
${[...sentences.waitingInWords(summary), ...sentences.incompleteInWords(summary)].map((text) => html`<p class="muted">${text}</p>\n`)}
${summary.notInInput === 0 ? NOTHING : html`<p class="muted">Records that are no longer in the input are not on the service; not-in-input.jsonl lists them.</p>`}
${summary.unfinished === 0 ? NOTHING : html`<p class="muted">The same command continues unfinished records whose line is in the input; unfinished.jsonl lists them.</p>`}
</section>`;
}

/** The outcomes of the items, by kind, and the transactions that the service stored with another date. */
export function items({ summary }: Report): Markup {
  const { items: totals, itemBalance, moved, uncounted } = summary;
  const kinds = ITEM_KINDS.filter((kind) => totals[kind].input > 0);
  if (kinds.length === 0 && itemBalance.isBalanced) return NOTHING;
  const parts = ITEM_OUTCOMES.filter((part) => part === 'sent' || kinds.some((kind) => totals[kind][part] > 0));
  const columns = [...parts, 'input'] as const;
  return html`${itemBalance.isBalanced ? NOTHING : html`<p class="alarm">Out of balance. ${itemBalance.text}</p>`}
${shares(
  ITEM_OUTCOMES,
  spaced,
  kinds.map((kind) => ({
    ...{ name: spaced(kind), whole: number(totals[kind].input) },
    sizeOf: (part) => Math.max(0, totals[kind][part]),
  })),
)}
${table(
  'items',
  ['kind', ...columns.map((part) => ofNumbers(spaced(part)))],
  kinds.map((kind) => [spaced(kind), ...columns.map((part) => count(totals[kind][part]))]),
)}
${uncounted === 0 ? NOTHING : html`<p class="muted">${uncountedInWords(uncounted)}</p>\n`}${withPlaces(
  sentences.movedInWords(summary),
  moved,
)}`;
}

function withPlaces(texts: readonly string[], { count, places }: PlacedTransactions): Markup {
  return html`${texts.map(
    (text) => html`<p>${text}</p>
<details><summary>Their places in the input</summary>${firstOf(places, count)}</details>\n`,
  )}`;
}

function firstOf(texts: readonly string[], count: number): Markup {
  const more = count - texts.length;
  return html`<p class="samples"><span class="mono">${texts.join(', ')}</span>${more > 0 ? ` and ${number(more)} more` : ''}</p>`;
}

/** The control totals: the parts of the amounts of the input, and their sum, by type; the same by supplier if there are several. */
export function amounts({ summary }: Report): Markup {
  const { types, suppliers, isExplained } = summary.amounts;
  const { otherAmounts, errors } = summary;
  if (types.length === 0) return NOTHING;
  return html`<p class="muted">The amounts that the service confirmed item by item, the reasons of the difference, and the amounts of the input. The number of items is in brackets.</p>
${isExplained ? NOTHING : html`<p class="alarm">Amounts are not explained. This is a bug; keep the run folder and report it.</p>`}
${shares(
  SHARED_AMOUNTS,
  partInWords,
  types.map((totals) => ({
    ...{ name: typeInWords(totals.type), whole: amountInWords(totals.input.sum) },
    sizeOf: (part) => Math.abs(Number(totals[part].sum)),
  })),
)}
${amountTable(types)}
${unreadAmountsInWords(errors).map((text) => html`<p class="muted">${text}</p>\n`)}${withPlaces(
  sentences.otherAmountsInWords(summary),
  otherAmounts,
)}${
  suppliers.length < 2
    ? NOTHING
    : html`<details><summary>By import supplier</summary>${suppliers.map(
        (one) => html`<h3 class="mono">${one.supplier === '' ? 'without a supplier' : one.supplier}</h3>
${amountTable(one.types)}
`,
      )}</details>`
}`;
}

function amountTable(types: readonly AmountTotals[]): Markup {
  const parts = AMOUNT_PARTS.filter((part) => part === 'confirmed' || types.some((totals) => isUsed(totals[part])));
  const left = types.some((totals) => isUsed(totals.notInInput)) ? (['notInInput'] as const) : [];
  return table(
    'amounts',
    ['type', ...[...parts.map(partInWords), 'input', ...left.map(partInWords)].map(ofNumbers)],
    types.map((totals) => [
      typeInWords(totals.type),
      ...[...parts, 'input' as const, ...left]
        .map((part) => totals[part])
        .map((one) => ({
          text: amountInWords(one.sum) + countInWords(one),
          isZero: !isUsed(one),
        })),
    ]),
    'wide dense',
  );
}

/** Without the parts that are differences between amounts. */
const SHARED_AMOUNTS = [
  ...(['confirmed', 'alreadyImported', 'rejected', 'skipped', 'unknown', 'notSent', 'waiting', 'unfinished'] as const),
];

interface ShareRow<Part extends string> {
  name: string;
  /** At the end of the bar. */
  whole: string;
  sizeOf: (part: Part) => number;
}

/** A chart with a bar for each row, as long as the others: what share of it has which outcome. The table below has the numbers. */
function shares<Part extends string>(
  parts: readonly Part[],
  wordsOf: (part: Part) => string,
  rows: readonly ShareRow<Part>[],
): Markup {
  const colourOf = (part: Part) => (part === 'sent' || part === 'confirmed' ? 'created' : part);
  const bars = rows.map(({ name, whole, sizeOf }) => {
    const own = parts.map((part) => [colourOf(part), sizeOf(part)] as const);
    const sum = own.reduce((total, [, size]) => total + size, 0);
    return html`<span>${name}</span><b>${whole}</b>${stacked('steps', own, sum)}\n`;
  });
  const used = parts.filter((part) => rows.some(({ sizeOf }) => sizeOf(part) > 0));
  return html`<figure class="shares" aria-hidden="true">
${bars}<figcaption>${used.map((part) => html`<span><i class="i-${colourOf(part)}"></i>${wordsOf(part)}</span> `)}</figcaption>
</figure>`;
}

/** A bar of shares. Each share above 0 has a visible width. */
function stacked(name: string, shares: readonly (readonly [string, number])[], whole: number): Markup {
  const least = 4;
  const shown = shares.filter(([, count]) => count > 0);
  const free = 1000 - least * shown.length;
  let x = 0;
  const bars = shown.map(([part, count]) => {
    const width = Math.round((least + (count / Math.max(whole, 1)) * free) * 10) / 10;
    const bar = html`<rect class="i-${part}" x="${x}" y="0" width="${width}" height="10"/>`;
    x = Math.round((x + width) * 10) / 10;
    return bar;
  });
  return html`<svg class="${name}" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">${bars}</svg>`;
}

/** The batch ids of the supply points whose lookup was queued. */
export function batches({ summary: { batches } }: Report): Markup {
  if (batches === undefined) return NOTHING;
  return html`<p>${sentences.batchesInWords(batches)}</p>
${firstOf(batches.ids, batches.count)}`;
}

export function funnel({ summary: { funnel: rows } }: Report): Markup {
  if (rows.length === 0) return NOTHING;
  const columns = STEP_STATES.filter((column) => column === 'passed' || rows.some((row) => row[column] > 0));
  const kinds = [
    ['populate', 'Pre-population'],
    ['business', 'Businesses'],
    ['account', 'Accounts'],
  ] as const;
  return html`<p class="muted">“passed” counts records that completed the step or did not need it.</p>
<div class="wide" role="group" aria-labelledby="funnel" tabindex="0"><table>
<thead><tr><th scope="col">step</th><th scope="col" class="bar">share</th>${columns.map((column) => html`<th scope="col" class="n">${spaced(column)}</th>`)}</tr></thead>
${kinds
  .map(([kind, words]) => ({ words, own: rows.filter((row) => row.kind === kind) }))
  .filter(({ own }) => own.length > 0)
  .map(
    ({ words, own }) => html`<tbody><tr><th scope="rowgroup" colspan="${columns.length + 2}">${words}</th></tr>
${own.map(
  (row) => html`<tr><th scope="row">${stepWord(row.step)}</th><td class="bar">${stacked(
    'steps',
    STEP_STATES.map((column) => [column === 'passed' ? 'created' : column, row[column]]),
    Math.max(...own.map(total)),
  )}</td>${columns.map((column) => html`<td data-name="${spaced(column)}" class="n${row[column] === 0 ? ' zero' : ''}">${number(row[column])}</td>`)}</tr>
`,
)}</tbody>`,
  )}
</table></div>`;
}

function total(row: FunnelRow): number {
  return STEP_STATES.reduce((sum, column) => sum + row[column], 0);
}

const PLACES: readonly Place[] = ['read', ...STEPS];

export function errors({ summary: { errors: found } }: Report): Markup {
  if (found.length === 0) return NOTHING;
  const most = found.reduce((top, { count }) => Math.max(top, count), 0);
  const inGroup = ({ code, attr, count, samples, remedy, didYouMean, detail }: ErrorGroup) => ({
    ...{ count, what: codeAt(code, attr, hintOf(didYouMean)), isCode: true, samples },
    bar: stacked('steps', [['rejected', count]], most),
    texts: [remedy, detail === undefined ? undefined : html`<span class="muted">The first one: ${detail}</span>`],
  });
  return html`<p class="muted">By step, the most frequent first. A * stands for any index. rejected.csv has every place, with the column of a CSV file.</p>
${PLACES.map((place) => ({ place, own: found.filter(({ step }) => step === place) }))
  .filter(({ own }) => own.length > 0)
  .map(({ place, own }) => html`<h3>${stepWord(place)}</h3>\n${groups(own.map(inGroup))}`)}
`;
}

export function unknowns({ summary: { unknowns: found } }: Report): Markup {
  if (found.length === 0) return NOTHING;
  const list = found.map(({ step, howToResolve, ...one }) => ({ ...one, what: stepWord(step), texts: [howToResolve] }));
  return html`<p>The answer was lost, so the request may or may not have taken effect. A run does not send it again: find out, then resolve it.</p>
${groups(list)}`;
}

export function changedLines({ summary }: Report): Markup {
  const { count, fields } = summary.changed;
  if (count === 0) return NOTHING;
  return html`${paragraphs(sentences.changedInWords(summary))}
${fields.length === 0 ? NOTHING : groups(fields.map(({ path, ...one }) => ({ ...one, what: path, isCode: true })))}`;
}

/** A section with sentences only. */
export function paragraphs(texts: readonly string[]): Markup {
  return texts.length === 0 ? NOTHING : html`${texts.map((text) => html`<p>${text}</p>`)}`;
}
