/** A series over time as inline SVG: the drawing stretches with the page, the words around it do not. */

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
  /** `area`: what flows; `steps`: what holds until it changes; `bars`: what happens now and then. */
  form: 'area' | 'steps' | 'bars';
  /** The points of each life of the run. What lies between two lives is not drawn to scale. */
  lives: readonly (readonly Point[])[];
}

const WIDTH = 1000;
const HEIGHT = 100;
/** Between two lives, and for all of these gaps together at most. */
const GAP = 20;
const MOST_GAPS = 200;

export function plot({ title, unit, form, lives }: Plot): Markup {
  const points = lives.flat();
  const peak = points.reduce((most, { value }) => Math.max(most, value), 0);
  const top = niceTop(peak);
  const said = sayings(form, lives, unit);
  // An empty drawing says less than the words.
  if (peak === 0) return html`<p class="plot"><b>${title}</b> <span class="muted">${said}</span></p>`;
  const y = (value: number) => round(HEIGHT - (value / top) * HEIGHT);
  const { scales, breaks } = scalesOf(lives);
  return html`<figure class="plot">
<figcaption><b>${title}</b> <span>${said}</span></figcaption>
<div class="plot-frame">
<span class="plot-top">${number(top)}</span><span class="plot-bottom">0</span>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${title}: ${said}">
<path class="grid" d="M0 0H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT}H${WIDTH}"/>
${breaks.length === 0 ? NOTHING : html`<path class="break" d="${breaks.map((x) => `M${x} 0V${HEIGHT}`).join('')}"/>`}
${lives.map((life, index) => drawing(form, life, scales[index] ?? middle, y))}
</svg>
</div>
<div class="plot-times"><span>${moment(iso(points[0]?.at ?? 0))}</span><span>${moment(iso(points.at(-1)?.at ?? 0))}</span></div>
</figure>
`;
}

type Scale = (value: number) => number;

const middle: Scale = () => WIDTH / 2;

/** Where a moment of each life stands, and where one life ends and the next begins. */
function scalesOf(lives: Plot['lives']): { scales: Scale[]; breaks: number[] } {
  const gap = Math.min(GAP, MOST_GAPS / Math.max(1, lives.length - 1));
  const active = lives.reduce((sum, life) => sum + spanOf(life), 0);
  const room = WIDTH - gap * (lives.length - 1);
  let start = 0;
  const breaks: number[] = [];
  const scales = lives.map((life, index): Scale => {
    const from = start;
    const [first, span] = [life[0]?.at ?? 0, spanOf(life)];
    const width = active === 0 ? room / lives.length : (span / active) * room;
    start = from + width + gap;
    if (index > 0) breaks.push(round(from - gap / 2));
    return (at) => round(from + (span === 0 ? width / 2 : ((at - first) / span) * width));
  });
  return { scales, breaks };
}

function spanOf(life: readonly Point[]): number {
  return (life.at(-1)?.at ?? 0) - (life[0]?.at ?? 0);
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

function sayings(form: Plot['form'], lives: Plot['lives'], unit: string): string {
  const values = lives.flat().map(({ value }) => value);
  const sum = values.reduce((total, value) => total + value, 0);
  const peak = values.reduce((most, value) => Math.max(most, value), 0);
  if (form === 'bars')
    return sum === 0 ? `no ${unit}` : `${number(sum)} ${unit}, at most ${number(peak)} between two points`;
  if (form === 'steps') return `at most ${number(peak)}, ${number(values.at(-1) ?? 0)} at the end, ${unit}`;
  return `${number(averageOf(lives))} on average, at most ${number(peak)} ${unit}`;
}

/** By time: the points of a long life stand for more of it than those of a short one. */
function averageOf(lives: Plot['lives']): number {
  let [sum, time] = [0, 0];
  for (const life of lives) {
    const width = life.length > 1 ? spanOf(life) / (life.length - 1) : A_SECOND;
    for (const { value } of life) sum += value * width;
    time += width * life.length;
  }
  return time === 0 ? 0 : sum / time;
}

/** What a life's only point stands for. */
const A_SECOND = 1000;

/** 1, 2, 2.5 or 5 times a power of ten. */
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
