/** Exports `notificationOf`, which tells a person or another program that a run ended, halted or waits. */
import { hostname } from 'node:os';
import { EXIT } from '../../shared/exit-codes.js';
import type { CommandEnded, RunEvent } from '../events/run-events.js';

/** The form of the Standard Webhooks specification: type, timestamp and data. It has no field of a record. */
export interface Notification {
  type: 'run.ended' | 'run.halted' | 'run.waiting';
  /** When it happened: ISO datetime. */
  timestamp: string;
  /** With the name of the command and of the machine. `target` and `folder` are missing if no session began. */
  data: { command: string; host: string } & Partial<NonNullable<NotificationContext['session']>> & Happened;
}

interface Happened extends Partial<Omit<CommandEnded, 'event'>> {
  /** `run.waiting`: a question at the terminal, or the command `resume`. `reason` is the question, or who paused the run. */
  waitsFor?: 'answer' | 'resume';
}

export interface NotificationContext {
  command: string;
  now: () => Date;
  /** Of the last session. */
  session: { target: string; folder: string } | undefined;
}

/** Returns the notification of an event; undefined for all other events. */
export function notificationOf(
  event: RunEvent | CommandEnded,
  { command, now, session }: NotificationContext,
): Notification | undefined {
  const [type, data] = happenedIn(event) ?? [];
  if (type === undefined) return undefined;
  return { type, timestamp: now().toISOString(), data: { command, host: hostname(), ...session, ...data } };
}

function happenedIn(event: RunEvent | CommandEnded): [type: Notification['type'], data: Happened] | undefined {
  if (event.event === 'question.asked') return ['run.waiting', { waitsFor: 'answer', reason: event.question.trim() }];
  if (event.event === 'state.changed' && event.to === 'paused') {
    return ['run.waiting', { waitsFor: 'resume', reason: event.reason }];
  }
  if (event.event !== 'ended') return undefined;
  const { event: _, ...data } = event;
  // A refusal is also found by the checks before a session, or leaves a session unfinished.
  const isHalted = data.state === 'halted' || data.exitCode === EXIT.halted || data.exitCode === EXIT.notAccepted;
  return [isHalted ? 'run.halted' : 'run.ended', data];
}
