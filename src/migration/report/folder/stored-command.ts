/**
 * Exports `CommandData`, a command as data, and the functions that keep the one of the last session in the ledger: commands that are
 * printed later have its flags too.
 */
import * as z from 'zod';
import type { Ledger } from '../../ledger/ledger.js';
import { fits, jsonFact } from '../../ledger/stored-fact.js';

const CommandSchema = z.object({
  /** Such as `run`. */
  verb: z.string(),
  /** In the order in which they were typed: flags such as `--rps`, with or without a value, and operands, which have only a value. */
  parts: z.array(z.object({ flag: z.string().optional(), value: z.string().optional() })),
});

export type CommandData = z.infer<typeof CommandSchema>;

export type CommandPart = CommandData['parts'][number];

/** Name of the ledger fact. */
const COMMAND = 'command';

export function keepCommand(ledger: Pick<Ledger, 'setFact'>, command: CommandData): Promise<void> {
  return ledger.setFact(COMMAND, JSON.stringify(command));
}

/** Resolves with undefined if a program, and no command, has started all sessions. */
export function keptCommand(ledger: Pick<Ledger, 'fact'>): Promise<CommandData | undefined> {
  return jsonFact(ledger, COMMAND, fits(CommandSchema));
}
