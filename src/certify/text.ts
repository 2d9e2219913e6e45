/** Exports `findingsText`, `verdictText` and `junitXml`: the results of `certify` for people and for CI. */
import type { CertifyResult, ExecutionResult } from './certify.js';

/** Returns the findings, those with the same rules and remedies together: the first in full, of the others the ids. `commandOf`: repeats one. */
export function findingsText({ findings }: CertifyResult, commandOf: (id: string) => string): string {
  const groups = new Map<string, ExecutionResult[]>();
  for (const finding of findings) {
    const key = JSON.stringify(finding.broken.map(({ rule, remedy }) => [rule, remedy]));
    groups.set(key, [...(groups.get(key) ?? []), finding]);
  }
  return [...groups.values()].map((same) => groupText(same, commandOf)).join('');
}

function groupText([first, ...others]: readonly ExecutionResult[], commandOf: (id: string) => string): string {
  if (first === undefined) return '';
  const also = others.length === 0 ? [] : [`  the same: ${others.map(({ id }) => id).join(' ')}`];
  return [findingText(first), ...also, `  repeat: ${commandOf(first.id)}`, '', ''].join('\n');
}

function findingText({ id, disturbance, broken, requests, starts }: ExecutionResult): string {
  const lines = [`FAILED ${id}`, `  ${disturbance}`];
  for (const { rule, detail } of broken) lines.push(`  ${rule}: ${detail}`);
  if (requests.length > 0) lines.push('  requests, with seconds since the start:');
  for (const { ms, operation, record, status, change, isDisturbed } of requests) {
    const time = (ms / 1000).toFixed(3).padStart(8);
    const answer = `${status ?? 'no answer'}${change === null ? '' : `, ${change}`}`;
    lines.push(`  ${isDisturbed ? '>' : ' '} ${time}  ${operation ?? 'unknown path'}  ${record}: ${answer}`);
  }
  for (const [index, { exitCode, output }] of starts.entries()) {
    const end = exitCode === null ? 'killed' : `exit code ${exitCode}`;
    lines.push(`  start ${index + 1}: ${end}${output === '' ? '' : `: ${output}`}`);
  }
  for (const remedy of new Set(broken.map((one) => one.remedy))) lines.push(`  remedy: ${remedy}`);
  return lines.join('\n');
}

/** Returns one line for each rule, and the totals. */
export function verdictText({ rules, executions, findings, notTried, isPassed }: CertifyResult): string {
  const missed = executions.filter(({ hasHappened }) => !hasHappened).length;
  const lines = rules.map(
    ({ title, broken }) => `${broken === 0 ? 'ok    ' : 'FAILED'} ${title}${broken === 0 ? '' : ` (${broken})`}`,
  );
  const totals = [
    `${executions.length} executions, ${findings.length} with a finding`,
    ...(missed > 0 ? [`${missed} in which the disturbance did not happen`] : []),
    ...(notTried.length > 0 ? [`${notTried.length} not tried: the time was over (--time)`] : []),
  ];
  return `${lines.join('\n')}\n${totals.join(', ')}: ${isPassed ? 'passed' : 'not passed'}\n`;
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
