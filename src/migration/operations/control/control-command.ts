/** Exports `parseCommand`, for the commands to a running run: `pause`, `resume`, `drain`, `status`, `set concurrency=16`. */
import type { ThrottleSettings } from '../../throttle/settings.js';

export type ControlCommand =
  | { name: 'pause' | 'resume' | 'drain' | 'status' }
  | { name: 'set'; settings: ThrottleSettings };

/** An invalid command, or a run that cannot be reached. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
}

const SIMPLE = ['pause', 'resume', 'drain', 'status'] as const;

const SETTINGS: Readonly<Record<string, keyof ThrottleSettings>> = {
  concurrency: 'concurrency',
  'process-concurrency': 'processConcurrency',
  rps: 'rps',
};

/** Throws a `ControlError` for an invalid command. The throttle checks the bounds of numbers. */
export function parseCommand(text: string): ControlCommand {
  const [word = '', ...words] = text.trim().split(/\s+/);
  const simple = SIMPLE.find((name) => name === word);
  if (simple !== undefined && words.length === 0) return { name: simple };
  if (word !== 'set' || words.length === 0) throw wrong(text);
  const settings: ThrottleSettings = {};
  for (const assignment of words) {
    const [, name = '', value] = /^([a-z-]+)=(\d{1,9}(?:\.\d{1,9})?)$/.exec(assignment) ?? [];
    const setting = Object.hasOwn(SETTINGS, name) ? SETTINGS[name] : undefined;
    if (setting === undefined) throw wrong(text);
    settings[setting] = Number(value);
  }
  return { name: 'set', settings };
}

function wrong(text: string): ControlError {
  const names = Object.keys(SETTINGS).map((name) => `${name}=<number>`);
  return new ControlError(
    `control: expected ${SIMPLE.join(', ')}, or set with ${names.join(', ')}; found ${JSON.stringify(text.slice(0, 100))}.`,
  );
}
