/** Exports `reportPage`: report.html, what a person reads about a run. */
import { duration, moment, number } from '../../shared/format.js';
import type { Report } from '../report.js';
import { correctedInWords, removedInWords } from '../summary/sentences.js';
import { htmlDocument } from './document.js';
import { inputFields, inputWarnings } from './input-section.js';
import { html, type Markup, NOTHING } from './markup.js';
import { headline, needs, state } from './needs-section.js';
import { type Layer, plot } from './plot.js';
import * as process from './run-section.js';
import * as results from './summary-section.js';

/** In their order on the page. One without content is left out. */
const SECTIONS: readonly (readonly [id: string, heading: string, content: (report: Report) => Markup])[] = [
  ['items', 'Items', results.items],
  ['amounts', 'Amounts', results.amounts],
  ['batches', 'Pre-population', results.batches],
  ['funnel', 'Records by step', results.funnel],
  ['time', 'Over time', plots],
  ['errors', 'Errors: refused or not sent, and what to do', results.errors],
  ['unknowns', 'Unknown outcomes', results.unknowns],
  ['changed', 'Changed since their import', results.changedLines],
  ['removed', 'No longer in the input', ({ summary }) => results.paragraphs(removedInWords(summary))],
  ['corrected', 'Corrected with retry', ({ summary }) => results.paragraphs(correctedInWords(summary))],
  ['verify', 'Compared with the service', process.verification],
  ['audit', 'Halts and interventions', process.interventions],
  ['workers', 'Workers', process.workers],
  ['warnings', 'Warnings: values to look at', inputWarnings],
  ['input', 'Content of the input', inputFields],
  ['configuration', 'Configuration', process.configuration],
];

export function reportPage(report: Report): string {
  const { target } = report;
  return htmlDocument({
    // The target is at the top, so that a rehearsal is not mistaken for the migration.
    eyebrow: target === null ? 'Migration report' : `Migration report: ${target.name}`,
    headline: headline(report),
    intro: html`<p class="muted">${times(report)}</p>
${state(report)}`,
    main: html`${needs(report)}
${results.balance(report)}
${SECTIONS.map(([id, heading, content]) => section(id, heading, content(report)))}`,
  });
}

function section(id: string, heading: string, content: Markup): Markup {
  if (content === NOTHING) return NOTHING;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${heading}</h2>
${content}</section>
`;
}

function times({ run: { beganAt, startedAt, endedAt } }: Report): string {
  const first = beganAt === startedAt ? '' : `Began ${moment(beganAt)}. The last session: `;
  if (endedAt === null) return first === '' ? `Since ${moment(startedAt)}` : `${first}since ${moment(startedAt)}`;
  const took = duration(Date.parse(endedAt) - Date.parse(startedAt));
  return `${first}${moment(startedAt)} to ${moment(endedAt)}, ${took}`;
}

function plots({ sessions }: Report): Markup {
  if (sessions.flat().length < 2) return NOTHING;
  return html`${sessions.length < 2 ? NOTHING : html`<p class="muted">${number(sessions.length)} sessions, those in which records ended. The time between two sessions is left out; a dashed line marks it.</p>`}
<div class="plots">
${plot('Throughput', THROUGHPUT, sessions)}
${plot('Failed calls', FAILED, sessions)}
</div>`;
}

const THROUGHPUT: readonly Layer[] = [
  { title: 'Rate', unit: 'records per second', form: 'area', value: ({ rate }) => rate },
  {
    title: 'Process concurrency',
    unit: 'process calls in flight',
    form: 'steps',
    value: ({ concurrency }) => concurrency,
  },
  { title: 'Throttled', unit: 'answers 429', form: 'bars', value: ({ throttled }) => throttled },
];

const FAILED: readonly Layer[] = [
  {
    title: 'Failed',
    unit: 'calls without a usable answer (none, or 5xx)',
    form: 'bars',
    value: ({ failed }) => failed,
  },
];
