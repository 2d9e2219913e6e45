/**
 * Exports `watchSettings`: settings that record which of them a rule read. The request log shows them as `assumed`.
 */
import type { SandboxSettings } from './settings.js';
import { SANDBOX_SETTINGS } from './settings-table.js';

/**
 * Settings that remember which entries of the register were read. A rule reads a setting only where the answer rests
 * on it, so that what was read is what was assumed.
 */
export interface WatchedSettings {
  settings: SandboxSettings;
  /** Such as `['U14']`, in the order of the register. */
  assumed(): string[];
}

export function watchSettings(settings: SandboxSettings): WatchedSettings {
  const watched = new Watched(settings);
  return {
    settings: watched as unknown as SandboxSettings,
    assumed: () => [...watched.read].sort((one, other) => Number(one.slice(1)) - Number(other.slice(1))),
  };
}

class Watched {
  readonly read = new Set<string>();
  constructor(readonly given: SandboxSettings) {}
}
for (const { name, settles } of SANDBOX_SETTINGS) {
  Object.defineProperty(Watched.prototype, name, {
    get(this: Watched) {
      if (/^U\d+$/.test(settles)) this.read.add(settles);
      return this.given[name];
    },
  });
}
