/** Exports `parseCommand`, for the commands to a running run: `pause`, `resume`, `drain`, `status`, `set concurrency=16`. */
import { readSetting, type ThrottleSettings } from '../../throttle/settings.js';

export type ControlCommand =
  | { name: 'pause' | 'resume' | 'drain' | 'status' }
  | { name: 'set'; settings: ThrottleSettings };

/** An invalid command, or a run that cannot be reached. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
  /** Whether no process listens in the folder. */
  readonly isWithoutRun: boolean;

  constructor(message: string, { isWithoutRun = false, ...options }: ErrorOptions & { isWithoutRun?: boolean } = {}) {
    super(message, options);
    this.isWithoutRun = isWithoutRun;
  }
}

const SIMPLE = ['pause', 'resume', 'drain', 'status'] as const;

/** The settings by the names of their flags. */
const SETTINGS: Readonly<Record<string, keyof ThrottleSettings>> = {
  concurrency: 'concurrency',
  'process-concurrency': 'process',
  rps: 'rps',
};

/** Throws a `ControlError` for an invalid command, and for a value that the flag of the setting would refuse too. */
export function parseCommand(text: string): ControlCommand {
  const [word = '', ...words] = text.trim().split(/\s+/);
  const simple = SIMPLE.find((name) => name === word);
  if (simple !== undefined && words.length === 0) return { name: simple };
  if (word !== 'set' || words.length === 0) {
    throw new ControlError(`expected ${SIMPLE.join(', ')}, or set with ${SETTINGS_IN_WORDS}; found ${quoted(text)}.`);
  }
  const settings: ThrottleSettings = {};
  for (const assignment of words) {
    const [, name = '', value = ''] = /^([a-z-]+)=(.*)$/.exec(assignment) ?? [];
    const setting = Object.hasOwn(SETTINGS, name) ? SETTINGS[name] : undefined;
    if (setting === undefined) throw new ControlError(`expected ${SETTINGS_IN_WORDS}; found ${quoted(assignment)}.`);
    if (setting in settings) throw new ControlError(`${name} is given twice. Give each setting once.`);
    Object.assign(settings, { [setting]: readValue(assignment, setting, value) });
  }
  return { name: 'set', settings };
}

function readValue(assignment: string, setting: keyof ThrottleSettings, text: string): unknown {
  try {
    return readSetting[setting](text);
  } catch (error) {
    throw new ControlError(`${quoted(assignment)} is invalid. ${(error as Error).message}`, { cause: error });
  }
}

const SETTINGS_IN_WORDS = Object.keys(SETTINGS)
  .map((name) => `${name}=<number>`)
  .join(', ');

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
