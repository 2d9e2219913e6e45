/** Exports `certifyPage`: the result of `certify` as a web page, in the frame and the style of report.html. */
import { table as tableOf } from '../migration/report/html/blocks.js';
import { copyable, htmlDocument } from '../migration/report/html/document.js';
import { html, type Markup, NOTHING } from '../migration/report/html/markup.js';
import { counted, number } from '../migration/shared/format.js';
import type { CertifyResult, ExecutionResult } from './certify.js';
import { answerText, endText, type FindingGroup, findingGroups, missedTexts } from './text.js';

/** `script`: the command as it was typed. `commandOf`: repeats one disturbance. */
export function certifyPage(result: CertifyResult, script: string, commandOf: (id: string) => string): string {
  const { findings, executions, isPassed, seed } = result;
  const verdict = isPassed ? 'Passed' : 'Not passed';
  const count = findings.length === 0 ? 'no finding' : counted(findings.length, 'finding');
  return htmlDocument({
    eyebrow: `certify: ${script}`,
    headline: `${verdict}: ${count} in ${counted(executions.length, 'execution')}`,
    intro: html`<p class="muted">${[`Seed ${seed}: the same seed disturbs the same requests`, ...missedTexts(result)].join(', ')}.</p>
<p class="state ${isPassed ? 'good' : 'bad'}">${verdictOf(result)}</p>`,
    main: html`${rules(result)}
${findingGroups(result).map((group, index) => findingSection(group, index + 1, commandOf))}
${executionTable(result)}`,
  });
}

function verdictOf({ isPassed, rules: checked }: CertifyResult): string {
  if (isPassed) return 'No rule is broken.';
  const broken = checked.flatMap(({ rule, broken: count }) => (count > 0 ? [rule] : []));
  return broken.length === 0 ? 'No disturbance happened, so that nothing is proved.' : `Broken: ${broken.join(', ')}.`;
}

function rules({ rules: checked }: CertifyResult): Markup {
  return html`<section aria-labelledby="rules"><h2 id="rules">Rules</h2>
${table(
  'rules',
  ['rule', 'what it demands', 'executions that broke it'],
  checked.map(({ rule, title, broken }) => [rule, title, broken === 0 ? 'none' : number(broken)]),
)}</section>
`;
}

/** The first one of the group is open. */
function findingSection({ first, others }: FindingGroup, position: number, commandOf: (id: string) => string): Markup {
  const id = `finding-${position}`;
  const remedies = [...new Set(first.broken.map(({ remedy }) => remedy))];
  return html`<section aria-labelledby="${id}"><h2 id="${id}">Finding ${position}: ${first.broken.map(({ rule }) => rule).join(', ')}</h2>
${remedies.map((remedy) => html`<p><b>What the script has to do:</b> ${remedy}</p>\n`)}
${finding(first, id, commandOf)}
${
  others.length === 0
    ? NOTHING
    : html`<h3>Also broken by</h3>
`
}${others.map(
  (other, index) => html`<details><summary class="mono">${other.id}</summary>
${finding(other, `${id}-${index + 2}`, commandOf)}</details>
`,
)}</section>
`;
}

function finding(
  { id, disturbance, broken, requests, starts }: ExecutionResult,
  place: string,
  commandOf: (id: string) => string,
): Markup {
  const part = (name: string, title: string, columns: readonly string[], rows: readonly (readonly string[])[]) =>
    rows.length === 0
      ? NOTHING
      : html`<h3 id="${place}-${name}">${title}</h3>
${table(`${place}-${name}`, columns, rows)}
`;
  return html`<p><span class="mono">${id}</span>: ${disturbance}</p>
${part(
  'service',
  'What the service has',
  ['rule', 'found'],
  broken.map(({ rule, detail }) => [rule, detail]),
)}${part(
  'script',
  'What the script reported',
  ['start', 'end', 'last line of the output'],
  starts.map((start, index) => [`start ${index + 1}`, endText(start), start.output]),
)}${part(
  'requests',
  'Requests before and after the disturbance',
  ['seconds since the start', 'operation', 'record', 'answer', 'disturbance'],
  requests.map((request) => [
    (request.ms / 1000).toFixed(3),
    request.operation ?? 'unknown path',
    request.record,
    answerText(request),
    request.isDisturbed ? 'here' : '',
  ]),
)}
<p class="muted">This repeats it:</p>
${copyable(commandOf(id))}
`;
}

function executionTable({ executions, notTried }: CertifyResult): Markup {
  const rows = executions.map(({ id, disturbance, broken, hasHappened, durationMs }) => [
    id,
    disturbance,
    broken.length > 0 ? broken.map(({ rule }) => rule).join(', ') : hasHappened ? 'passed' : 'did not happen',
    (durationMs / 1000).toFixed(1),
  ]);
  const left = notTried.map((id) => [id, '', 'not tried: the time was over', '']);
  return html`<section aria-labelledby="executions"><h2 id="executions">Executions</h2>
${table('executions', ['disturbance', 'what happened', 'result', 'seconds'], [...rows, ...left])}</section>
`;
}

/** Columns of sentences: where each row is a block, no name stands before them. */
const SENTENCES: readonly string[] = ['what it demands', 'found', 'what happened', 'last line of the output'];

function table(
  label: string,
  [first = '', ...columns]: readonly string[],
  rows: readonly (readonly string[])[],
): Markup {
  const headings = columns.map((name) => ({ name, isSentence: SENTENCES.includes(name) }));
  return tableOf(label, [{ name: first, class: 'name' }, ...headings], rows, 'wide dense');
}
