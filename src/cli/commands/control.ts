/** `data-import pause`, `resume`, `drain`, `set` and `status`: a hand on a run from another terminal. */
import { join } from 'node:path';
import { Command } from 'commander';
import { sendControl } from '../../migration/operations/control/control.js';
import { ControlError } from '../../migration/operations/control/control-command.js';
import type { WaitingRecords } from '../../migration/record/preconditions/in-flight-records.js';
import { counted } from '../../migration/shared/format.js';
import type { ThrottleStatus } from '../../migration/throttle/throttle.js';
import { type LedgerFlags, withLedger, withRehearsal, withRunFolder } from '../options/run-folder-options.js';
import { setting, withConfigFile } from '../options/settings.js';
import { batchesInWords } from '../session/result-text.js';
import type { CommandContext } from '../shared/command-context.js';
import { UsageError } from '../shared/errors.js';
import { inFlightOf } from '../terminal/picture.js';

interface StatusFlags extends LedgerFlags {
  json?: true;
}

const STEERING: Readonly<Record<string, string>> = {
  pause: 'Let a running run send nothing more until it is resumed.',
  resume: 'Let a paused run go on.',
  drain: 'Let what is under way in a running run end, and the run with it.',
};

export function steeringCommands(context: CommandContext): Command[] {
  const simple = Object.entries(STEERING).map(([name, description]) =>
    withRun(new Command(name).description(description)).action(async ({ run }: { run: string }) => {
      context.out(`${stateOf((await send(run, name)) as RunningStatus)}\n`);
    }),
  );
  const set = withRun(
    new Command('set')
      .description('Change the pace of a running run.')
      .argument('<setting...>', 'concurrency=16, process-concurrency=8, rps=20'),
  ).action(async (settings: string[], { run }: { run: string }) => {
    context.out(`${stateOf((await send(run, `set ${settings.join(' ')}`)) as RunningStatus)}\n`);
  });
  const status = withRun(
    new Command('status')
      .description('Tell how far a run is, running or not.')
      .addOption(setting('--json', 'as one line of JSON')),
  ).action((flags: StatusFlags) => tellStatus(flags, context));
  withLedger(status);
  return [...simple, set, status];
}

function withRun(command: Command): Command {
  return withConfigFile(withRehearsal(withRunFolder(command)));
}

async function send(folder: string, command: string): Promise<unknown> {
  try {
    return await sendControl(folder, command);
  } catch (error) {
    if (error instanceof ControlError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

async function tellStatus(flags: StatusFlags, { out }: CommandContext): Promise<void> {
  const { run, json } = flags;
  const { withLedgerOf } = await import('../open/run-folder.js');
  const { inWords, membersOf } = await import('../distributed/members.js');
  const { storedTarget, targetLine } = await import('../../migration/run/target.js');
  const { batchesOf } = await import('../../migration/report/summary/summary.js');
  const { target, counts, batches, members } = await withLedgerOf(flags, async (ledger) => ({
    target: await storedTarget(ledger),
    counts: await ledger.counts(),
    batches: await batchesOf(ledger),
    members: await membersOf(flags),
  }));
  // Nobody answers where nothing runs, and that is no mistake.
  const pace = (await sendControl(run, 'status').catch(() => undefined)) as RunningStatus | undefined;
  if (json) {
    out(
      `${JSON.stringify({ target: target ?? null, ...counts, ...(batches !== undefined && { batches }), pace: pace ?? null, ...(members !== undefined && { members }) })}\n`,
    );
    return;
  }
  if (target !== undefined) out(`${targetLine(target)}\n`);
  const { created, alreadyImported, rejected, skipped, unknown } = counts.ended;
  out(
    `${counts.total} records: ${created} created, ${alreadyImported} already imported, ${rejected} rejected, ${skipped} skipped, ${unknown} unknown, ${counts.unfinished} unfinished\n`,
  );
  if (batches !== undefined) out(`${batchesInWords(batches)}\n`);
  const { readInput } = await import('../../migration/report/folder/stored-facts.js');
  const { inputFileInWords } = await import('../../migration/report/summary/input-report.js');
  for (const file of (await readInput(join(run, 'input.json')))?.files ?? []) out(`Input: ${inputFileInWords(file)}\n`);
  const isAtWork = members?.some(({ isThere }) => isThere) === true;
  const quiet = isAtWork ? 'No run answers in this folder; its fleet is at work.' : 'Not running.';
  out(`${pace === undefined ? quiet : stateOf(pace)}\n`);
  if (pace === undefined && !isAtWork) out(await lastEndOf(flags));
  if (members !== undefined) out(inWords(members));
}

/** Why the last session ended before its end, and what to do next; empty where nothing is left. */
async function lastEndOf(flags: StatusFlags): Promise<string> {
  const { readRunFacts } = await import('../../migration/report/folder/stored-facts.js');
  const { withLedgerOf } = await import('../open/run-folder.js');
  const { currentSummary } = await import('../../migration/report/folder/write-report.js');
  const { nextCommands } = await import('../session/next-commands.js');
  const folder = flags.run;
  const facts = await readRunFacts(join(folder, 'run.json'));
  if (facts === undefined || facts === 'damaged') return '';
  const summary = await withLedgerOf(flags, (ledger) => currentSummary(folder, facts, ledger));
  const { state, reason } = facts;
  const ended = state === 'running' || state === 'brokenOff' ? 'broken off' : state;
  const how = `The last session was ${ended}${reason === null ? '' : `: ${reason}`}.`;
  const canary = Number(facts.configuration['canary'] ?? 0);
  if (state === 'finished' && canary > 0) {
    return `The last session was a canary of ${counted(canary, 'account')}.\nNext: ${facts.continueWith}\n`;
  }
  const next = nextCommands({ ...facts, summary, folder });
  return [...(state === 'finished' ? [] : [how]), ...next].map((line) => `${line}\n`).join('');
}

/** The answer of a running session: its throttle, and the records whose requests got no answer. */
type RunningStatus = ThrottleStatus & { inFlight?: WaitingRecords };

function stateOf({ state, reason, rate, process, inFlight = { count: 0, longestMs: 0 } }: RunningStatus): string {
  const why = reason === undefined ? '' : ` (${reason})`;
  const waiting = inFlightOf({ inFlight });
  const now = `${state}${why}: ${rate.records.toFixed(1)} records/s, process ${process.limit} at a time (${process.why})`;
  return waiting === '' ? now : `${now}; ${waiting}`;
}
