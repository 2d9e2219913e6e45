/** Commands as data (`CommandData`): `commandOf` reads one, `withFlag` and others change it, and `commandText` renders it last. */
import { parseArgs } from 'node:util';
import type { CommandData, CommandPart } from '../../migration/report/folder/stored-command.js';
import { shellWord } from './command-text.js';

/** Returns the command of these words. `withValue`: the flags that have one, such as `--rps`. */
export function commandOf([verb = '', ...args]: readonly string[], withValue: readonly string[]): CommandData {
  const options = Object.fromEntries(withValue.map((flag) => [flag.slice(2), { type: 'string' as const }]));
  const { tokens } = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true });
  const parts = tokens.flatMap((token): CommandPart[] => {
    if (token.kind === 'positional') return [{ value: token.value }];
    if (token.kind === 'option-terminator') return [];
    return [{ flag: token.rawName, ...(token.value !== undefined && { value: token.value }) }];
  });
  return { verb, parts };
}

/** Returns the command so that it can be pasted into a shell. `program`: how it is started. */
export function commandText(program: string, { verb, parts }: CommandData): string {
  const isLikeFlag = ({ flag, value = '' }: CommandPart) => flag === undefined && /^-./.test(value);
  const last = parts.filter(isLikeFlag).map(({ value = '' }) => shellWord(value));
  const words = parts.filter((part) => !isLikeFlag(part)).flatMap(({ flag, value }) => wordsOf(flag, value));
  return [program, verb, ...words, ...(last.length === 0 ? [] : ['--', ...last])].join(' ');
}

function wordsOf(flag: string | undefined, value: string | undefined): string[] {
  if (flag === undefined) return [shellWord(value ?? '')];
  if (value === undefined) return [flag];
  // As a separate word it would be read as a flag.
  return value.startsWith('-') ? [`${flag}=${shellWord(value)}`] : [flag, shellWord(value)];
}

/** Returns the command without these flags. */
export function withoutFlags({ verb, parts }: CommandData, ...flags: readonly string[]): CommandData {
  return { verb, parts: parts.filter(({ flag }) => flag === undefined || !flags.includes(flag)) };
}

/** Returns the command with this value of a flag, in place of a typed one. */
export function withFlag(command: CommandData, flag: string, value: string): CommandData {
  const { verb, parts } = withoutFlags(command, flag);
  return { verb, parts: [{ flag, value }, ...parts] };
}
