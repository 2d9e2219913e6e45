/** `openMonitor`: reports what a command does in the ways that its flags ask for, until the command has ended. */
import { VERSION } from '../../../version.js';
import type { CommandContext } from '../../shared/command-context.js';
import { EXIT, type ExitCode } from '../../shared/exit-codes.js';
import { runNotifyCommand } from '../notify/notify-command.js';
import { openWebhook } from '../notify/webhook.js';
import { type Notification, type NotificationContext, notificationOf } from '../notify/when-to-notify.js';
import { createEventLog } from './event-log.js';
import type { CommandEnded, RunEvent, SessionEnded } from './run-events.js';

export interface MonitorFlags {
  logFormat?: string;
  notify?: string;
  notifyCommand?: string;
}

export type Monitor = ReturnType<typeof openMonitor>;

/** What a message begins with if the user should know about it. */
const OF_PROGRAM = 'data-import-sdk: ';

/**
 * Opens a monitor, and changes the context so that its messages and events go through the monitor. Throws a `UsageError` for an
 * invalid URL or secret of notifications.
 */
export function openMonitor(
  command: string,
  { logFormat, notify, notifyCommand }: MonitorFlags,
  context: CommandContext,
) {
  const { err, ask } = context;
  const now = () => new Date();
  const secret = process.env['DATA_IMPORT_NOTIFY_SECRET'];
  const webhook = notify === undefined ? undefined : openWebhook({ url: notify, secret, now });
  const deliveries: Promise<void>[] = [];
  /** In the background: a failed delivery is a warning, and does not delay or fail the run. */
  const deliver = (flag: string, { type }: Notification, delivery: Promise<void>) => {
    const warn = ({ message }: Error) => context.err(`${OF_PROGRAM}${flag}: ${type} was not delivered: ${message}.\n`);
    deliveries.push(delivery.catch(warn));
  };
  let session: NotificationContext['session'];
  const send = (event: RunEvent | CommandEnded) => {
    const notification = notificationOf(event, { command, now, session });
    if (notification === undefined) return;
    if (webhook !== undefined) deliver('--notify', notification, webhook.send(notification));
    if (notifyCommand !== undefined) {
      deliver('--notify-command', notification, runNotifyCommand(notifyCommand, notification));
    }
  };
  const log = logFormat === 'json' ? createEventLog({ command, write: err, now }) : undefined;
  let last: Partial<SessionEnded> = {};
  let error: string | undefined;
  context.err = (text) => {
    const isOfProgram = text.startsWith(OF_PROGRAM);
    const message = (isOfProgram ? text.slice(OF_PROGRAM.length) : text).trim();
    if (isOfProgram) error = message;
    if (log === undefined) err(text);
    else log({ event: 'message', level: isOfProgram ? 'warn' : 'info', message });
  };
  context.report = (event) => {
    // Messages until then did not end the command.
    if (event.event === 'session.ended') [last, error] = [event, undefined];
    if (event.event === 'session.started') session = { target: event.target, folder: event.folder };
    send(event);
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
      const why = exitCode === EXIT.ok ? undefined : error;
      const ended: CommandEnded = { ...last, event: 'ended', exitCode, error: why };
      send(ended);
      await Promise.all(deliveries);
      await webhook?.close();
      log?.(ended);
    },
  };
}
