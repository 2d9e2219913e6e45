/** Exports `plot`: a series over time as inline SVG, which scales with the page; its texts do not. */

import { moment, number } from '../../shared/format.js';
import { html, type Markup, NOTHING } from './markup.js';

interface Point {
  /** Milliseconds since 1970. */
  at: number;
  value: number;
}

export interface Plot {
  title: string;
  unit: string;
  /** `area`: for rates; `steps`: for values that change at times; `bars`: for occasional events. */
  form: 'area' | 'steps' | 'bars';
  /** The points of each session of the run. The time between two sessions is not drawn to scale. */
  sessions: readonly (readonly Point[])[];
}

const WIDTH = 1000;
const HEIGHT = 100;
/** Width of the gap between two sessions, and maximum of all gaps together. */
const GAP = 20;
const MOST_GAPS = 200;

export function plot({ title, unit, form, sessions }: Plot): Markup {
  const points = sessions.flat();
  const peak = points.reduce((most, { value }) => Math.max(most, value), 0);
  const top = niceTop(peak);
  const text = textOf(form, sessions, unit);
  // An empty plot is replaced by a text.
  if (peak === 0) return html`<p class="plot"><b>${title}</b> <span class="muted">${text}</span></p>`;
  const y = (value: number) => round(HEIGHT - (value / top) * HEIGHT);
  const { scales, breaks } = scalesOf(sessions);
  return html`<figure class="plot">
<figcaption><b>${title}</b> <span>${text}</span></figcaption>
<div class="plot-frame">
<span class="plot-top">${number(top)}</span><span class="plot-bottom">0</span>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${title}: ${text}">
<path class="grid" d="M0 0H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT}H${WIDTH}"/>
${breaks.length === 0 ? NOTHING : html`<path class="break" d="${breaks.map((x) => `M${x} 0V${HEIGHT}`).join('')}"/>`}
${sessions.map((session, index) => drawing(form, session, scales[index] ?? middle, y))}
</svg>
</div>
<div class="plot-times"><span>${moment(iso(points[0]?.at ?? 0))}</span><span>${moment(iso(points.at(-1)?.at ?? 0))}</span></div>
</figure>
`;
}

type Scale = (value: number) => number;

const middle: Scale = () => WIDTH / 2;

/** Returns the horizontal scale of each session, and the positions between sessions. */
function scalesOf(sessions: Plot['sessions']): { scales: Scale[]; breaks: number[] } {
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

function spanOf(session: readonly Point[]): number {
  return (session.at(-1)?.at ?? 0) - (session[0]?.at ?? 0);
}

function drawing(form: Plot['form'], points: readonly Point[], x: Scale, y: Scale): Markup {
  const line = points.map(({ at, value }) => `${x(at)} ${y(value)}`);
  switch (form) {
    case 'area': {
      const [first, last] = [points[0], points.at(-1)];
      if (first === undefined || last === undefined) return html``;
      const shape = `M${x(first.at)} ${HEIGHT}L${line.join('L')}L${x(last.at)} ${HEIGHT}Z`;
      return html`<path class="area" d="${shape}"/><path class="line" d="M${line.join('L')}"/>`;
    }
    case 'steps': {
      const steps = points.map(
        ({ at, value }, index) => `${index === 0 ? 'M' : 'H'}${x(at)}${index === 0 ? ' ' : 'V'}${y(value)}`,
      );
      return html`<path class="line" d="${steps.join('')}"/>`;
    }
    case 'bars': {
      const bars = points.filter(({ value }) => value > 0).map(({ at, value }) => `M${x(at)} ${HEIGHT}V${y(value)}`);
      return bars.length === 0 ? NOTHING : html`<path class="bars" d="${bars.join('')}"/>`;
    }
  }
}

function textOf(form: Plot['form'], sessions: Plot['sessions'], unit: string): string {
  const values = sessions.flat().map(({ value }) => value);
  const sum = values.reduce((total, value) => total + value, 0);
  const peak = values.reduce((most, value) => Math.max(most, value), 0);
  if (form === 'bars')
    return sum === 0 ? `no ${unit}` : `${number(sum)} ${unit}, at most ${number(peak)} between two points`;
  if (form === 'steps') return `at most ${number(peak)} ${unit}, ${number(values.at(-1) ?? 0)} at the end`;
  return `${number(averageOf(sessions))} on average, at most ${number(peak)} ${unit}`;
}

/** Returns the average weighted by time: points of a long session have a longer time span than those of a short one. */
function averageOf(sessions: Plot['sessions']): number {
  let [sum, time] = [0, 0];
  for (const session of sessions) {
    const width = session.length > 1 ? spanOf(session) / (session.length - 1) : A_SECOND;
    for (const { value } of session) sum += value * width;
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
