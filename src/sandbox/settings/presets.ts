/** Exports `presetSettings` and `STRICT_PROFILE`: named groups of settings, after the behaviour of known deployments. */
import type { Profile } from '../../validation/profile.js';
import type { SandboxSettings } from './settings.js';
import strictProfile from './strict-profile.json' with { type: 'json' };

/** Names of the presets. */
export type PresetName = 'documented' | 'strict' | 'legacyErrors';

/**
 * Additional rules of known stricter deployments: required fields, lengths, values. It is also a profile for the client: `new DataImportClient({ profile: STRICT_PROFILE, ... })`.
 */
export const STRICT_PROFILE: Profile = strictProfile;

const PRESETS: Readonly<Record<PresetName, Partial<SandboxSettings>>> = {
  documented: {},
  // The values of the profile take precedence, so that no value is refused that such a deployment accepts.
  strict: { profile: STRICT_PROFILE, unlistedValues: 'refuse' },
  legacyErrors: {
    errorBodies: 'nested',
    dryRunMessage: 'non_field_errors',
    unauthorizedBody: 'detail',
    vendorFailureBody: 'error_detail',
    accountNotFound: 404,
  },
};

/** Returns the settings of a preset. Throws a TypeError for an unknown name. */
export function presetSettings(name: PresetName = 'documented'): Partial<SandboxSettings> {
  if (Object.hasOwn(PRESETS, name)) return PRESETS[name];
  throw new TypeError(`createSandbox: no preset ${String(name)}; there are ${Object.keys(PRESETS).join(', ')}.`);
}
