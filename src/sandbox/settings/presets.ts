/** Settings that go together, named after how deployments of the service's family are known to behave. */
import type { Profile } from '../../validation/profile.js';
import type { SandboxSettings } from './settings.js';
import strictProfile from './strict-profile.json' with { type: 'json' };

/** Names of settings that go together. */
export type PresetName = 'documented' | 'strict' | 'legacyErrors';

/**
 * What stricter deployments are known to demand beyond the document: required fields, lengths, values. Also a profile
 * for the client: `new DataImportClient({ profile: STRICT_PROFILE, ... })`.
 */
export const STRICT_PROFILE: Profile = strictProfile;

const PRESETS: Readonly<Record<PresetName, Partial<SandboxSettings>>> = {
  documented: {},
  // Of values the profile has the last word, so that none is refused which such a deployment takes.
  strict: { profile: STRICT_PROFILE, unlistedValues: 'refuse' },
  legacyErrors: {
    errorBodies: 'nested',
    dryRunMessage: 'non_field_errors',
    unauthorizedBody: 'detail',
    vendorFailureBody: 'error_detail',
    accountNotFound: 404,
  },
};

/** Throws a TypeError for a name that no preset has. */
export function presetSettings(name: PresetName = 'documented'): Partial<SandboxSettings> {
  if (Object.hasOwn(PRESETS, name)) return PRESETS[name];
  throw new TypeError(`createSandbox: no preset ${String(name)}; there are ${Object.keys(PRESETS).join(', ')}.`);
}
