/**
 * Exports `reportPage`: report.html, one page without scripts and external resources, with a policy that allows neither. Values from
 * the input or the service are always text.
 */
import { createHash } from 'node:crypto';
import { counted, duration, moment, number } from '../../shared/format.js';
import type { SessionSamples, ThrottleSample } from '../folder/session-samples.js';
import type { Report } from '../report.js';
import { inputFields } from './input-section.js';
import { html, type Markup, NOTHING, raw } from './markup.js';
import { plot } from './plot.js';
import { inputWarnings } from './profile-section.js';
import { configuration, interventions, verification, workers } from './run-section.js';
import { STYLE } from './style.js';
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
  const page = html`<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${eyebrow(report)}: ${headline(report)}</title>
<link rel="icon" href="data:,">
<style>${raw(STYLE)}</style>
</head>
<body>
<header>
<p class="eyebrow">${eyebrow(report)}</p>
<h1>${headline(report)}</h1>
<p class="muted">${times(report)}</p>
${report.run.reason === null ? NOTHING : html`<p>${report.run.reason}</p>`}
</header>
<main>
${balance(summary, run.isInputRead)}
${command(report)}
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
${configuration(run)}
</main>
<footer>
<p>Other files of this folder: ok.csv (the records that the service has), rejected.jsonl and skipped.jsonl (the original lines with their
errors), unknown.jsonl (records with an unknown outcome), unfinished.jsonl (records without an outcome), audit.log, report.json. They contain
customer data: protect them like the input.</p>
</footer>
</body>
</html>
`;
  return page.markup;
}

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const STATES: Readonly<Record<Report['run']['state'], string>> = {
  running: 'Running',
  finished: 'Finished',
  stopped: 'Stopped',
  halted: 'Halted',
  unfinished: 'Unfinished',
  brokenOff: 'Aborted',
};

/** The target, at the top of the page, so that a rehearsal is not mistaken for the migration. */
function eyebrow({ target }: Report): string {
  return target === null ? 'Migration report' : `Migration report: ${target.name}`;
}

function headline({ run, summary }: Report): string {
  const { input, created, rejected, unknown } = summary;
  const work = [
    ...(rejected > 0 ? [`${counted(rejected, 'record')} to correct`] : []),
    ...(unknown > 0 ? [`${counted(unknown, 'unknown outcome')}`] : []),
  ];
  const done = created === input ? `all ${counted(input, 'record')} created` : `${counted(created, 'record')} created`;
  return `${STATES[run.state]}: ${[done, ...work].join(', ')}`;
}

function times({ run: { beganAt, startedAt, endedAt } }: Report): string {
  const first = beganAt === startedAt ? '' : `Began ${moment(beganAt)}. The last session: `;
  if (endedAt === null) return first === '' ? `Since ${moment(startedAt)}` : `${first}since ${moment(startedAt)}`;
  const took = duration(Date.parse(endedAt) - Date.parse(startedAt));
  return `${first}${moment(startedAt)} to ${moment(endedAt)}, ${took}`;
}

/** The command that continues the run; nothing if it is complete. */
function command({ run, summary }: Report): Markup {
  const { unfinished, waiting, rejected } = summary;
  if (unfinished + waiting + rejected === 0 && run.state === 'finished') return NOTHING;
  const commands = unfinished === 0 && run.runAgainWith.length > 0 ? run.runAgainWith : [run.continueWith];
  const why =
    unfinished > 0
      ? 'This command continues the run. It sends nothing twice.'
      : 'After the correction, run the same command: it sends the remaining records, and nothing twice.';
  return html`<div class="command"><span>${why}</span>${commands.map((one) => html`<code>${one}</code>`)}</div>`;
}

function plots(sessions: SessionSamples): Markup {
  if (sessions.flat().length < 2) return NOTHING;
  const series = (of: (sample: ThrottleSample) => number) =>
    sessions.map((samples) => samples.map((sample) => ({ at: sample.at, value: of(sample) })));
  return html`<section aria-labelledby="time"><h2 id="time">Over time</h2>
${sessions.length < 2 ? NOTHING : html`<p class="muted">${number(sessions.length)} sessions, those in which records ended. The time between two sessions is left out; a dashed line marks it.</p>`}
<div class="plots">
${plot({ title: 'Rate', unit: 'records per second', form: 'area', sessions: series(({ rate }) => rate) })}
${plot({
  title: 'Process concurrency',
  unit: 'process calls in flight',
  form: 'steps',
  sessions: series(({ concurrency }) => concurrency),
})}
${plot({ title: 'Throttled', unit: 'answers 429', form: 'bars', sessions: series(({ throttled }) => throttled) })}
</div></section>`;
}
