/** A run that other machines join: what wakes its members, and how they get the book. */
import type { Command } from 'commander';
import type { ServingFlags } from '../monitoring/serve-monitoring.js';
import { expectBeside, setting } from './settings.js';

export interface FleetFlags extends ServingFlags {
  fleet?: true;
  queue?: string;
  bookIn: 'database' | 'place';
  name?: string;
}

/** Of `run`. */
export function withFleet(command: Command): Command {
  expectBeside(command, 'fleet', 'queue', 'name', 'bookIn');
  return withMember(
    withQueue(
      command.addOption(setting('--fleet', 'let workers on other machines join this run; needs --database')),
    ).addOption(
      setting('--book-in <where>', "how they get the book: database holds a copy; place, all can read the book's files")
        .choices(['database', 'place'])
        .default('database'),
    ),
  );
}

/** What each member may have for those who look after it. In a config file a port may be a number as well. */
export function withMember(command: Command): Command {
  return command
    .addOption(
      setting(
        '--name <text>',
        "by which status and report know this member of a fleet (default: the machine's name and the process)",
      ),
    )
    .addOption(
      setting(
        '--health <address>',
        'serve /healthz, /readyz and /metrics on this port of 127.0.0.1; in a container on 0.0.0.0:port',
      ).argParser(String),
    )
    .addOption(
      setting(
        '--dashboard <address>',
        'serve what waits in the queue, numbers of accounts too, on this port of 127.0.0.1, or on host:port',
      ).argParser(String),
    );
}

/** The same at each member. Whether it can be meant, the engine says: an error of the flag would show its password. */
export function withQueue(command: Command): Command {
  return command.addOption(
    setting('--queue <url>', "what wakes the fleet's members: redis://host:6379 (default: the database of the ledger)"),
  );
}
