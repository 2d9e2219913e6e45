/** Commands as data (`CommandData`): `commandOf` reads one, `withFlag` and others change it, and `commandText` renders it last. */
import type { CommandData, CommandPart } from '../../migration/report/folder/stored-command.js';
import { shellWord } from './command-text.js';

/** Returns the command of these words. `takesValue`: whether a flag has one. */
export function commandOf(
  [verb = '', ...words]: readonly string[],
  takesValue: (flag: string) => boolean,
): CommandData {
  const parts: CommandPart[] = [];
  const left = words.values();
  let areOperands = false;
  for (const word of left) {
    const [flag, ...value] = word.split('=');
    if (areOperands || !word.startsWith('--')) parts.push({ value: word });
    else if (word === '--') areOperands = true;
    else if (value.length > 0) parts.push({ flag, value: value.join('=') });
    else parts.push(takesValue(word) ? { flag, value: left.next().value ?? '' } : { flag });
  }
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
