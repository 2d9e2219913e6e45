/** Exports `table` and `groups`: the parts of which the sections of a page are made. */
import { number } from '../../shared/format.js';
import { html, type Markup, NOTHING, raw } from './markup.js';

type Heading =
  | string
  | {
      name: string;
      /** CSS class of the cells. `n`: numbers, and the heading has the class too. */
      class?: string;
      /** On a narrow screen each row is a block, and the name of its column stands before each cell. Not before a sentence. */
      isSentence?: boolean;
    };

/** `isZero`: the cell is pale, and left out on a narrow screen. An empty text is such a cell. */
type Cell = string | { text: string; isZero: boolean };

/** Returns the heading of a column of numbers. */
export function ofNumbers(name: string): Heading {
  return { name, class: 'n' };
}

export function count(value: number): Cell {
  return { text: number(value), isZero: value === 0 };
}

/** `label`: id of the heading. */
export function table(
  label: string,
  headings: readonly Heading[],
  rows: readonly (readonly Cell[])[],
  kind: 'wide' | 'wide dense' = 'wide',
): Markup {
  const columns = headings.map((heading) => (typeof heading === 'string' ? { name: heading } : heading));
  const cellOf = (cell: Cell, index: number): Markup => {
    const { text, isZero } = typeof cell === 'string' ? { text: cell, isZero: cell === '' } : cell;
    const { name, class: own = '', isSentence } = columns[index] ?? { name: '' };
    if (index === 0) return html`<th scope="row"${attribute('class', own)}>${text}</th>`;
    const classes = [own, isZero ? 'zero' : ''].filter(Boolean).join(' ');
    return html`<td${attribute('data-name', isSentence ? '' : name)}${attribute('class', classes)}>${text}</td>`;
  };
  return html`<div class="${kind}" role="group" aria-labelledby="${label}" tabindex="0"><table>
<thead><tr>${columns.map(({ name, class: own }) => html`<th scope="col"${attribute('class', own === 'n' ? own : '')}>${name}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map(cellOf)}</tr>\n`)}</tbody></table></div>`;
}

function attribute(name: string, value: string): Markup {
  return value === '' ? NOTHING : html` ${raw(name)}="${value}"`;
}

interface Group {
  count: number;
  /** Below the number. */
  bar?: Markup;
  what: string | Markup;
  /** Whether `what` is a code or a path. */
  isCode?: boolean;
  texts?: readonly (string | Markup | undefined)[];
  samples: readonly string[];
}

/** Returns a list of kinds, each with its number, what it means and the first places. */
export function groups(list: readonly Group[]): Markup {
  return html`<ul class="groups">
${list.map(
  ({
    count,
    bar = NOTHING,
    what,
    isCode,
    texts = [],
    samples,
  }) => html`<li><span class="count">${number(count)}${bar}</span><div>
<p class="what${isCode ? ' mono' : ''}">${what}</p>
${texts.map((text) => (text === undefined ? NOTHING : html`<p>${text}</p>\n`))}${
  samples.length === 0
    ? NOTHING
    : html`<p class="samples">for example <span class="mono">${samples.join(', ')}</span></p>\n`
}</div></li>
`,
)}</ul>`;
}

/** Returns a code, and the path that it is about. */
export function codeAt(code: string, attr: string, hint = ''): Markup {
  return html`${code}${attr === '' ? NOTHING : html` <span class="attr">${attr}${hint}</span>`}`;
}
