/** Exports `findingsText`, `verdictText` and `junitXml`: the result of `certify` for people and for CI. `certifyPage` has it as a page. */
import { counted } from '../migration/shared/format.js';
import type { CertifyResult, ExecutionResult, FindingRequest } from './certify.js';

/** Findings with the same rules and remedies. */
export interface FindingGroup {
  first: ExecutionResult;
  others: readonly ExecutionResult[];
}

export function findingGroups({ findings }: CertifyResult): FindingGroup[] {
  const groups = new Map<string, { first: ExecutionResult; others: ExecutionResult[] }>();
  for (const finding of findings) {
    const key = JSON.stringify(finding.broken.map(({ rule, remedy }) => [rule, remedy]));
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { first: finding, others: [] });
    else group.others.push(finding);
  }
  return [...groups.values()];
}

/** Returns the findings: the first of each group in full, of the others the ids. `commandOf`: repeats one. */
export function findingsText(result: CertifyResult, commandOf: (id: string) => string): string {
  return findingGroups(result)
    .map((group) => groupText(group, commandOf))
    .join('');
}

function groupText({ first, others }: FindingGroup, commandOf: (id: string) => string): string {
  const also = others.length === 0 ? [] : [`  the same: ${others.map(({ id }) => id).join(' ')}`];
  return [findingText(first), ...also, `  repeat: ${commandOf(first.id)}`, '', ''].join('\n');
}

function findingText({ id, disturbance, broken, requests, starts }: ExecutionResult): string {
  const lines = [`FAILED ${id}`, `  ${disturbance}`];
  for (const { rule, detail } of broken) lines.push(`  ${rule}: ${detail}`);
  if (requests.length > 0) lines.push('  requests, with seconds since the start:');
  for (const request of requests) {
    const { ms, operation, record, isDisturbed } = request;
    const time = (ms / 1000).toFixed(3).padStart(8);
    const answer = answerText(request);
    lines.push(`  ${isDisturbed ? '>' : ' '} ${time}  ${operation ?? 'unknown path'}  ${record}: ${answer}`);
  }
  for (const [index, start] of starts.entries()) {
    lines.push(`  start ${index + 1}: ${endText(start)}${start.output === '' ? '' : `: ${start.output}`}`);
  }
  for (const remedy of new Set(broken.map((one) => one.remedy))) lines.push(`  remedy: ${remedy}`);
  return lines.join('\n');
}

export function answerText({ status, change }: FindingRequest): string {
  return `${status ?? 'no answer'}${change === null ? '' : `, ${change}`}`;
}

export function endText({ exitCode }: ExecutionResult['starts'][number]): string {
  return exitCode === null ? 'killed' : `exit code ${exitCode}`;
}

/** Returns one line for each rule, and the totals. */
export function verdictText(result: CertifyResult): string {
  const { rules, executions, findings, isPassed } = result;
  const lines = rules.map(
    ({ title, broken }) => `${broken === 0 ? 'ok    ' : 'FAILED'} ${title}${broken === 0 ? '' : ` (${broken})`}`,
  );
  const count = counted(executions.length, 'execution');
  const totals = [`${count}, ${findings.length} with a finding`, ...missedTexts(result)];
  return `${lines.join('\n')}\n${totals.join(', ')}: ${isPassed ? 'passed' : 'not passed'}\n`;
}

/** What proves nothing: there was no disturbance, it did not happen, or it was not tried; or the input was not read. */
export function missedTexts({ executions, notTried, isPassed, isInputRead }: CertifyResult): string[] {
  const missed = executions.filter(({ hasHappened }) => !hasHappened).length;
  return [
    ...(isPassed && executions.length === 1 ? ['nothing was disturbed'] : []),
    ...(missed > 0 ? [`${missed} in which the disturbance did not happen`] : []),
    ...(isInputRead ? [] : ['the data were not compared with an input: the script does not read DATA_IMPORT_INPUT']),
    ...(notTried.length > 0 ? [`${notTried.length} not tried: the time was over (--time)`] : []),
  ];
}

/** Returns the result as JUnit XML: a test case for each execution, and a skipped one for each that was not tried. */
export function junitXml({ executions, findings, notTried }: CertifyResult): string {
  const skipped = executions.filter(({ hasHappened, broken }) => !hasHappened && broken.length === 0).length;
  const cases = executions.map((execution) => {
    const { id, durationMs, broken, hasHappened } = execution;
    const open = `  <testcase classname="certify" name="${escaped(id)}" time="${durationMs / 1000}"`;
    if (broken.length > 0) {
      const message = broken.map(({ rule, detail }) => `${rule}: ${detail}`).join(' ');
      return `${open}>\n    <failure message="${escaped(message)}">${escaped(findingText(execution))}</failure>\n  </testcase>`;
    }
    return hasHappened
      ? `${open}/>`
      : `${open}>\n    <skipped message="The disturbance did not happen."/>\n  </testcase>`;
  });
  const left = notTried.map(
    (id) =>
      `  <testcase classname="certify" name="${escaped(id)}">\n    <skipped message="The time was over."/>\n  </testcase>`,
  );
  const all = [...cases, ...left];
  const counts = `tests="${all.length}" failures="${findings.length}" errors="0" skipped="${skipped + left.length}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="certify" ${counts}>\n${all.join('\n')}\n</testsuite>\n`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Characters that XML 1.0 does not allow are left out. */
function escaped(text: string): string {
  return text
    .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '')
    .replace(/[^\P{Cc}\t\n\r]|[\uFFFE\uFFFF\p{Cs}]/gu, '');
}
