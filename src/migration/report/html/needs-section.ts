/** Exports `headline`, `state` and `needs`: what the report page opens with: how the run ended, what needs a person, and the files. */
import { counted, number } from '../../shared/format.js';
import { RUN_EXIT } from '../../shared/run-exit-codes.js';
import { LEFT } from '../left-to-do.js';
import type { NextStep, Report } from '../report.js';
import type { Summary } from '../summary/summary.js';
import { copyable } from './document.js';
import { html, type Markup, NOTHING } from './markup.js';

interface State {
  words: string;
  /** `good`: nothing needs a person. `warn`: something does. `bad`: the run ended itself, or amounts are wrong. */
  tone: 'good' | 'warn' | 'bad' | 'none';
  /** After `Exit code 3: `. */
  meaning: string;
}

const STATES: Readonly<Record<number, State>> = {
  0: { words: 'Finished', tone: 'good', meaning: 'nothing needs you.' },
  [RUN_EXIT.rejected]: {
    words: 'Finished, and needs you',
    tone: 'warn',
    meaning: 'the run reached its end, and records are left that need a person.',
  },
  [RUN_EXIT.unknown]: {
    words: 'Finished, with unknown outcomes',
    tone: 'warn',
    meaning: 'requests without an answer may or may not have taken effect. Find out before anything is sent again.',
  },
  [RUN_EXIT.mismatch]: {
    words: 'Amounts do not add up',
    tone: 'bad',
    meaning: 'the amounts that the service confirmed do not add up to the input. Keep the run folder and report it.',
  },
  [RUN_EXIT.halted]: { words: 'Halted', tone: 'bad', meaning: 'the halt rules stopped the run.' },
  [RUN_EXIT.paused]: { words: 'Stopped', tone: 'warn', meaning: 'the run was stopped before its end.' },
  [RUN_EXIT.notAccepted]: {
    words: 'Not accepted by the service',
    tone: 'bad',
    meaning: 'the service does not accept the address, the token, the team or the import supplier.',
  },
  [RUN_EXIT.unfinished]: {
    words: 'Unfinished',
    tone: 'warn',
    meaning: 'records have no outcome yet or were not read, for a reason outside them.',
  },
};

const RUNNING: State = { words: 'Running', tone: 'none', meaning: '' };
const ABORTED: State = {
  words: 'Aborted',
  tone: 'bad',
  meaning: 'The last session did not come to its end: an error or a kill of the process ended it.',
};

/** A signal stops a session; the command returns 128 and its number. */
function stateOf({ run, ending: { exitCode } }: Report): State {
  if (run.state === 'running') return RUNNING;
  if (exitCode === null) return ABORTED;
  return STATES[exitCode] ?? { words: 'Stopped', tone: 'warn', meaning: 'a signal stopped the run before its end.' };
}

/** More would not be read in a title; the card lists all. */
const MOST_LEFT = 3;

export function headline(report: Report): string {
  const { summary } = report;
  const { input, created } = summary;
  const left = LEFT.flatMap(({ count, all = count, words }) =>
    all(summary) > 0 && words !== undefined ? [counted(all(summary), ...words)] : [],
  );
  const isAll = created === input && left.length === 0;
  const done = isAll ? `all ${counted(input, 'record')} created` : `${counted(created, 'record')} created`;
  return `${stateOf(report).words}: ${[done, ...left.slice(0, MOST_LEFT)].join(', ')}`;
}

export function state(report: Report): Markup {
  const { tone, meaning } = stateOf(report);
  const { exitCode } = report.ending;
  if (tone === 'none') return NOTHING;
  const { reason } = report.run;
  return html`<p class="state ${tone}">${exitCode === null ? meaning : `Exit code ${exitCode}: ${meaning}`}${reason === null ? '' : ` ${reason}`}</p>`;
}

/** The next steps, each command with a button that copies it, and the files of the run folder. */
export function needs({ ending: { next }, summary }: Report): Markup {
  const ofLeft = LEFT.flatMap(({ count, all = count, files = [] }) =>
    files.map(([name, content, own = all]) => [name, content, own] as const),
  );
  // Two states have one file.
  const shown = new Map(
    [...ofLeft, ...OTHER_FILES].filter(([, , of]) => of(summary) > 0).map(([name, content]) => [name, content]),
  );
  return html`<section class="needs${next.length === 0 ? ' none' : ''}" aria-labelledby="needs"><h2 id="needs">${next.length === 0 ? 'Nothing needs you' : 'Needs you'}</h2>
${next.length === 0 ? NOTHING : html`<ol>\n${next.map(step)}</ol>`}
<h3>Files of this run: they contain customer data, so protect them like the input</h3>
<ul class="files">
${[...shown].map(([name, content]) => html`<li><a href="${name}">${name}</a> <span class="muted">${content}</span></li>\n`)}</ul></section>`;
}

function step({ count, state, text, command }: NextStep): Markup {
  const title = count === undefined ? state : `${number(count)} ${state}`;
  return html`<li>${title === '' ? NOTHING : html`<b>${title}</b> `}${text === '' ? NOTHING : html`<span>${text[0]?.toUpperCase() ?? ''}${text.slice(1)}</span>`}${
    command === undefined ? NOTHING : copyable(command)
  }</li>
`;
}

/** The files that no row of `LEFT` names: each with its content, and the number of its records; 1 for a file that is never empty. */
const OTHER_FILES = [
  ['ok.csv', 'records that the service has', ({ created, alreadyImported }: Summary) => created + alreadyImported],
  ['audit.log', 'who did what and when', () => 1],
  ['report.json', 'this page for programs', () => 1],
] as const;
