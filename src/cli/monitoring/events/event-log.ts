/** `createEventLog`: the log of a command, one line of JSON for each event (`--log-format json`). */
import { LINE_OUTCOMES } from '../../../migration/ledger/ledger.js';
import { countsInWords, number } from '../../../migration/shared/format.js';
import { EXIT, type ExitCode } from '../../shared/exit-codes.js';
import type { CommandEnded, RunEvent } from './run-events.js';

type Level = 'info' | 'warn' | 'error';

/** Events that only a log has. */
type LogEvent =
  | RunEvent
  | { event: 'started'; version: string; pid: number }
  | { event: 'message'; level: Level; message: string }
  | CommandEnded;

export interface EventLogOptions {
  /** `run`, `retry` or `worker`. */
  command: string;
  write: (line: string) => void;
  now: () => Date;
}

/**
 * Returns a function that writes an event as one line. Each line has `time`, `level`, `event`, `command` and `message`, and the fields of
 * its event; docs/monitoring.md lists them.
 */
export function createEventLog({ command, write, now }: EventLogOptions): (event: LogEvent) => void {
  return (logged) => {
    const [level, message] = inWords(logged);
    const line = { time: now().toISOString(), level, event: logged.event, command, message };
    write(`${JSON.stringify({ ...line, ...logged })}\n`);
  };
}

function inWords(logged: LogEvent): [level: Level, message: string] {
  switch (logged.event) {
    case 'started':
      return ['info', 'The command starts.'];
    case 'session.started':
      return ['info', `A session starts. Target: ${logged.target}.`];
    case 'progress':
      return ['info', `${countsInWords(logged.records, LINE_OUTCOMES)}.`];
    case 'worker.progress':
      return ['info', `${logged.state}: ${number(logged.work.ended)} records ended.`];
    case 'limit.changed':
      return ['info', `The limit of process calls changed from ${logged.from} to ${logged.to} (${logged.why}).`];
    case 'state.changed':
      return [LEVEL_OF_STATE[logged.to] ?? 'info', stateInWords(logged)];
    case 'outage.began':
      return ['warn', 'Calls fail: the run sends one at a time until one succeeds.'];
    case 'outage.ended':
      return ['info', `The outage ended after ${logged.seconds} s.`];
    case 'question.asked':
      return ['warn', `Waits for an answer at the terminal: ${logged.question.trim()}`];
    case 'session.ended':
      return [logged.state === 'halted' ? 'error' : 'info', endInWords(logged)];
    case 'worker.ended':
      return ['info', `The worker ended: ${logged.state}.`];
    case 'message':
      return [logged.level, logged.message];
    case 'ended':
      return [levelOf(logged.exitCode), `The command ends with exit code ${logged.exitCode}.`];
  }
}

const LEVEL_OF_STATE: Readonly<Record<string, Level>> = { paused: 'warn', halted: 'error' };

const WARNINGS: readonly ExitCode[] = [EXIT.rejected, EXIT.unknown, EXIT.paused, EXIT.unfinished];

function levelOf(code: ExitCode): Level {
  if (code === EXIT.ok) return 'info';
  return WARNINGS.includes(code) || code > 128 ? 'warn' : 'error';
}

function stateInWords({ to, reason, until }: Extract<RunEvent, { event: 'state.changed' }>): string {
  const why = reason === undefined ? '' : `: ${reason}`;
  return `The run is ${to}${why}${until === undefined ? '' : ` until ${until}`}.`;
}

function endInWords({ state, reason, records }: Extract<RunEvent, { event: 'session.ended' }>): string {
  return `The session ended: ${state}${reason === undefined ? '' : `: ${reason}`}. ${countsInWords(records, LINE_OUTCOMES)}.`;
}
