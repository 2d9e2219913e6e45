/** Exports the sections of the report page about the results: balance, items, funnel, errors, unknown outcomes, changed lines. */

import { STEPS } from '../../ledger/ledger.js';
import { amountInWords } from '../../shared/decimal.js';
import { counted, ITEM_KINDS, number, spaced, stepWord } from '../../shared/format.js';
import { AMOUNT_PARTS, type AmountTotals } from '../summary/amount-totals.js';
import {
  countInWords,
  isUsed,
  partInWords,
  typeInWords,
  uncountedInWords,
  unreadAmountsInWords,
} from '../summary/amount-words.js';
import { acceptedInWords, removedInWords } from '../summary/difference-words.js';
import { type ErrorGroup, hintOf, type Place } from '../summary/error-groups.js';
import type { FunnelRow } from '../summary/funnel.js';
import { ITEM_OUTCOMES } from '../summary/item-totals.js';
import { NOT_ALL_READ, type PlacedTransactions, type Summary, type UnknownGroup } from '../summary/summary.js';
import { html, type Markup, NOTHING } from './markup.js';

const PARTS = ['created', 'alreadyImported', 'rejected', 'skipped', 'unknown', 'unfinished', 'notInInput'] as const;

export function balance(summary: Summary, isInputRead = true): Markup {
  const parts = PARTS.filter((part) => (part !== 'unfinished' && part !== 'notInInput') || summary[part] > 0);
  const wordsOf = (part: (typeof PARTS)[number]) => (part === 'notInInput' ? 'no longer in the input' : spaced(part));
  const tile = (count: number, words: string, icon: string, sign: string) =>
    html`<li data-sign="${sign}"><b>${number(count)}</b><span><i class="i-${icon}"></i>${words}</span></li>`;
  return html`<section aria-label="Balance">
${summary.balance.isBalanced ? NOTHING : html`<p class="alarm">Out of balance. ${summary.balance.text}</p>`}
${isInputRead ? NOTHING : html`<p class="muted">${NOT_ALL_READ}</p>`}
${stacked(
  'share',
  PARTS.map((part) => [part, summary[part]]),
  summary.input,
)}
<ul class="balance">
${parts.map((part, index) => tile(summary[part], wordsOf(part), part, index === parts.length - 1 ? '=' : '+'))}
${tile(summary.input, 'input', 'none', '')}
</ul>
${summary.waiting === 0 ? NOTHING : html`<p class="muted">Of the skipped records, ${counted(summary.waiting, 'account waits', 'accounts wait')} for a business.</p>`}
${summary.incomplete === 0 ? NOTHING : html`<p class="muted">${counted(summary.incomplete, 'account that exists lacks', 'accounts that exist lack')} items that were refused or not sent; incomplete.jsonl lists them.</p>`}
${summary.notInInput === 0 ? NOTHING : html`<p class="muted">Records that are no longer in the input are not on the service; not-in-input.jsonl lists them.</p>`}
${summary.unfinished === 0 ? NOTHING : html`<p class="muted">The same command continues unfinished records whose line is in the input; unfinished.jsonl lists them.</p>`}
</section>`;
}

/** The outcomes of the items, by kind, and the transactions that the service stored with another date. */
export function items({ items: totals, itemBalance, moved, uncounted }: Summary): Markup {
  const kinds = ITEM_KINDS.filter((kind) => totals[kind].input > 0);
  if (kinds.length === 0 && itemBalance.isBalanced) return NOTHING;
  const parts = ITEM_OUTCOMES.filter((part) => part === 'sent' || kinds.some((kind) => totals[kind][part] > 0));
  return html`<section aria-labelledby="items"><h2 id="items">Items</h2>
${itemBalance.isBalanced ? NOTHING : html`<p class="alarm">Out of balance. ${itemBalance.text}</p>`}
${shares(
  ITEM_SHARES,
  kinds.map((kind) => ({
    name: spaced(kind),
    whole: number(totals[kind].input),
    shares: ITEM_OUTCOMES.map((part) => [part, Math.max(0, totals[kind][part])] as const),
  })),
)}
<div class="wide" role="group" aria-labelledby="items" tabindex="0"><table>
<thead><tr><th scope="col">kind</th>${parts.map((part) => html`<th scope="col" class="n">${spaced(part)}</th>`)}<th scope="col" class="n">input</th></tr></thead>
<tbody>${kinds.map(
    (
      kind,
    ) => html`<tr><th scope="row">${spaced(kind)}</th>${[...parts, 'input' as const].map((part) => html`<td data-name="${part === 'input' ? 'input' : spaced(part)}" class="n${totals[kind][part] === 0 ? ' zero' : ''}">${number(totals[kind][part])}</td>`)}</tr>
`,
  )}</tbody></table></div>
${uncounted === 0 ? NOTHING : html`<p class="muted">${uncountedInWords(uncounted)}</p>`}
${movedTransactions(moved)}
</section>`;
}

function movedTransactions(moved: PlacedTransactions): Markup {
  if (moved.count === 0) return NOTHING;
  return html`<p>${counted(moved.count, 'transaction was', 'transactions were')} moved to the current statement: the service gave another date than was
sent. ok.csv lists them by account.</p>
${placesOf(moved)}`;
}

function placesOf({ count, places }: PlacedTransactions): Markup {
  const more = count - places.length;
  return html`<details><summary>Their places in the input</summary><p class="samples"><span class="mono">${places.join(', ')}</span>${more > 0 ? ` and ${number(more)} more` : ''}</p></details>`;
}

/** The control totals: the parts of the amounts of the input, and their sum, by type; the same by supplier if there are several. */
export function amounts({ amounts: { types, suppliers, isExplained }, otherAmounts, errors }: Summary): Markup {
  if (types.length === 0) return NOTHING;
  return html`<section aria-labelledby="amounts"><h2 id="amounts">Amounts</h2>
<p class="muted">The amounts that the service confirmed item by item, the reasons of the difference, and the amounts of the input. The number of items is in brackets.</p>
${isExplained ? NOTHING : html`<p class="alarm">Amounts are not explained. This is a bug; keep the run folder and report it.</p>`}
${shares(
  AMOUNT_SHARES,
  types.map((totals) => ({
    name: typeInWords(totals.type),
    whole: amountInWords(totals.input.sum),
    shares: [...AMOUNT_SHARES.keys()].map((part) => [part, Math.abs(Number(totals[part].sum))] as const),
  })),
)}
${amountTable(types)}
${unreadAmountsInWords(errors).map((text) => html`<p class="muted">${text}</p>`)}
${
  otherAmounts.count === 0
    ? NOTHING
    : html`<p>${counted(otherAmounts.count, 'transaction was', 'transactions were')} confirmed with another amount than was sent: ask the operator which amount
is correct. ok.csv lists them by account.</p>
${placesOf(otherAmounts)}`
}
${
  suppliers.length < 2
    ? NOTHING
    : html`<details><summary>By import supplier</summary>${suppliers.map(
        (one) => html`<h3 class="mono">${one.supplier === '' ? 'without a supplier' : one.supplier}</h3>
${amountTable(one.types)}
`,
      )}</details>`
}
</section>`;
}

function amountTable(types: readonly AmountTotals[]): Markup {
  const parts = AMOUNT_PARTS.filter((part) => part === 'confirmed' || types.some((totals) => isUsed(totals[part])));
  const columns = [...parts, 'input' as const];
  const cell = (column: (typeof columns)[number], { count, sum }: AmountTotals['input']) =>
    html`<td data-name="${column === 'input' ? 'input' : partInWords(column)}" class="n${count === 0 && sum === '0' ? ' zero' : ''}">${amountInWords(sum)}${countInWords({ count, sum })}</td>`;
  return html`<div class="wide dense" role="group" aria-labelledby="amounts" tabindex="0"><table>
<thead><tr><th scope="col">type</th>${parts.map((part) => html`<th scope="col" class="n">${partInWords(part)}</th>`)}<th scope="col" class="n">input</th></tr></thead>
<tbody>${types.map(
    (
      totals,
    ) => html`<tr><th scope="row">${typeInWords(totals.type)}</th>${columns.map((column) => cell(column, totals[column]))}</tr>
`,
  )}</tbody></table></div>`;
}

/** Words and colour of the parts of a bar. */
type Shares<Part extends string> = ReadonlyMap<Part, readonly [words: string, colour: string]>;

const COLOURS: Partial<Record<string, string>> = { sent: 'created', confirmed: 'created' };

const ITEM_SHARES: Shares<(typeof ITEM_OUTCOMES)[number]> = new Map(
  ITEM_OUTCOMES.map(
    (part) => [part, [spaced(part), part === 'notSent' ? 'skipped' : (COLOURS[part] ?? part)]] as const,
  ),
);

/** Without the parts that are differences between amounts. */
const SHARED_AMOUNTS = [
  ...(['confirmed', 'alreadyImported', 'rejected', 'skipped', 'unknown', 'notSent', 'waiting', 'unfinished'] as const),
];

const AMOUNT_SHARES: Shares<(typeof SHARED_AMOUNTS)[number]> = new Map(
  SHARED_AMOUNTS.map((part) => [part, [partInWords(part), COLOURS[part] ?? part]] as const),
);

interface ShareRow<Part extends string> {
  name: string;
  /** At the end of the bar. */
  whole: string;
  shares: readonly (readonly [Part, number])[];
}

/** A chart with a bar for each row, as long as the others: what share of it has which outcome. The table below has the numbers. */
function shares<Part extends string>(parts: Shares<Part>, rows: readonly ShareRow<Part>[]): Markup {
  const used = [...parts].filter(([part]) =>
    rows.some((row) => row.shares.some(([name, count]) => name === part && count > 0)),
  );
  return html`<figure class="shares" aria-hidden="true">
${rows.map(({ name, whole, shares: own }) => {
  const sum = own.reduce((total, [, count]) => total + count, 0);
  return html`<span>${name}</span><b>${whole}</b>${stacked(
    'steps',
    own.map(([part, count]) => [parts.get(part)?.[1] ?? 'none', count]),
    sum,
  )}
`;
})}<figcaption>${used.map(([, [words, colour]]) => html`<span><i class="i-${colour}"></i>${words}</span> `)}</figcaption>
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

const COLUMNS = ['passed', 'alreadyImported', 'rejected', 'skipped', 'unknown', 'unfinished'] as const;

/** The batch ids of the supply points whose lookup was queued. */
export function batches({ batches }: Summary): Markup {
  if (batches === undefined) return NOTHING;
  const more = batches.count - batches.ids.length;
  return html`<section aria-labelledby="batches"><h2 id="batches">Pre-population</h2>
<p>The service has queued ${counted(batches.count, 'batch', 'batches')} of supply points. ok.csv lists them.</p>
<p class="samples"><span class="mono">${batches.ids.join(', ')}</span>${more > 0 ? ` and ${number(more)} more` : ''}</p></section>`;
}

export function funnel(rows: readonly FunnelRow[]): Markup {
  if (rows.length === 0) return NOTHING;
  const columns = COLUMNS.filter((column) => column === 'passed' || rows.some((row) => row[column] > 0));
  const kinds = [
    ['populate', 'Pre-population'],
    ['business', 'Businesses'],
    ['account', 'Accounts'],
  ] as const;
  const most = (kind: string) =>
    rows.filter((row) => row.kind === kind).reduce((top, row) => Math.max(top, total(row)), 0);
  return html`<section aria-labelledby="funnel"><h2 id="funnel">Records by step</h2>
<p class="muted">“passed” counts records that completed the step or did not need it.</p>
<div class="wide" role="group" aria-labelledby="funnel" tabindex="0"><table>
<thead><tr><th scope="col">step</th><th scope="col" class="bar">share</th>${columns.map((column) => html`<th scope="col" class="n">${spaced(column)}</th>`)}</tr></thead>
${kinds
  .map(([kind, words]) => ({ words, top: most(kind), own: rows.filter((row) => row.kind === kind) }))
  .filter(({ own }) => own.length > 0)
  .map(
    ({ words, top, own }) => html`<tbody><tr><th scope="rowgroup" colspan="${columns.length + 2}">${words}</th></tr>
${own.map(
  (row) => html`<tr><th scope="row">${stepWord(row.step)}</th><td class="bar">${stacked(
    'steps',
    COLUMNS.map((column) => [column === 'passed' ? 'created' : column, row[column]]),
    top,
  )}</td>${columns.map((column) => html`<td data-name="${spaced(column)}" class="n${row[column] === 0 ? ' zero' : ''}">${number(row[column])}</td>`)}</tr>
`,
)}</tbody>`,
  )}
</table></div></section>`;
}

function total(row: FunnelRow): number {
  return COLUMNS.reduce((sum, column) => sum + row[column], 0);
}

const PLACES: readonly Place[] = ['read', ...STEPS];

export function errors({ errors: groups }: Pick<Summary, 'errors'>): Markup {
  if (groups.length === 0) return NOTHING;
  const places = PLACES.filter((place) => groups.some(({ step }) => step === place));
  const most = groups.reduce((top, { count }) => Math.max(top, count), 0);
  return html`<section aria-labelledby="errors"><h2 id="errors">Errors: refused or not sent, and what to do</h2>
<p class="muted">By step, the most frequent first. A * stands for any index. rejected.csv has every place, with the column of a CSV file.</p>
${places.map((place) =>
  errorsAt(
    place,
    groups.filter(({ step }) => step === place),
    most,
  ),
)}
</section>`;
}

/** `most`: number of records of the most frequent error. */
function errorsAt(place: Place, groups: readonly ErrorGroup[], most: number): Markup {
  return html`<h3>${stepWord(place)}</h3>
<ul class="groups">
${groups.map(
  ({
    code,
    attr,
    count,
    samples,
    remedy,
    didYouMean,
    detail,
  }) => html`<li><span class="count">${number(count)}${stacked('steps', [['rejected', count]], most)}</span><div>
<p class="what mono">${code}${attr === '' ? NOTHING : html` <span class="attr">${attr}${hintOf(didYouMean)}</span>`}</p>
<p>${remedy}</p>
${detail === undefined ? NOTHING : html`<p class="muted">The first one: ${detail}</p>`}
${sampleLine(samples)}
</div></li>
`,
)}</ul>`;
}

function sampleLine(samples: readonly string[]): Markup {
  return samples.length === 0
    ? NOTHING
    : html`<p class="samples">for example <span class="mono">${samples.join(', ')}</span></p>`;
}

export function unknowns(groups: readonly UnknownGroup[]): Markup {
  if (groups.length === 0) return NOTHING;
  return html`<section aria-labelledby="unknowns"><h2 id="unknowns">Unknown outcomes</h2>
<p>The answer was lost, so the request may or may not have taken effect. A run does not send it again: find out, then resolve it.</p>
<ul class="groups">
${groups.map(
  ({ step, count, samples, howToResolve }) => html`<li><span class="count">${number(count)}</span><div>
<p class="what">${stepWord(step)}</p>
<p>${howToResolve}</p>
${sampleLine(samples)}
</div></li>
`,
)}</ul></section>`;
}

export function correctedLines({ count, samples }: Summary['corrected']): Markup {
  if (count === 0) return NOTHING;
  return html`<section aria-labelledby="corrected"><h2 id="corrected">Corrected with retry</h2>
<p>${counted(count, 'line of the input differs from the corrected line that was sent in its place, and is', 'lines of the input differ from the corrected lines that were sent in their place, and are')}
not sent again. For example <span class="mono">${samples.join(', ')}</span>. Keep the input as it is, or put the corrected
${count === 1 ? 'line in its place' : 'lines in their place'}.</p></section>`;
}

export function removedRecords({ removed, accepted }: Pick<Summary, 'removed' | 'accepted'>): Markup {
  const texts = [removedInWords(removed), acceptedInWords(accepted)].filter((text) => text !== undefined);
  if (texts.length === 0) return NOTHING;
  return html`<section aria-labelledby="removed"><h2 id="removed">No longer in the input</h2>
${texts.map((text) => html`<p>${text}</p>`)}</section>`;
}

export function changedLines({ count, samples, unsent, fields }: Summary['changed']): Markup {
  if (count === 0) return NOTHING;
  return html`<section aria-labelledby="changed"><h2 id="changed">Changed since their import</h2>
<p>${counted(count, 'line differs', 'lines differ')} from the line that was sent. The service has the former
payload; an import cannot change it. For example <span class="mono">${samples.join(', ')}</span>; changed.jsonl lists all of them.</p>
${
  fields.length === 0
    ? NOTHING
    : html`<ul class="groups">
${fields.map(
  ({ path, count: lines, samples: places }) => html`<li><span class="count">${number(lines)}</span><div>
<p class="what mono">${path}</p>
${sampleLine(places)}
</div></li>
`,
)}</ul>`
}
${unsent === 0 ? NOTHING : html`<p>${counted(unsent, 'line has', 'lines have')} items that were not sent; incomplete.jsonl lists them. <code>--add-to-existing</code> sends notes and transactions; the service does not skip statements and payment instructions that it has.</p>`}</section>`;
}
