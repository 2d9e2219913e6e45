/** The command of a session as data: `commandAgain` and `continueWith` for the session itself, `printedFrom` for the commands that are printed later. */
import type { Ledger } from '../../migration/ledger/ledger.js';
import type { NotAccepted } from '../../migration/record/events/record-event.js';
import { type CommandData, keptCommand } from '../../migration/report/folder/stored-command.js';
import type { ContinueWith } from '../../migration/report/report.js';
import type { ThrottleStatus } from '../../migration/throttle/throttle.js';
import type { CommandContext } from '../shared/command-context.js';
import { commandText, withFlag, withoutFlags } from '../shared/command-data.js';

/** The limits that were set in the sessions of a command, also by another process of a distributed run: the text of each flag. */
export class ChangedLimits {
  readonly #changed = new Map<string, string>();
  #begun = new Map<string, string>();

  /** A session begins with these limits. */
  begin(status: ThrottleStatus): void {
    this.#begun = limitsOf(status);
  }

  /** Returns those of the sessions before, and those that differ now. */
  now(status: ThrottleStatus | undefined): ReadonlyMap<string, string> {
    for (const [flag, value] of status === undefined ? [] : limitsOf(status)) {
      if (this.#changed.has(flag) || this.#begun.get(flag) !== value) this.#changed.set(flag, value);
    }
    return this.#changed;
  }
}

function limitsOf({ concurrency, process: { least, most }, rps }: ThrottleStatus): Map<string, string> {
  return new Map([
    ['--rps', String(rps)],
    ['--concurrency', String(concurrency.most)],
    ['--process-concurrency', `${least}-${most}`],
  ]);
}

/** Returns the command of a session as it is given again: with the limits that were set meanwhile, and without options of one session. */
export function commandAgain(
  { command }: Pick<CommandContext, 'command'>,
  changed: ReadonlyMap<string, string>,
): CommandData {
  const isMove = command.parts.some(({ flag }) => flag === '--retarget');
  const again = withoutFlags(command, '--record', ...(isMove ? ['--retarget', '--yes'] : []));
  return [...changed].reduce((one, [flag, value]) => withFlag(one, flag, value), again);
}

/** The flags whose values the user has to fill in, because the service did not accept them. */
const TO_FILL_IN: Readonly<Partial<Record<NotAccepted, [flag: string, value: string]>>> = {
  team: ['--team', 'name from the operator'],
  address: ['--base-url', 'address of the service'],
};

interface SessionOfCommand {
  context: Pick<CommandContext, 'program' | 'command'>;
  changed: () => ReadonlyMap<string, string>;
  /** The number of records of `--canary`, or of the environment or the config file. */
  canary: number | undefined;
  /** Whether it is the session that the user agreed to after a canary. */
  isAfterCanary: boolean;
}

/** After a canary the command sends the rest. `--canary 0` is stated, because the environment or the config file may have a number. */
export function continueWith({ context, changed, canary = 0, isAfterCanary }: SessionOfCommand): ContinueWith {
  return ({ state, notAccepted }) => {
    const again = commandAgain(context, changed());
    const isRest = isAfterCanary || (state === 'finished' && canary > 0);
    // The records of this session are in the ledger: the next one accepts no further change unless it is typed again.
    const isDone = state === 'finished' && (canary === 0 || isAfterCanary);
    const once = isDone ? withoutFlags(again, '--changed-sources') : again;
    const command = isRest ? withFlag(once, '--canary', '0') : once;
    const [flag, value] = (notAccepted !== undefined && TO_FILL_IN[notAccepted]) || [];
    if (flag === undefined) return commandText(context.program, command);
    // The service refused the value of the command, the environment or the config file.
    return `${commandText(context.program, withoutFlags(command, flag))} ${flag} <${value}>`;
  };
}

/** Resolves with what other commands are printed from. `command`: of the last session; undefined if a program has started all of them. */
export async function printedFrom(
  ledger: Pick<Ledger, 'fact'>,
  { program }: Pick<CommandContext, 'program'>,
): Promise<{ program: string; command: CommandData | undefined }> {
  return { program, command: await keptCommand(ledger) };
}

/** Resolves with the command of the last session, which continues the run; undefined if a program has started all of them. */
export async function lastCommand(
  ledger: Pick<Ledger, 'fact'>,
  context: Pick<CommandContext, 'program'>,
): Promise<string | undefined> {
  const { program, command } = await printedFrom(ledger, context);
  return command && commandText(program, command);
}
