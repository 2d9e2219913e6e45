/** Exports `withValue` and `defaultOf`, settings of the sandbox with another value of one of them, and `oncePerSettings`. */
import { isDeepStrictEqual } from 'node:util';
import type { SandboxSettings } from '../sandbox/settings/settings.js';
import { SANDBOX_SETTINGS } from '../sandbox/settings/settings-table.js';
import { canonicalJson } from '../validation/records/canonical-json.js';

/** A default is left out, so that equal settings are equal objects. */
export function withValue(
  settings: Partial<SandboxSettings>,
  name: keyof SandboxSettings,
  value: unknown,
): Partial<SandboxSettings> {
  const { [name]: _, ...others } = settings;
  return isDeepStrictEqual(value, defaultOf(name)) ? others : { ...others, [name]: value };
}

export function defaultOf(name: keyof SandboxSettings): unknown {
  return SANDBOX_SETTINGS.find((setting) => setting.name === name)?.default;
}

/** Returns a function that calls `make` once for equal settings. */
export function oncePerSettings<Result>(
  make: (settings: Partial<SandboxSettings>) => Result,
): (settings: Partial<SandboxSettings>) => Result {
  const known = new Map<string, Result>();
  return (settings) => {
    const key = canonicalJson(settings);
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = make(settings);
    known.set(key, made);
    return made;
  };
}
