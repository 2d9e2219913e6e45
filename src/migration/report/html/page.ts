/** Exports `reportPage`: report.html, what a person reads about a run. */
import { duration, moment, number } from '../../shared/format.js';
import type { SessionSamples } from '../folder/session-samples.js';
import type { Report } from '../report.js';
import { htmlDocument } from './document.js';
import { inputFields } from './input-section.js';
import { html, type Markup, NOTHING } from './markup.js';
import { headline, needs, state } from './needs-section.js';
import { type Layer, plot } from './plot.js';
import { inputWarnings } from './profile-section.js';
import { configuration, interventions, verification, workers } from './run-section.js';
import {
  amounts,
  balance,
  batches,
  changedLines,
  correctedLines,
  errors,
  funnel,
  items,
  removedRecords,
  unknowns,
} from './summary-section.js';

export function reportPage(report: Report): string {
  const { run, summary, sessions, audit } = report;
  return htmlDocument({
    eyebrow: eyebrow(report),
    headline: headline(report),
    intro: html`<p class="muted">${times(report)}</p>
${state(report)}`,
    main: html`${needs(report)}
${balance(summary, run.isInputRead)}
${items(summary)}
${amounts(summary)}
${batches(summary)}${funnel(summary.funnel)}
${plots(sessions)}
${errors(summary)}
${unknowns(summary.unknowns)}
${changedLines(summary.changed)}${removedRecords(summary)}${correctedLines(summary.corrected)}
${verification(report.verification)}
${interventions(audit)}
${workers(report.workers)}
${inputWarnings(report)}
${inputFields(report)}
${configuration(run)}`,
  });
}

/** The target, at the top of the page, so that a rehearsal is not mistaken for the migration. */
function eyebrow({ target }: Report): string {
  return target === null ? 'Migration report' : `Migration report: ${target.name}`;
}

function times({ run: { beganAt, startedAt, endedAt } }: Report): string {
  const first = beganAt === startedAt ? '' : `Began ${moment(beganAt)}. The last session: `;
  if (endedAt === null) return first === '' ? `Since ${moment(startedAt)}` : `${first}since ${moment(startedAt)}`;
  const took = duration(Date.parse(endedAt) - Date.parse(startedAt));
  return `${first}${moment(startedAt)} to ${moment(endedAt)}, ${took}`;
}

function plots(sessions: SessionSamples): Markup {
  if (sessions.flat().length < 2) return NOTHING;
  return html`<section aria-labelledby="time"><h2 id="time">Over time</h2>
${sessions.length < 2 ? NOTHING : html`<p class="muted">${number(sessions.length)} sessions, those in which records ended. The time between two sessions is left out; a dashed line marks it.</p>`}
<div class="plots">
${plot('Throughput', THROUGHPUT, sessions)}
${plot('Failed calls', FAILED, sessions)}
</div></section>`;
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
