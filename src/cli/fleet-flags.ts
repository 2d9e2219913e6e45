/** A run that other machines join: what wakes its members, and how they get the book. */
import type { Command } from 'commander';
import { setting } from './settings.js';

export interface FleetFlags {
  fleet?: true;
  queue?: string;
  bookIn: 'database' | 'place';
}

/** Of `run`. */
export function withFleet(command: Command): Command {
  return withQueue(
    command.addOption(setting('--fleet', 'let workers on other machines join this run; needs --database')),
  ).addOption(
    setting('--book-in <where>', "how they get the book: database holds a copy; place, all can read the book's files")
      .choices(['database', 'place'])
      .default('database'),
  );
}

/** The same at each member. Whether it can be meant, the engine says: an error of the flag would show its password. */
export function withQueue(command: Command): Command {
  return command.addOption(
    setting('--queue <url>', "what wakes the fleet's members: redis://host:6379 (default: the database of the ledger)"),
  );
}
