/** `data-import-sdk learn`: finds the settings of the sandbox that reproduce a recording, and writes them as `deployment.json`. */
import { isUtf8 } from 'node:buffer';
import { type Learned, learn, parseRecording } from '../../learn/learn.js';
import { defineCommand } from '../options/command.js';
import type { OptionTable } from '../options/option.js';
import { jsonOptions } from '../options/output-options.js';
import { attempt, readNamed, writeNamed } from '../options/values.js';
import { UsageError } from '../shared/errors.js';
import { tableText } from '../terminal/table.js';

const options = {
  out: {
    flags: '--out <path>',
    group: 'Output',
    help: 'file to write; must not exist',
    default: 'deployment.json',
    isFlagOnly: true,
  },
  json: { ...jsonOptions.json, help: 'print the result as one line of JSON' },
} as const satisfies OptionTable;

export const command = defineCommand({
  operands: [['<recording>', 'file of --record or recordCalls (.jsonl)']],
  options,
  hasSettings: false,
  async action(path, flags, { out }) {
    const bytes = await readNamed(path, path, 'a recording');
    if (!isUtf8(bytes) || bytes.includes(0))
      throw new UsageError(`${path} is not text in UTF-8; expected a recording, which --record or recordCalls writes.`);
    const calls = attempt(
      () => parseRecording(bytes.toString()),
      (error) => {
        throw error instanceof TypeError ? new UsageError(`${path}, ${error.message}`, { cause: error }) : error;
      },
    );
    if (calls.length === 0)
      throw new UsageError(`${path} has no recorded call. Record some calls with --record or recordCalls.`);
    const learned = await learn(calls);
    // `profile` is there also without a rule, so that `--profile` recognises the file.
    const deployment = { profile: null, ...learned.deployment };
    const text = `${JSON.stringify(deployment, null, 2)}\n`;
    await writeNamed(flags.out, '--out', text, { flag: 'wx' });
    out(flags.json ? `${JSON.stringify(learned)}\n` : resultText(learned, flags.out));
  },
});

function resultText({ settings, calls, notReproduced }: Learned, path: string): string {
  const shown = (value: unknown) => JSON.stringify(value);
  const found = settings.flatMap((each) => (each.verdict === 'found' ? [[each.name, shown(each.value)]] : []));
  const guesses = settings.flatMap((each) =>
    each.verdict === 'guess' ? [[each.name, shown(each.value), each.decidedBy ?? 'no query or validation']] : [],
  );
  return [
    `${calls} calls; ${calls - notReproduced.length} are answered by the sandbox as by the service.`,
    ...(notReproduced.length === 0
      ? []
      : [`Not reproduced: calls ${notReproduced.map((index) => index + 1).join(', ')}.`]),
    '',
    `Found (${found.length})`,
    ...tableText([['setting', 'value'], ...found]),
    '',
    `Guesses (${guesses.length}): the recording does not decide them`,
    ...tableText([['setting', 'guess', 'decided by'], ...guesses]),
    '',
    `Written: ${path}, for --sandbox-settings, sandbox --settings and --profile.`,
    '',
  ].join('\n');
}
