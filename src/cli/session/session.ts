/** One life of a run on the command line: begun, shown while it goes, and ended by itself or by a signal. */

import type { Input } from '../../migration/input/source.js';
import type { Ledger } from '../../migration/ledger/ledger.js';
import {
  type Migration,
  type MigrationOptions,
  type MigrationResult,
  startMigration,
} from '../../migration/migrate.js';
import { targetLine } from '../../migration/run/target.js';
import { createFailureNotes, failureOfEvent, failureOfResponse } from '../../migration/shared/connection-failure.js';
import type { CommandContext } from '../shared/command-context.js';
import { EXIT_OF_SIGNAL, type ExitCode } from '../shared/exit-codes.js';
import { createProgress } from '../terminal/progress.js';
import { createTerminal } from '../terminal/terminal.js';

/** Whoever opened the ledger closes it: the lock outlives one life. */
export type LifeOptions = MigrationOptions & { ledger: Ledger; target: string };

interface ShownFlags {
  json?: true;
  color: boolean;
}

export interface Lived {
  result: MigrationResult;
  /** The code of the signal that ended it. */
  interrupted: ExitCode | undefined;
}

const BETWEEN_PICTURES_MS = 200;

/** `began` is told of the migration once it is under way. Rejects as `startMigration` does. */
export async function live(
  options: LifeOptions,
  { json, color }: ShownFlags,
  context: CommandContext,
  began: (migration: Migration) => void,
): Promise<Lived> {
  const hard = new AbortController();
  // A terminal without a size, as some build machines have, shows no picture: it gets plain lines.
  const isWatched = process.stderr.isTTY === true && process.stderr.columns > 0 && !json;
  const terminal = createTerminal({ stream: process.stderr, isTTY: isWatched, ...(color ? {} : { color: false }) });
  const progress = await createProgress(options.ledger, Date.now(), options);
  const failures = createFailureNotes(options.client.host, (text) =>
    terminal.line(`${text[0]?.toUpperCase()}${text.slice(1)}.`),
  );
  const migration = await startMigration({
    ...options,
    signal: hard.signal,
    onEvent(record, event, before) {
      progress.event(record, event, before);
      options.onEvent?.(record, event, before);
    },
    onOthers(event) {
      progress.other(event);
      const failure = failureOfEvent(event);
      if (failure !== undefined) failures.failed(failure);
    },
    onLine: (_, finding) => progress.line(finding),
  });
  // Above the picture, and before the first line of a log.
  terminal.line(targetLine(options.target));
  began(migration);
  const { throttle, finished } = migration;
  const stopWatching = options.client.on({
    onResponse(response) {
      const failure = failureOfResponse(response);
      if (failure !== undefined && !hard.signal.aborted) failures.failed(failure);
    },
  });
  const show = () => terminal.show(progress.status(throttle.status(), Date.now(), migration.inFlight.waiting()));
  const ticking = setInterval(show, BETWEEN_PICTURES_MS);
  const stopCounting = isWatched
    ? countLines(options.input, options.canary, (lines) => progress.count(lines))
    : () => {};
  let interrupted: ExitCode | undefined;
  const stopListening = context.onSignal((signal) => {
    if (interrupted !== undefined) hard.abort();
    else {
      throttle.drain();
      terminal.line('Draining: what is under way ends, nothing new begins. Ctrl-C again breaks it off.');
    }
    interrupted = EXIT_OF_SIGNAL[signal];
  });
  try {
    const result = await finished;
    show();
    return { result, interrupted };
  } finally {
    clearInterval(ticking);
    stopCounting();
    stopWatching();
    stopListening();
    terminal.end();
  }
}

/** Beside the run, so that somebody who watches learns how much is left. What is wrong with the book, the run tells. */
function countLines(book: Input, most = Number.POSITIVE_INFINITY, tell: (lines: number) => void): () => void {
  let isWanted = true;
  const count = async () => {
    let lines = 0;
    for await (const _ of book) {
      if (!isWanted) return;
      if (++lines >= most) break;
    }
    tell(lines);
  };
  count().catch(() => {});
  return () => {
    isWanted = false;
  };
}
