/** Exports `plot`: series over time in one chart, as inline SVG, which scales with the page; its texts do not. */

import { moment, number } from '../../shared/format.js';
import type { Sample } from '../../throttle/samples.js';
import type { SessionSamples } from '../folder/session-samples.js';
import { html, type Markup, NOTHING } from './markup.js';

/** One series of a chart. Each has its own scale. */
export interface Layer {
  title: string;
  unit: string;
  /** `area`: for rates; `steps`: for values that change at times; `bars`: for occasional events. */
  form: 'area' | 'steps' | 'bars';
  value: (sample: Sample) => number;
}

const WIDTH = 1000;
const HEIGHT = 100;
/** Width of the gap between two sessions, and maximum of all gaps together. */
const GAP = 20;
const MOST_GAPS = 200;

export function plot(title: string, layers: readonly Layer[], sessions: SessionSamples): Markup {
  const samples = sessions.flat();
  const shown = layers.map((layer) => ({
    ...layer,
    top: niceTop(samples.reduce((most, sample) => Math.max(most, layer.value(sample)), 0)),
    text: textOf(layer, sessions),
    isEmpty: samples.every((sample) => layer.value(sample) === 0),
  }));
  // An empty chart is replaced by a text.
  if (shown.every(({ isEmpty }) => isEmpty)) {
    return html`<p class="plot"><b>${title}</b> <span class="muted">${shown.map(({ text }) => text).join('; ')}</span></p>`;
  }
  const { scales, breaks } = scalesOf(sessions);
  // Bars have no axis: their numbers are in the caption.
  const [left, right] = shown.filter(({ form, isEmpty }) => form !== 'bars' && !isEmpty);
  const leftTop = left ?? shown.find(({ isEmpty }) => !isEmpty);
  return html`<figure class="plot">
<figcaption><b>${title}</b>${shown.map(
    (one) => html` <span><i class="k-${one.form}"></i>${one.title}: ${one.text}</span>`,
  )}</figcaption>
<div class="plot-frame${right === undefined ? '' : ' two'}">
<span class="plot-top">${number(leftTop?.top ?? 1)}</span><span class="plot-bottom">0</span>
${right === undefined ? NOTHING : html`<span class="plot-top right">${number(right.top)}</span><span class="plot-bottom right">0</span>`}
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${title}. ${shown.map((one) => `${one.title}: ${one.text}`).join('. ')}">
<path class="grid" d="M0 0H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT}H${WIDTH}"/>
${breaks.length === 0 ? NOTHING : html`<path class="break" d="${breaks.map((x) => `M${x} 0V${HEIGHT}`).join('')}"/>`}
${shown
  .filter(({ isEmpty }) => !isEmpty)
  .flatMap((layer) => sessions.map((session, index) => drawing(layer, session, scales[index] ?? middle)))}
</svg>
</div>
<div class="plot-times${right === undefined ? '' : ' two'}"><span>${moment(iso(samples[0]?.at ?? 0))}</span><span>${moment(iso(samples.at(-1)?.at ?? 0))}</span></div>
</figure>
`;
}

type Scale = (value: number) => number;

const middle: Scale = () => WIDTH / 2;

/** Returns the horizontal scale of each session, and the positions between sessions. */
function scalesOf(sessions: SessionSamples): { scales: Scale[]; breaks: number[] } {
  const gap = Math.min(GAP, MOST_GAPS / Math.max(1, sessions.length - 1));
  const active = sessions.reduce((sum, session) => sum + spanOf(session), 0);
  const room = WIDTH - gap * (sessions.length - 1);
  let start = 0;
  const breaks: number[] = [];
  const scales = sessions.map((session, index): Scale => {
    const from = start;
    const [first, span] = [session[0]?.at ?? 0, spanOf(session)];
    const width = active === 0 ? room / sessions.length : (span / active) * room;
    start = from + width + gap;
    if (index > 0) breaks.push(round(from - gap / 2));
    return (at) => round(from + (span === 0 ? width / 2 : ((at - first) / span) * width));
  });
  return { scales, breaks };
}

function spanOf(session: readonly Sample[]): number {
  return (session.at(-1)?.at ?? 0) - (session[0]?.at ?? 0);
}

function drawing({ form, value, top }: Layer & { top: number }, samples: readonly Sample[], x: Scale): Markup {
  const points = samples.map((sample) => ({ at: sample.at, y: round(HEIGHT - (value(sample) / top) * HEIGHT) }));
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return NOTHING;
  switch (form) {
    case 'area': {
      const line = points.map(({ at, y }) => `${x(at)} ${y}`).join('L');
      const shape = `M${x(first.at)} ${HEIGHT}L${line}L${x(last.at)} ${HEIGHT}Z`;
      return html`<path class="area" d="${shape}"/><path class="line" d="M${line}"/>`;
    }
    case 'steps': {
      const steps = points.map(
        ({ at, y }, index) => `${index === 0 ? 'M' : 'H'}${x(at)}${index === 0 ? ' ' : 'V'}${y}`,
      );
      return html`<path class="steps" d="${steps.join('')}"/>`;
    }
    case 'bars': {
      const bars = points.filter(({ y }) => y < HEIGHT).map(({ at, y }) => `M${x(at)} ${HEIGHT}V${y}`);
      return bars.length === 0 ? NOTHING : html`<path class="bars" d="${bars.join('')}"/>`;
    }
  }
}

function textOf({ form, unit, value }: Layer, sessions: SessionSamples): string {
  const values = sessions.flat().map(value);
  const sum = values.reduce((total, one) => total + one, 0);
  const peak = values.reduce((most, one) => Math.max(most, one), 0);
  if (form === 'bars') {
    return sum === 0 ? `no ${unit}` : `${number(sum)} ${unit}, at most ${number(peak)} between two points`;
  }
  if (form === 'steps') return `at most ${number(peak)} ${unit}, ${number(values.at(-1) ?? 0)} at the end`;
  return `${number(averageOf(sessions, value))} on average, at most ${number(peak)} ${unit}`;
}

/** Returns the average weighted by time: points of a long session have a longer time span than those of a short one. */
function averageOf(sessions: SessionSamples, value: Layer['value']): number {
  let [sum, time] = [0, 0];
  for (const session of sessions) {
    const width = session.length > 1 ? spanOf(session) / (session.length - 1) : A_SECOND;
    for (const sample of session) sum += value(sample) * width;
    time += width * session.length;
  }
  return time === 0 ? 0 : sum / time;
}

/** Time span of the point of a session with one point. */
const A_SECOND = 1000;

/** Returns the next value of 1, 2, 2.5 or 5 times a power of ten. */
function niceTop(peak: number): number {
  if (peak <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(peak));
  return [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((top) => top >= peak) ?? peak;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
