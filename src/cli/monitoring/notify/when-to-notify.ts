/** Exports `Notification`, which tells a person or another program that a run ended, halted or waits, and the functions that create one. */
import { hostname } from 'node:os';
import { EXIT, type ExitCode } from '../../shared/exit-codes.js';
import type { RunEvent, SessionEnded } from '../events/run-events.js';

/** The form of the Standard Webhooks specification: type, timestamp and data. It has no field of a record. */
export interface Notification {
  type: 'run.ended' | 'run.halted' | 'run.waiting';
  /** When it happened: ISO datetime. */
  timestamp: string;
  /** With the name of the command and of the machine. `target` and `folder` are missing if no session began. */
  data: { command: string; host: string } & Partial<NonNullable<NotificationContext['session']>> & Happened;
}

/** What happened. `exitCode` and `error`: of the command; `state`, `records` and `next`: of its last session. */
interface Happened extends Partial<Omit<CommandEnded, 'session'> & Omit<SessionEnded, 'event' | 'reason'>> {
  /** `run.waiting`: a question at the terminal, or the command `resume`. */
  waitsFor?: 'answer' | 'resume';
  /** `run.waiting`: the question, or who paused the run. `run.halted` and an unfinished run: why. */
  reason?: string | undefined;
}

export interface NotificationContext {
  command: string;
  now: () => Date;
  /** Of the last session. */
  session: { target: string; folder: string } | undefined;
}

/** How a command ended. */
export interface CommandEnded {
  exitCode: ExitCode;
  /** The message of the error that ended it. */
  error: string | undefined;
  /** What its last session did; undefined if none began. */
  session: SessionEnded | undefined;
}

/** Returns a notification if a person has to act before the run continues. */
export function whenWaiting(event: RunEvent, context: NotificationContext): Notification | undefined {
  if (event.event === 'question.asked') {
    return create('run.waiting', context, { waitsFor: 'answer', reason: event.question.trim() });
  }
  if (event.event === 'state.changed' && event.to === 'paused') {
    return create('run.waiting', context, { waitsFor: 'resume', reason: event.reason });
  }
  return undefined;
}

export function whenEnded({ exitCode, error, session }: CommandEnded, context: NotificationContext): Notification {
  // A refusal is also found by the checks before a session, or leaves a session unfinished.
  const isHalted = session?.state === 'halted' || exitCode === EXIT.halted || exitCode === EXIT.notAccepted;
  const type = isHalted ? 'run.halted' : 'run.ended';
  const { state, reason, records, next } = session ?? {};
  return create(type, context, {
    ...{ exitCode, error, reason },
    ...(state && { state }),
    ...(records && { records }),
    ...(next && { next }),
  });
}

function create(
  type: Notification['type'],
  { command, now, session }: NotificationContext,
  data: Happened,
): Notification {
  return { type, timestamp: now().toISOString(), data: { command, host: hostname(), ...session, ...data } };
}
