/**
 * Exports `completeSettings` and `SANDBOX_SETTINGS`: for each setting the entry of the register of open questions
 * (`spec/acceptance.md`) that it answers, its default and its allowed values.
 */

import { isObject } from '../../../schemas/objects.js';
import { operations, PATH_PREFIX } from '../../../schemas/operations.js';
import { refuseUnknownOptions } from '../../validation/known-names.js';
import { defineProfile, type Profile } from '../../validation/profile.js';
import { isDuration } from './duration.js';
import type { SandboxSettings } from './settings.js';

interface Setting<Value> {
  /** Entry of the register of open questions, or chapter of the API specification. */
  readonly settles: string;
  readonly default: Value;
  /** Description of valid values, for the error message. */
  readonly must: string;
  readonly accepts: (value: unknown) => boolean;
  /** All values, where there are few. */
  readonly values?: readonly Value[];
}

const oneOf = <const Value>(...values: readonly Value[]) => ({
  values,
  default: values[0] as Value,
  must: `be one of ${values.join(', ')}`,
  accepts: (value: unknown) => values.includes(value as Value),
});

const wholeOrNull = (least: number) => ({
  default: null,
  must: `be null or a whole number from ${least}`,
  accepts: (value: unknown) => value === null || (Number.isInteger(value) && Number(value) >= least),
});

const matching = (pattern: RegExp, must: string) => ({
  must,
  accepts: (value: unknown) => typeof value === 'string' && pattern.test(value),
});

const duration = {
  default: 0,
  must: 'be milliseconds from 0, or a range of them as [min, max] or { min, max }',
  accepts: isDuration,
} as const;

const isListOf = (items: readonly unknown[], value: unknown): value is unknown[] =>
  Array.isArray(value) && value.every((item) => items.includes(item)) && new Set(value).size === value.length;

const PLACES = ['validate', 'process', 'business', 'post-import'] as const;
const CHECKS = ['imported', 'supplier', 'staged', 'team'] as const;

const SETTINGS: { readonly [Name in keyof SandboxSettings]: Setting<SandboxSettings[Name]> } = {
  missingSlash: { settles: 'U1', ...oneOf('not-found', 'redirect') },
  authScope: { settles: 'U2', ...oneOf('all', 'business-payment-instruction') },
  authScheme: { settles: 'U2', ...oneOf('Token', 'Bearer', 'bare', 'any') },
  unauthorizedBody: { settles: 'U2', ...oneOf('code', 'detail', 'empty') },
  historicalStatementStatus: { settles: 'U3', ...oneOf(201, 200) },
  unmatchedList: { settles: 'U4', ...oneOf('empty', 'not-found') },
  importedList: { settles: 'U5', ...oneOf('entries', 'no-body') },
  unknownFields: { settles: 'U6', ...oneOf('refuse', 'drop', 'keep') },
  unlistedValues: { settles: 'U7', ...oneOf('accept', 'refuse') },
  switchSchedule: {
    settles: 'U8',
    default: null,
    must: 'be null or { inProgressAfterSeconds, endAfterSeconds, rejectedShare }: seconds from 0 that do not go back, and a share from 0 to 1',
    accepts: (value) => value === null || isSchedule(value),
  },
  profile: { settles: 'U9', default: null, must: 'be null or a profile', accepts: isProfile },
  refusedUnlessOngoing: {
    settles: 'U10',
    default: ['process'],
    must: `be a list of ${PLACES.join(', ')}`,
    accepts: (value) => isListOf(PLACES, value),
  },
  processChecks: {
    settles: 'U11',
    default: CHECKS,
    must: `be a list of all of ${CHECKS.join(', ')}`,
    accepts: (value) => isListOf(CHECKS, value) && value.length === CHECKS.length,
  },
  errorBodies: { settles: 'U12', ...oneOf('documented', 'nested') },
  dryRunMessage: { settles: 'U12', ...oneOf('detail', 'non_field_errors', 'list') },
  errorCodes: {
    settles: 'U12',
    default: {},
    must: 'be an object of strings',
    accepts: (value) => isObject(value) && Object.values(value).every((code) => typeof code === 'string'),
  },
  missingBusinessContract: { settles: 'U13', ...oneOf('stage-and-process', 'process', 'never') },
  accountNotFound: { settles: 'U14', ...oneOf(400, 404) },
  transactionIdentity: { settles: 'U15', ...oneOf('transaction_id', 'item') },
  failingBatchKeeps: { settles: 'U15', ...oneOf('none', 'prefix') },
  transactionDataStatus: { settles: 'Post-import', ...oneOf('none', 'success') },
  movedDate: { settles: 'U16', ...oneOf('nearest', 'today') },
  notesWithoutBody: { settles: 'U17', ...oneOf('compare-paths', 'always-new') },
  stagedNotes: { settles: 'U17', ...oneOf('kept', 'dropped') },
  unpinAt: { settles: 'U18', ...oneOf('stored', 'unpins') },
  missingDocuments: { settles: 'U19', ...oneOf('accept', 'refuse') },
  businessAgain: { settles: 'U20', ...oneOf('refuse', 'same-id') },
  businessInstructionNotFound: { settles: 'U21', ...oneOf(400, 404) },
  businessInstructionAccounts: { settles: 'U21', ...oneOf('optional', 'required') },
  businessInstructionStaged: { settles: 'U21', ...oneOf('accept', 'refuse') },
  vendorFailureBody: { settles: 'U22', ...oneOf('documented', 'error_detail') },
  skippedAccounts: { settles: 'U23', ...oneOf('listed', 'hidden') },
  populateEmpty: { settles: 'U24', ...oneOf('accept', 'refuse') },
  populateDuplicates: { settles: 'U24', ...oneOf('twice', 'once', 'refuse') },
  batchIdForm: { settles: 'U24', ...oneOf('uuid-like', 'digits') },
  accountNumberForm: { settles: 'U25', ...oneOf('digits', 'lettered') },
  timeZone: { settles: 'U25', default: 'UTC', must: 'be the IANA name of a time zone', accepts: isTimeZone },
  listOrder: { settles: 'U26', ...oneOf('staging', 'account-number') },
  tokenLifetimeSeconds: { settles: 'U27', ...wholeOrNull(1) },
  graphqlPath: {
    settles: 'U27',
    default: '/v1/graphql/',
    must: 'be a path that begins with /, and none of another call or of the admin interface',
    accepts: isFreePath,
  },
  tokenMutation: { settles: 'U27', default: 'obtainToken', ...matching(/^[A-Za-z_]\w*$/, 'be a GraphQL name') },
  apiKeyVariable: {
    settles: 'U27',
    default: 'input.apiKey',
    ...matching(/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/, 'be GraphQL names joined by dots'),
  },
  retryAfterSeconds: { settles: 'U28', ...wholeOrNull(0) },
  dryRunCounts: { settles: 'U29', ...oneOf(true, false) },
  processDurationMs: { settles: 'U30', ...duration },
  processRace: { settles: 'U30', ...oneOf('allow', 'wait', 'lock') },
  statusWhileProcessing: { settles: 'U30', ...oneOf('UNKNOWN', 'PENDING', 'IN_PROGRESS') },
  itemDurationMs: { settles: 'U30', ...duration },
  itemRace: { settles: 'U30', ...oneOf('allow', 'wait', 'lock') },
  stageDurationMs: { settles: 'U30', ...duration },
  businessDurationMs: { settles: 'U30', ...duration },
  businessRace: { settles: 'U30', ...oneOf('allow', 'wait', 'lock') },
  lostRequests: { settles: 'U31', ...oneOf('complete', 'stop') },
  itemEntries: { settles: 'U32', ...oneOf('each', 'added-only') },
  processConcurrency: { settles: 'Limits', ...wholeOrNull(1) },
  latencyMs: { settles: 'Limits', ...duration },
  lookupsPerSecond: {
    settles: 'Limits',
    default: 10,
    must: 'be a number from 0.001',
    accepts: (value) => typeof value === 'number' && value >= 0.001 && Number.isFinite(value),
  },
};

/** All settings with their register entries and defaults, and all of their values where there are few. */
export const SANDBOX_SETTINGS: readonly {
  name: keyof SandboxSettings;
  settles: string;
  default: unknown;
  values: readonly unknown[] | undefined;
}[] = Object.entries(SETTINGS).map(([name, { settles, default: value, values }]) => ({
  name: name as keyof SandboxSettings,
  settles,
  default: value,
  values,
}));

const LISTED = 'the type SandboxSettings has all, and docs/unspecified-behaviour.md explains them.';

/** Returns all settings: the given ones, and defaults for the others. Throws a TypeError for an unknown name or an invalid value. */
export function completeSettings(given: Partial<SandboxSettings>): SandboxSettings {
  refuseUnknownOptions('createSandbox', given, Object.keys(SETTINGS), { kind: 'setting', listed: LISTED });
  const entries = Object.entries(SETTINGS).map(([name, setting]) => {
    const value = given[name as keyof SandboxSettings] ?? setting.default;
    if (!setting.accepts(value)) {
      const found = typeof value === 'object' ? JSON.stringify(value) : String(value);
      throw new TypeError(`createSandbox: setting ${name} must ${setting.must}, found ${found}.`);
    }
    return [name, value];
  });
  return Object.fromEntries(entries) as SandboxSettings;
}

function isSchedule(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { inProgressAfterSeconds: first, endAfterSeconds: end, rejectedShare: share, ...others } = value;
  const numbers = [first, end, share].every((part) => typeof part === 'number' && Number.isFinite(part) && part >= 0);
  return numbers && Number(first) <= Number(end) && Number(share) <= 1 && Object.keys(others).length === 0;
}

function isProfile(value: unknown): boolean {
  // `defineProfile` throws with the path of the error.
  return value === null || defineProfile(value as Profile) !== undefined;
}

/** A path with a segment of dots reaches no server: URLs are normalised before they are sent. */
function isFreePath(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\/[\w\-./]*$/.test(value)) return false;
  const isOf = ({ path }: { path: string }) =>
    new RegExp(`^${PATH_PREFIX}${path.replace(/\{\w+\}/g, '[^/]+')}?$`).test(value);
  return !/\/\.{1,2}(\/|$)|^\/__sandbox(\/|$)/.test(value) && !Object.values(operations).some(isOf);
}

function isTimeZone(value: unknown): boolean {
  try {
    // A formatter takes milliseconds.
    return (
      value === 'UTC' || (typeof value === 'string' && Boolean(new Intl.DateTimeFormat('en', { timeZone: value })))
    );
  } catch {
    return false;
  }
}
