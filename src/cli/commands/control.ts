/** `data-import-sdk pause`, `resume`, `drain`, `set` and `status`: control and inspect a run from another terminal. */
import { join } from 'node:path';
import { Command } from 'commander';
import { type Ledger, type LedgerCounts, LINE_OUTCOMES } from '../../migration/ledger/ledger.js';
import { sendControl } from '../../migration/operations/control/control.js';
import { ControlError, parseCommand } from '../../migration/operations/control/control-command.js';
import type { WaitingRecords } from '../../migration/record/preconditions/quiet-time.js';
import type { CommandData } from '../../migration/report/folder/stored-command.js';
import { readRunFacts, readStored } from '../../migration/report/folder/stored-facts.js';
import { currentSummary } from '../../migration/report/folder/write-report.js';
import type { RunFacts } from '../../migration/report/report.js';
import { inputFileInWords } from '../../migration/report/summary/input-report.js';
import type { LineCounts } from '../../migration/report/summary/line-counts.js';
import { batchesInWords, notBegunInWords } from '../../migration/report/summary/sentences.js';
import { batchesOf } from '../../migration/report/summary/summary.js';
import { isCanary } from '../../migration/run/canary.js';
import { storedTarget, targetLine } from '../../migration/run/expect-target.js';
import { counted, countsInWords } from '../../migration/shared/format.js';
import type { ThrottleStatus } from '../../migration/throttle/throttle.js';
import { activeInWords, distributedRunIn, isActive, sendToRow, workersInWords } from '../distributed/workers.js';
import { withLedgerOf, withoutFactsInWords } from '../open/run-folder.js';
import { type DefinedCommand, defineCommand } from '../options/command.js';
import type { OptionTable, OptionValues } from '../options/option.js';
import { jsonOptions } from '../options/output-options.js';
import { folderOptions, ledgerOptions, type RunFlags, rehearsalOptions } from '../options/run-options.js';
import { lastCommand, printedFrom } from '../session/command-again.js';
import { nextInWords, nextSteps, resolveInWords } from '../session/next-commands.js';
import type { CommandContext } from '../shared/command-context.js';
import { commandText, withFlag } from '../shared/command-data.js';
import { concurrencyInWords, waitingInWords } from '../terminal/progress-text.js';

const options = { ...rehearsalOptions, ...folderOptions, ...ledgerOptions } as const satisfies OptionTable;
const statusOptions = { ...options, ...jsonOptions } as const satisfies OptionTable;

type StatusFlags = OptionValues<typeof statusOptions>;

/** Names the form of a setting if it was typed as an option, as `run` has it. */
class SetCommand extends Command {
  override error(message: string, options?: Parameters<Command['error']>[1]): never {
    const name = /unknown option '--(concurrency|process-concurrency|rps)\b/.exec(message)?.[1];
    if (name === undefined) return super.error(message, options);
    return super.error(`error: unknown option '--${name}'. Give a setting as name=value: ${name}=<number>`, options);
  }
}

/** A command without settings. It finds the run by its folder (`--run`), as the others do. */
function controlCommand(name: string): DefinedCommand {
  return defineCommand({
    options,
    action: (flags: OptionValues<typeof options>, context: CommandContext) => sendAndPrint(flags, name, context),
  });
}

const COMMANDS = {
  pause: controlCommand('pause'),
  resume: controlCommand('resume'),
  drain: controlCommand('drain'),
  set: defineCommand({
    Kind: SetCommand,
    operands: [['<setting...>', 'concurrency, process-concurrency or rps, as name=value']],
    options,
    action: (settings: string[], flags: OptionValues<typeof options>, context: CommandContext) =>
      sendAndPrint(flags, `set ${settings.join(' ')}`, context),
  }),
  status: defineCommand({ options: statusOptions, action: printStatus }),
};

export const command: DefinedCommand = (context, name) => COMMANDS[name as keyof typeof COMMANDS](context, name);

async function sendAndPrint(
  flags: OptionValues<typeof options>,
  command: string,
  context: CommandContext,
): Promise<void> {
  try {
    const status = await sendControl(flags.run, command).catch((error: unknown) => {
      if (error instanceof ControlError && error.isWithoutRun && flags.database !== undefined) return undefined;
      throw error;
    });
    const done = status === undefined ? await sendWithoutProcess(flags, command, context) : undefined;
    context.out(`${done ?? stateInWords(status as RunningStatus)}\n`);
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    throw new ControlError(`${command.replace(/ .*/, '')}: ${error.message}`, { cause: error });
  }
}

/** No process listens in the run folder: the workers of a distributed run read the command in its ledger. */
function sendWithoutProcess(flags: RunFlags, command: string, context: CommandContext): Promise<string> {
  return withLedgerOf(flags, async (ledger) => {
    const { command: last } = await printedFrom(ledger, context);
    const again = command.startsWith('set ') ? last && command.split(' ').reduce(withLimit, last) : undefined;
    const done = await sendToRow(flags, parseCommand(command), again);
    const next = await lastCommand(ledger, context);
    if (done === undefined) {
      throw new ControlError(`no run is active in ${flags.run}, and its ledger has no distributed run that is open.`);
    }
    return command === 'drain' && next !== undefined ? `${done}\nNext: ${next}` : done;
  });
}

function withLimit(last: CommandData, setting: string): CommandData {
  const [name, value] = setting.split('=');
  return value === undefined ? last : withFlag(last, `--${name}`, value);
}

async function printStatus(flags: StatusFlags, context: CommandContext): Promise<void> {
  const { out } = context;
  const { run, json } = flags;
  // No answer means that no session is running.
  const running = (await sendControl(run, 'status').catch(() => undefined)) as RunningStatus | undefined;
  const { facts, target, counts, batches, distributed, isBusy, last, printed, isElsewhere } = await withLedgerOf(
    flags,
    async (ledger) => {
      const found = await readRunFacts(join(run, 'run.json'));
      const facts = found === 'damaged' ? undefined : found;
      const [counts, distributed] = [await ledger.counts(), await distributedRunIn(flags)];
      const isBusy = distributed !== undefined && isActive(distributed);
      const isOver = facts !== undefined && running === undefined && !isBusy && !json;
      return {
        ...{ facts, counts, distributed, isBusy },
        ...{ target: await storedTarget(ledger), batches: await batchesOf(ledger) },
        last: isOver ? await lastSession(facts, run, ledger, counts, context) : undefined,
        // A run folder of another machine has the facts.
        isElsewhere: facts === undefined && running === undefined && !isBusy && (await isWithoutFacts(flags, ledger)),
        printed: isOver ? undefined : await printedFrom(ledger, context),
      };
    },
  );
  if (json) {
    const { rejected, skipped } = (running === undefined ? facts?.lines : running.lines) ?? {};
    const lines = rejected === undefined ? null : { rejected, skipped };
    const { coordinator = null, ...others } = distributed ?? {};
    const ofOthers = distributed === undefined ? {} : { ...others, coordinator };
    out(
      `${JSON.stringify({ target: target ?? null, ...counts, batches, pace: running ?? null, lines, ...ofOthers })}\n`,
    );
    return;
  }
  if (target !== undefined) out(`${targetLine(target)}\n`);
  out(`${last?.allLines ?? recordsInWords(counts, running?.lines)}\n`);
  if (batches !== undefined) out(`${batchesInWords(batches)}\n`);
  for (const file of (await readStored(run, 'input'))?.files ?? []) out(`Input: ${inputFileInWords(file)}\n`);
  const noAnswer = distributed !== undefined && isBusy ? activeInWords(distributed) : 'Not running.';
  out(`${running === undefined ? noAnswer : stateInWords(running)}\n`);
  for (const line of last?.lines ?? []) out(`${line}\n`);
  const isWithoutCoordinator = running === undefined && distributed?.coordinator?.isThere === false;
  const isLeft = isWithoutCoordinator && (isBusy || (counts.unfinished > 0 && facts === undefined));
  if (printed?.command !== undefined) {
    const { program, command } = printed;
    if (isLeft) out(`Next: ${commandText(program, command)}\n`);
    const { unknown } = counts.ended;
    if (isElsewhere) {
      if (unknown > 0 && !isLeft) out(`${resolveInWords(unknown, { program, command, folder: run })}\n`);
      out(`${withoutFactsInWords(flags, command, distributed?.coordinator?.holder?.host)}\n`);
    }
  }
  if (distributed !== undefined) out(workersInWords(distributed));
}

/** Whether to say where the facts of the run are: without the folder of a run on a server, if a record is not settled. */
async function isWithoutFacts({ database }: RunFlags, ledger: Ledger): Promise<boolean> {
  if (database === undefined) return true;
  for await (const _ of ledger.list({ isSettled: false })) return true;
  return false;
}

function recordsInWords({ total, unfinished, ended }: LedgerCounts, lines: LinesOnly = NO_LINES): string {
  const others = lines.rejected + lines.skipped;
  const all = others === 0 ? counted(total, 'record') : `${counted(total + others, 'line')} so far`;
  const rejected = ended.rejected + lines.rejected;
  return `${all}: ${countsInWords({ ...ended, rejected, skipped: lines.skipped, unfinished }, [...LINE_OUTCOMES, 'unfinished'])}`;
}

const NO_LINES: LinesOnly = { rejected: 0, skipped: 0 };

/**
 * Resolves with why the session ended early and the next commands, and with the balance if some lines are no record of the ledger: they have
 * none, or the number of another line.
 */
async function lastSession(
  facts: RunFacts,
  folder: string,
  ledger: Ledger,
  counts: LedgerCounts,
  context: CommandContext,
) {
  const summary = await currentSummary(folder, facts, ledger, counts);
  const { state, reason } = facts;
  const ended = state === 'running' || state === 'brokenOff' ? 'aborted' : state;
  const how = `The last session was ${ended}${reason === null ? '' : `: ${reason}`}.`;
  const next = nextSteps({ ...facts, summary, folder, ...(await printedFrom(ledger, context)) }).map(nextInWords);
  if (state === 'finished' && isCanary(facts)) {
    const accounts = counted(Number(facts.configuration['canary']), 'account');
    return { allLines: undefined, lines: [`The last session was a canary of ${accounts}.`, ...next] };
  }
  const hasOthers = summary.rejected !== counts.ended.rejected || summary.skipped > 0;
  return {
    allLines: hasOthers ? `All lines${summary.notBegun === 0 ? '' : ' so far'}: ${summary.balance.text}` : undefined,
    lines: [...(state === 'finished' ? [] : [how]), ...notBegunInWords(summary), ...next],
  };
}

/**
 * The answer of a run that has no session yet, or of a running session: its throttle, the records that wait for a request without an
 * answer, and the lines so far that are no record of the ledger.
 */
type RunningStatus =
  | { state: 'starting'; reason: string; lines?: undefined }
  | (ThrottleStatus & { inFlight: WaitingRecords; lines: LinesOnly });

/** Lines that are no record of the ledger: they have none, or the number of another line. */
type LinesOnly = Pick<LineCounts, 'rejected' | 'skipped'>;

function stateInWords(status: RunningStatus): string {
  const { state, reason } = status;
  const why = reason === undefined ? '' : ` (${reason})`;
  if (status.state === 'starting') return `${state}${why}`;
  const { rate, process, inFlight } = status;
  const waiting = waitingInWords({ inFlight });
  const concurrency = concurrencyInWords({ now: process.limit, why: process.why });
  const now = `${state}${why} · ${rate.records.toFixed(1)}/s · ${concurrency}`;
  return waiting === '' ? now : `${now} · ${waiting}`;
}
