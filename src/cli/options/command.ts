/** Exports `defineCommand`: a command as the list of commands creates it, from its arguments, options, help and action. */
import { Command } from 'commander';
import type { CommandContext } from '../shared/command-context.js';
import { type HelpOptions, withHelp } from './help.js';
import { refuseIdle } from './input-options.js';
import { addOptions, type OptionTable, type OptionValues } from './option.js';

interface CommandSpec<Table extends OptionTable, Arguments extends unknown[]> extends HelpOptions {
  /** As commander reads them, each with its description. */
  operands?: readonly (readonly [name: string, description: string])[];
  options: Table;
  action: (...given: [...Arguments, flags: OptionValues<Table>, context: CommandContext]) => Promise<void>;
  /** @default Command */
  Kind?: new (
    name: string,
  ) => Command;
}

export type DefinedCommand = (context: CommandContext, name: string) => Command;

export function defineCommand<Table extends OptionTable, Arguments extends unknown[]>(
  spec: CommandSpec<Table, Arguments>,
): DefinedCommand {
  const { operands = [], options, action, Kind = Command } = spec;
  return (context, name) => {
    const command = new Kind(name);
    for (const [operand, description] of operands) command.argument(operand, description);
    if ('encoding' in options) command.hook('preAction', refuseIdle);
    // After the arguments and the options, commander gives the command itself.
    return withHelp(addOptions(command, options), spec).action((...given) =>
      action(...(given.slice(0, operands.length + 1) as [...Arguments, OptionValues<Table>]), context),
    );
  };
}
