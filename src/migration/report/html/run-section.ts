/** Exports the sections of the report page about the process of the run: verification, interventions, workers, configuration. */
import type { Worker, WorkerWork } from '../../distributed/ledger/worker-rows.js';
import { counted, importCountsInWords, moment, number, untilWhen } from '../../shared/format.js';
import type { AuditEntry } from '../folder/audit-log.js';
import type { RunFacts, Verification } from '../report.js';
import { html, type Markup, NOTHING } from './markup.js';

export function verification(found: Verification | undefined): Markup {
  if (found === undefined) return NOTHING;
  const { at, compared, differences, imports } = found;
  return html`<section aria-labelledby="verify"><h2 id="verify">Compared with the service</h2>
<p>${counted(compared, 'record')}, ${moment(at)}. ${differences.length === 0 ? 'The accounts in the ledger match those of the service. ' : ''}The service does not list items, so they are not compared.</p>
${
  differences.length === 0
    ? NOTHING
    : html`<ul class="groups">
${differences.map(
  ({ what, count, samples, remedy }) => html`<li><span class="count">${number(count)}</span><div>
<p class="what">${what}</p>
<p>${remedy}</p>
<p class="samples">for example <span class="mono">${samples.join(', ')}</span></p>
</div></li>
`,
)}</ul>`
}${imports === undefined ? NOTHING : importStatuses(imports)}</section>`;
}

/** Accounts by import status, as `verify --follow` found them last. */
function importStatuses({ at, counts }: NonNullable<Verification['imports']>): Markup {
  return html`<p>Import statuses, ${moment(at)}: ${importCountsInWords(counts)}.${
    counts.REJECTED === 0 ? '' : ' rejected-by-service.jsonl lists the accounts that are REJECTED.'
  }</p>`;
}

export function interventions(audit: readonly AuditEntry[]): Markup {
  if (audit.length === 0) return NOTHING;
  return html`<section aria-labelledby="audit"><h2 id="audit">Halts and interventions</h2>
<div class="wide" role="group" aria-labelledby="audit" tabindex="0"><table>
<thead><tr><th scope="col">when</th><th scope="col">by</th><th scope="col">what</th></tr></thead>
<tbody>${audit.map(
    ({ at, by, what }) => html`<tr><th scope="row">${moment(at)}</th><td data-name="by">${by}</td><td>${what}</td></tr>
`,
  )}</tbody></table></div></section>`;
}

const WORK: readonly (readonly [keyof WorkerWork, string])[] = [
  ['ended', 'records ended'],
  ['requests', 'requests'],
  ['throttled', 'answers 429'],
  ['takenOver', 'taken over'],
];

export function workers(found: readonly Worker[] = []): Markup {
  if (found.length === 0) return NOTHING;
  return html`<section aria-labelledby="workers"><h2 id="workers">Workers</h2>
<p class="muted">“taken over” counts records that the worker continued because another worker had stopped sending heartbeats.</p>
<div class="wide" role="group" aria-labelledby="workers" tabindex="0"><table>
<thead><tr><th scope="col">name</th><th scope="col">host</th><th scope="col">from</th><th scope="col">to</th>${WORK.map(
    ([, words]) => html`<th scope="col" class="n">${words}</th>`,
  )}</tr></thead>
<tbody>${found.map(
    (
      worker,
    ) => html`<tr><th scope="row" class="name">${worker.name}</th><td data-name="host">${worker.host}</td><td class="time" data-name="from">${moment(worker.joinedAt)}</td><td class="time" data-name="to">${untilWhen(worker)}</td>${WORK.map(
      ([part, words]) =>
        html`<td data-name="${words}" class="n${worker.work[part] === 0 ? ' zero' : ''}">${number(worker.work[part])}</td>`,
    )}</tr>
`,
  )}</tbody></table></div></section>`;
}

export function configuration({ configuration: settings, transactionsQuery, versions }: RunFacts): Markup {
  const queries = Object.entries(transactionsQuery).map(([name, values]) => [
    `transactions.create: ${name}`,
    values.length > 1 ? `${values.join(', then ')} (in different sessions)` : values.join(),
  ]);
  const rows = [...Object.entries(settings), ...queries, ...Object.entries(versions)];
  return html`<section aria-labelledby="configuration"><h2 id="configuration">Configuration</h2>
<div class="wide" role="group" aria-labelledby="configuration" tabindex="0"><table>
<tbody>${rows.map(
    ([name, value]) => html`<tr><th scope="row">${name}</th><td class="mono">${String(value)}</td></tr>
`,
  )}</tbody></table></div></section>`;
}
