/**
 * Exports `watchSettings`: settings that record which of them a rule read. The request log shows them as `assumed`.
 */
import type { SandboxSettings } from './settings.js';
import { SANDBOX_SETTINGS } from './settings-table.js';

/**
 * Returns the settings for one request, and which register entries were read. A rule reads a setting only if it decides the answer, so the
 * entries that were read are the assumptions behind the answer: such as `['U14']`, in the order of the register.
 */
export function watchSettings(settings: SandboxSettings) {
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
