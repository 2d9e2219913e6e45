/** Exports `withValue` and `defaultOf`: settings of the sandbox with another value of one of them. */
import { isDeepStrictEqual } from 'node:util';
import type { SandboxSettings } from '../sandbox/settings/settings.js';
import { SANDBOX_SETTINGS } from '../sandbox/settings/settings-table.js';

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
