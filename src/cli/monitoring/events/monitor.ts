/** `openMonitor`: reports what a command does in the ways that its flags ask for, until the command has ended. */
import { VERSION } from '../../../version.js';
import type { CommandContext } from '../../shared/command-context.js';
import { EXIT, type ExitCode } from '../../shared/exit-codes.js';
import { type NotifyFlags, openNotifier } from '../notify/deliver-notifications.js';
import { type NotificationContext, whenEnded, whenWaiting } from '../notify/when-to-notify.js';
import { createEventLog } from './event-log.js';
import type { CommandEnded } from './run-events.js';

export interface MonitorFlags extends NotifyFlags {
  logFormat?: string;
}

export type Monitor = ReturnType<typeof openMonitor>;

/** What a message begins with if the user should know about it. */
const OF_PROGRAM = 'data-import-sdk: ';

/**
 * Opens a monitor, and changes the context so that its messages and events go through the monitor. Throws a `UsageError` for an
 * invalid URL or secret of notifications.
 */
export function openMonitor(command: string, { logFormat, ...notify }: MonitorFlags, context: CommandContext) {
  const { err, ask } = context;
  const now = () => new Date();
  const warn = (text: string) => context.err(`${OF_PROGRAM}${text}\n`);
  const notifier = openNotifier(notify, { secret: process.env['DATA_IMPORT_NOTIFY_SECRET'], now, warn });
  let session: NotificationContext['session'];
  const log = logFormat === 'json' ? createEventLog({ command, write: err, now }) : undefined;
  let ended: Pick<CommandEnded, 'error' | 'session'> = { error: undefined, session: undefined };
  context.err = (text) => {
    const isOfProgram = text.startsWith(OF_PROGRAM);
    const message = (isOfProgram ? text.slice(OF_PROGRAM.length) : text).trim();
    if (isOfProgram) ended = { ...ended, error: message };
    if (log === undefined) err(text);
    else log({ event: 'message', level: isOfProgram ? 'warn' : 'info', message });
  };
  context.report = (event) => {
    // Messages until then did not end the command.
    if (event.event === 'session.ended') ended = { error: undefined, session: event };
    if (event.event === 'session.started') session = { target: event.target, folder: event.folder };
    const waiting = whenWaiting(event, { command, now, session });
    if (waiting !== undefined) notifier.send(waiting);
    log?.(event);
  };
  if (ask !== undefined) {
    context.ask = (question, options) => {
      context.report({ event: 'question.asked', question });
      return ask(question, options);
    };
  }
  log?.({ event: 'started', version: VERSION, pid: process.pid });
  return {
    /** Call it when nothing else is left to do. */
    async ended(exitCode: ExitCode): Promise<void> {
      const error = exitCode === EXIT.ok ? undefined : ended.error;
      const { state, reason, records } = ended.session ?? {};
      notifier.send(whenEnded({ exitCode, error, session: ended.session }, { command, now, session }));
      await notifier.finish();
      log?.({ event: 'ended', exitCode, error, state, reason, records });
    },
  };
}
