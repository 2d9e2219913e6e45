/** Exports the sections of the report page about the process of the run: verification, interventions, workers, configuration. */
import { counted, importCountsInWords, moment, untilWhen } from '../../shared/format.js';
import type { Report } from '../report.js';
import { count, groups, ofNumbers, table } from './blocks.js';
import { html, type Markup, NOTHING } from './markup.js';

export function verification({ verification: found }: Report): Markup {
  if (found === undefined) return NOTHING;
  const { at, compared, differences, imports } = found;
  const isSame = differences.length === 0;
  return html`<p>${counted(compared, 'record')}, ${moment(at)}. ${isSame ? 'The accounts in the ledger match those of the service. ' : ''}The service does not list items, so they are not compared.</p>
${isSame ? NOTHING : groups(differences.map(({ remedy, ...found }) => ({ ...found, texts: [remedy] })))}${
  imports === undefined
    ? NOTHING
    : html`<p>Import statuses, ${moment(imports.at)}: ${importCountsInWords(imports.counts)}.${
        imports.counts.REJECTED === 0 ? '' : ' rejected-by-service.jsonl lists the accounts that are REJECTED.'
      }</p>`
}`;
}

export function interventions({ audit }: Report): Markup {
  if (audit.length === 0) return NOTHING;
  const rows = audit.map(({ at, by, what }) => [moment(at), by, what]);
  return table('audit', ['when', 'by', { name: 'what', isSentence: true }], rows);
}

export function workers({ workers: found = [] }: Report): Markup {
  if (found.length === 0) return NOTHING;
  const time = (name: string) => ({ name, class: 'time' });
  const headings = [
    ...[{ name: 'name', class: 'name' }, 'host', time('from'), time('to')],
    ...['records ended', 'requests', 'answers 429', 'taken over'].map(ofNumbers),
  ];
  const rows = found.map((worker) => {
    const { ended, requests, throttled, takenOver } = worker.work;
    const work = [ended, requests, throttled, takenOver].map(count);
    return [worker.name, worker.host, moment(worker.joinedAt), untilWhen(worker), ...work];
  });
  return html`<p class="muted">“taken over” counts records that the worker continued because another worker had stopped sending heartbeats.</p>
${table('workers', headings, rows)}`;
}

export function configuration({ run: { configuration: settings, transactionsQuery, versions } }: Report): Markup {
  const queries = Object.entries(transactionsQuery).map(([name, values]) => [
    `transactions.create: ${name}`,
    values.length > 1 ? `${values.join(', then ')} (in different sessions)` : values.join(),
  ]);
  const rows = [...Object.entries(settings), ...queries, ...Object.entries(versions)].map((row) => row.map(String));
  const value = { name: 'value', class: 'mono', isSentence: true };
  return table('configuration', ['setting', value], rows);
}
