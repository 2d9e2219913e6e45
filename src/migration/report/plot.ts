/** A series over time as inline SVG: the drawing stretches with the page, the words around it do not. */
import { html, type Markup } from './markup.js';
import { moment, number } from './words.js';

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
  points: readonly Point[];
}

const WIDTH = 1000;
const HEIGHT = 100;

export function plot({ title, unit, form, points }: Plot): Markup {
  const first = points[0]?.at ?? 0;
  const last = points.at(-1)?.at ?? first;
  const peak = points.reduce((most, { value }) => Math.max(most, value), 0);
  const top = niceTop(peak);
  const x = (at: number) => round(last === first ? WIDTH / 2 : ((at - first) / (last - first)) * WIDTH);
  const y = (value: number) => round(HEIGHT - (value / top) * HEIGHT);
  const said = sayings(form, points, unit);
  // An empty drawing says less than the words.
  if (peak === 0) return html`<p class="plot"><b>${title}</b> <span class="muted">${said}</span></p>`;
  return html`<figure class="plot">
<figcaption><b>${title}</b> <span>${said}</span></figcaption>
<div class="plot-frame">
<span class="plot-top">${number(top)}</span><span class="plot-bottom">0</span>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${title}: ${said}">
<path class="grid" d="M0 0H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT}H${WIDTH}"/>
${drawing(form, points, x, y)}
</svg>
</div>
<div class="plot-times"><span>${moment(iso(first))}</span><span>${moment(iso(last))}</span></div>
</figure>
`;
}

type Scale = (value: number) => number;

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
      return html`<path class="bars" d="${bars.join('')}"/>`;
    }
  }
}

function sayings(form: Plot['form'], points: readonly Point[], unit: string): string {
  const values = points.map(({ value }) => value);
  const sum = values.reduce((total, value) => total + value, 0);
  const peak = values.reduce((most, value) => Math.max(most, value), 0);
  if (form === 'bars')
    return sum === 0 ? `no ${unit}` : `${number(sum)} ${unit}, at most ${number(peak)} between two points`;
  if (form === 'steps') return `at most ${number(peak)}, ${number(values.at(-1) ?? 0)} at the end, ${unit}`;
  return `${number(values.length === 0 ? 0 : sum / values.length)} on average, at most ${number(peak)} ${unit}`;
}

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
