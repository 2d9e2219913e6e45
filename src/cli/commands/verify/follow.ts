/** `verify --follow`: polls the import status of each account, prints progress, and writes the files of the run folder. */
import { join } from 'node:path';
import type { Ledger } from '../../../migration/ledger/ledger.js';
import { followImports, rejectedOf } from '../../../migration/operations/verify/follow.js';
import { openStatusLog, type StatusLog } from '../../../migration/operations/verify/follow-log.js';
import { isOfRun } from '../../../migration/report/folder/run-folder.js';
import { counted, duration, importCountsInWords } from '../../../migration/shared/format.js';
import { writeWhole } from '../../../migration/shared/write-atomically.js';
import { createThrottle } from '../../../migration/throttle/throttle.js';
import { openConnection } from '../../open/connection.js';
import { withLedgerOf } from '../../open/run-folder.js';
import type { ConnectionFlags } from '../../options/connection-options.js';
import type { RunFlags } from '../../options/run-options.js';
import { type QueryThrottleFlags, throttleOf } from '../../options/throttle-options.js';
import type { CommandContext } from '../../shared/command-context.js';
import { EXIT, EXIT_OF_SIGNAL, type ExitCode } from '../../shared/exit-codes.js';

type FollowFlags = ConnectionFlags & RunFlags & QueryThrottleFlags & { followEvery: number };

export type FollowedImports = Awaited<ReturnType<typeof followImportStatuses>>;

/** Final statuses, one a line: the next command does not poll these accounts again. */
const STATUSES = 'import-statuses.jsonl';
const REJECTED = 'rejected-by-service.jsonl';

/** Time between two progress lines of one round. */
const BETWEEN_LINES_MS = 10_000;

/** Polls until all statuses are final or a signal ends it. Rejects if the ledger or the connection cannot be opened, or fails. */
export async function followImportStatuses(
  flags: FollowFlags,
  { err, onSignal }: Pick<CommandContext, 'err' | 'onSignal'>,
) {
  return withLedgerOf(flags, async (ledger) => {
    const { client, close } = await openConnection(flags, flags.run);
    const throttle = createThrottle(throttleOf(flags));
    const stopWatching = client.on({
      onResponse: ({ operation, status, durationMs }) =>
        throttle.onResponse({ operation, status, latencyMs: durationMs }),
    });
    const ending = new AbortController();
    const breaking = new AbortController();
    /** The exit code of the signal that ended it. */
    let endedBy: ExitCode | undefined;
    const stopListening = onSignal((signal) => {
      if (ending.signal.aborted) breaking.abort();
      endedBy ??= signal === 'SIGINT' ? EXIT.paused : EXIT_OF_SIGNAL[signal];
      ending.abort();
    });
    // Without a run folder, as for a ledger on a server, nothing is kept.
    const log = (await isOfRun(flags.run)) ? await openStatusLog(join(flags.run, STATUSES)) : undefined;
    let printedAt = Date.now();
    try {
      const { counts, state } = await followImports({
        ...{ ledger, client, throttle, log, everyMs: flags.followEvery * 1000 },
        ...{ signal: ending.signal, breakOff: breaking.signal },
        onAnswer(found) {
          if (Date.now() - printedAt < BETWEEN_LINES_MS) return;
          printedAt = Date.now();
          err(`${importCountsInWords(found)}\n`);
        },
        onRound(found, waitMs) {
          printedAt = Date.now();
          const next = waitMs === undefined ? '' : `; next round in ${duration(waitMs)}`;
          err(`${importCountsInWords(found)}${next}\n`);
        },
      });
      /** Accounts that are rejected, that the service does not know, or that have another number there. */
      const differing = counts.REJECTED + counts.notFound + counts.otherNumber;
      return { counts, state, differing, endedBy: state === 'stopped' ? endedBy : undefined };
    } finally {
      stopListening();
      stopWatching();
      if (log !== undefined) await writeRejected(join(flags.run, REJECTED), ledger, log);
      await log?.close();
      await close();
    }
  });
}

/** Writes numbers and positions only: the service gives no reason for a rejection. */
async function writeRejected(path: string, ledger: Ledger, log: StatusLog): Promise<void> {
  await writeWhole([path], async ([write]) => {
    for await (const { supplier, number, serviceNumber, source, line } of rejectedOf(ledger, log)) {
      await write(`${JSON.stringify({ supplier, kind: 'account', number, serviceNumber, source, line })}\n`);
    }
  });
}

export function followedInWords({ counts, state }: FollowedImports, run: string): string {
  const { REJECTED: rejected, notFound, otherNumber } = counts;
  const say = (count: number, text: string) => (count === 0 ? [] : [text]);
  return [
    `Import statuses: ${importCountsInWords(counts)}`,
    ...say(
      rejected,
      `${counted(rejected, 'account is', 'accounts are')} REJECTED by the industry switch: see ${join(run, REJECTED)}. Ask the operator for the reason; nothing is sent again.`,
    ),
    ...say(
      notFound,
      `${counted(notFound, 'account', 'accounts')} that the run created ${notFound === 1 ? 'is' : 'are'} unknown to the service. Ask the operator whether they were removed.`,
    ),
    ...say(
      otherNumber,
      `${counted(otherNumber, 'account has', 'accounts have')} another service account number in ${otherNumber === 1 ? 'its status answer' : 'their status answers'} than in the ledger. Ask the operator which number is correct.`,
    ),
    ...(state === 'stopped' ? ['Stopped before every account had a final status: the same command continues.'] : []),
    '',
  ].join('\n');
}
