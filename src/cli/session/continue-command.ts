/** The command that continues a run: `continueCommand`, `withoutCanary`, `withOtherTeam`, `afterMove`. */
import { withoutFlag } from '../shared/command-text.js';

/** The command that continues after this one: after a canary it sends the rest. */
export function continueCommand(canary: number | undefined, commandLine: readonly string[]): string {
  const hasCanary = canary !== undefined && canary !== 0;
  return (hasCanary ? withoutCanary(commandLine) : commandLine).join(' ');
}

/** `--canary 0` is stated, because the environment or the config file may have a number. */
export function withoutCanary(words: readonly string[]): string[] {
  const [program = '', command = '', ...rest] = withoutFlag(words, '--canary');
  return [program, command, '--canary', '0', ...rest];
}

/** The user has to fill in the name: the service refused the one of the command, the environment or the config file. */
export function withOtherTeam(words: readonly string[]): string {
  return [...withoutFlag(words, '--team'), '--team <name from the operator>'].join(' ');
}

/** After the target was changed, the run belongs to the new address, and its first question was answered. */
export function afterMove(words: readonly string[]): readonly string[] {
  const isMove = words.some((word) => word.split('=')[0] === '--retarget');
  return isMove ? withoutFlag(words, '--retarget').filter((word) => word !== '--yes') : words;
}
