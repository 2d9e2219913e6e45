/** Settings that go together, named after how deployments of the service's family are known to behave. */
import type { SandboxSettings } from './settings.js';

export type PresetName = 'documented' | 'strict' | 'legacyErrors';

const PRESETS: Readonly<Record<PresetName, Partial<SandboxSettings>>> = {
  documented: {},
  strict: {},
  legacyErrors: {},
};

/** Throws a TypeError for a name that no preset has. */
export function presetSettings(name: PresetName = 'documented'): Partial<SandboxSettings> {
  if (Object.hasOwn(PRESETS, name)) return PRESETS[name];
  throw new TypeError(`createSandbox: no preset ${String(name)}; there are ${Object.keys(PRESETS).join(', ')}.`);
}
