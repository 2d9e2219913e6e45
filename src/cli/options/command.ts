/** Exports `defineCommand`: a command as the list of commands creates it, from its arguments, options, help and action. */
import { Command } from 'commander';
import type { CommandContext } from '../shared/command-context.js';
import { configOptions } from './config-file.js';
import { type HelpOptions, withHelp } from './help.js';
import { addOptions, type OptionTable, type OptionValues } from './option.js';

/** As commander reads them, each with its description. */
type Operands = readonly (readonly [name: string, description: string])[];

type OperandValues<Given extends Operands> = {
  -readonly [Place in keyof Given]: Given[Place][0] extends `${string}...${string}` ? string[] : string;
};

interface CommandSpec<Given extends Operands, Table extends OptionTable> extends HelpOptions {
  operands?: Given;
  options: Table;
  action(...given: [...OperandValues<Given>, flags: OptionValues<Table>, context: CommandContext]): Promise<void>;
  /** @default Command */
  Kind?: new (
    name: string,
  ) => Command;
}

export type DefinedCommand = (context: CommandContext, name: string) => Command;

export function defineCommand<const Table extends OptionTable, const Given extends Operands = []>(
  spec: CommandSpec<Given, Table>,
): DefinedCommand {
  const { operands = [], options, hasSettings = true, Kind = Command } = spec;
  return (context, name) => {
    const command = new Kind(name);
    for (const [operand, description] of operands) command.argument(operand, description);
    addOptions(command, { ...options, ...(hasSettings && configOptions) });
    // After the arguments and the options, commander gives the command itself.
    return withHelp(command, spec).action((...given) =>
      spec.action(...(given.slice(0, operands.length + 1) as [...OperandValues<Given>, OptionValues<Table>]), context),
    );
  };
}
