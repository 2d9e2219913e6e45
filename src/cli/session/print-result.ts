/** `printResult`: prints what a session did and what the user does next, as text or as JSON. */
import { join } from 'node:path';
import type { OpenInput } from '../../migration/input/open-input.js';
import type { Ledger } from '../../migration/ledger/ledger.js';
import { readRunFacts } from '../../migration/report/folder/stored-facts.js';
import { unreadInWords, warningsInWords } from '../../migration/report/summary/input-report.js';
import { targetLine } from '../../migration/run/expect-target.js';
import type { MigrationResult } from '../../migration/run/session/end-session.js';
import type { CommandContext } from '../shared/command-context.js';
import { nextCommands } from './next-commands.js';
import { reasonWithProxy } from './proxy-failure.js';
import { ignoredLinesInWords, summaryInWords } from './result-text.js';
import { printedFrom } from './session-command.js';

export interface PrintedResult {
  result: MigrationResult;
  target: string;
  /** The run folder. */
  folder: string;
  ledger: Pick<Ledger, 'fact'>;
  input: OpenInput;
  /** Whether the session was asked for a part of the input only. */
  isCanary: boolean;
  isRehearsal: boolean;
  isJson: boolean;
  /** The command that continues after this one. */
  continueWith: string;
}

/** Resolves with the lines that say what to do next. */
export async function printResult(
  printed: PrintedResult,
  context: Pick<CommandContext, 'out' | 'program'>,
): Promise<string[]> {
  const { out } = context;
  const { result, target, folder, ledger, input, isCanary, isRehearsal, isJson, continueWith } = printed;
  const { state, reason, summary, warnings, ignoredLines } = result;
  const facts = await readRunFacts(join(folder, 'run.json'));
  const isKnown = facts !== undefined && facts !== 'damaged' && !(isCanary && state === 'finished');
  const commands = isKnown ? facts : { continueWith, runCommand: continueWith, retryCommand: '', runAgainWith: [] };
  const next =
    isCanary && state === 'finished'
      ? [`Next: ${continueWith}`]
      : nextCommands({ ...commands, state, summary, folder, ...(await printedFrom(ledger, context)) });
  const isInputRead = !isKnown || facts.isInputRead !== false;
  if (isJson) {
    const line = {
      target,
      state,
      reason,
      ...summary,
      warnings,
      ignoredLines,
      isInputRead,
      folder,
      continueWith: commands.continueWith,
    };
    out(`${JSON.stringify(line)}\n`);
    return next;
  }
  const rehearsal = isRehearsal ? '. Nothing was sent to a service.' : '';
  const lines = [
    ...[targetLine(target) + rehearsal, ...ignoredLinesInWords(ignoredLines, folder)],
    ...[...summaryInWords(summary, folder, isInputRead), ...warningsInWords(warnings), ...unreadInWords(input.files())],
  ];
  if (reason !== undefined)
    lines.push(`${state === 'halted' ? 'Halted' : 'Unfinished'}: ${reasonWithProxy(reason, target)}.`);
  out(`${[...lines, ...next].join('\n')}\n`);
  return next;
}
