/** `printResult`: prints what a session did and what the user does next, as text or as JSON. */
import type { OpenInput } from '../../migration/input/open-input.js';
import { isCanary } from '../../migration/report/exit-code.js';
import type { NextStep, RunFacts } from '../../migration/report/report.js';
import { unreadInWords, warningsInWords } from '../../migration/report/summary/input-report.js';
import { targetLine } from '../../migration/run/expect-target.js';
import type { MigrationResult } from '../../migration/run/session/end-session.js';
import type { CommandContext } from '../shared/command-context.js';
import { nextInWords } from './next-commands.js';
import { reasonWithProxy } from './proxy-failure.js';
import { ignoredLinesInWords, summaryInWords } from './result-text.js';

export interface PrintedResult {
  result: MigrationResult;
  target: string;
  /** The run folder. */
  folder: string;
  input: OpenInput;
  /** run.json at the end of the session. */
  facts: RunFacts;
  next: readonly NextStep[];
  isRehearsal: boolean;
  isJson: boolean;
}

export function printResult(printed: PrintedResult, { out }: Pick<CommandContext, 'out'>): void {
  const { result, target, folder, input, facts, next, isRehearsal, isJson } = printed;
  const { state, reason, summary, warnings, ignoredLines } = result;
  const isInputRead = facts.isInputRead !== false || (state === 'finished' && isCanary(facts));
  if (isJson) {
    const { continueWith } = facts;
    const ofInput = { warnings, ignoredLines, isInputRead };
    out(`${JSON.stringify({ target, state, reason, ...summary, ...ofInput, folder, continueWith })}\n`);
    return;
  }
  const rehearsal = isRehearsal ? '. Nothing was sent to a service.' : '';
  const lines = [
    ...[targetLine(target) + rehearsal, ...ignoredLinesInWords(ignoredLines, folder)],
    ...[...summaryInWords(summary, folder, isInputRead), ...warningsInWords(warnings), ...unreadInWords(input.files())],
  ];
  if (reason !== undefined)
    lines.push(`${state === 'halted' ? 'Halted' : 'Unfinished'}: ${reasonWithProxy(reason, target)}.`);
  out(`${[...lines, ...next.map(nextInWords)].join('\n')}\n`);
}
