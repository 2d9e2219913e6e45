/** Exports `completeOptions`, which checks the options of `createSandbox` and fills in defaults, and `initialState`. */
import { setTimeout as timeout } from 'node:timers/promises';
import { isObject } from '../../../schemas/objects.js';
import { refuseUnknownOptions } from '../../validation/known-names.js';
import { expectKind } from '../../validation/option-kinds.js';
import type { LogRoom } from '../calls/request-log.js';
import { checkFaultRule, faultRecord } from '../state/fault-rules.js';
import type { ImportSupplierStatus, SandboxState } from '../state/sandbox-state.js';
import { presetSettings } from './presets.js';
import {
  SANDBOX_BUCKET,
  SANDBOX_START,
  SANDBOX_SUPPLIER,
  SANDBOX_TEAM,
  type SandboxOptions,
} from './sandbox-options.js';
import { completeSettings } from './settings-table.js';

const STATUSES: readonly ImportSupplierStatus[] = ['Ongoing', 'Paused', 'Complete'];

const OPTIONS: Readonly<Record<keyof SandboxOptions, true>> = {
  suppliers: true,
  teams: true,
  documents: true,
  clock: true,
  seed: true,
  preset: true,
  settings: true,
  faults: true,
  logLimit: true,
  logBytes: true,
  showPersonalData: true,
  wait: true,
};

/**
 * Returns the options with all defaults. Throws a TypeError for an unknown or invalid option, and for a supplier without
 * code, with the code of another one or with an unknown status.
 */
export function completeOptions(options: SandboxOptions) {
  refuseUnknownOptions('createSandbox', options, Object.keys(OPTIONS));
  const { documents = {}, seed = 'sandbox', teams = [SANDBOX_TEAM] } = options;
  expect(Array.isArray(options.suppliers ?? []), 'suppliers must be a list of { code, status?, root? }');
  expect(isListOfStrings(teams), 'teams must be a list of names');
  expect(typeof seed === 'string', 'seed must be a string');
  const { bucket = SANDBOX_BUCKET, known = [] } = isObject(documents) ? documents : {};
  const isStore = isObject(documents) && typeof bucket === 'string' && isListOfStrings(known);
  expect(isStore, 'documents must be { bucket?, known? }');
  expectKind('createSandbox: settings', options.settings ?? {}, 'object');
  expect(Array.isArray(options.faults ?? []), 'faults must be a list of rules');
  refuseUnknownOptions('createSandbox: documents', documents, ['bucket', 'known']);
  const suppliers = (options.suppliers ?? [{ code: SANDBOX_SUPPLIER }]).map((supplier) => {
    expect(isObject(supplier), 'a supplier must be { code, status?, root? }');
    refuseUnknownOptions('createSandbox: a supplier', supplier, ['code', 'status', 'root']);
    const { code, status = 'Ongoing', root = '' } = supplier;
    expect(typeof code === 'string' && code !== '', 'a supplier needs a code');
    expect(typeof root === 'string', 'the root of a supplier must be a string');
    return { code, status: knownStatus(status), root };
  });
  const codes = suppliers.map(({ code }) => code);
  const twice = codes.find((code, index) => codes.indexOf(code) !== index);
  expect(twice === undefined, `two suppliers have the code ${twice}`);

  const clock = options.clock ?? new Date(SANDBOX_START);
  const isTime = clock instanceof Date && Number.isFinite(clock.getTime());
  expect(clock === 'machine' || isTime, "clock must be a valid Date or 'machine'");
  const { logLimit = 10_000, logBytes = 64 * 1024 * 1024, showPersonalData = false, wait } = options;
  expect(typeof showPersonalData === 'boolean', 'showPersonalData must be a boolean');
  expect(wait === undefined || typeof wait === 'function', 'wait must be a function');
  for (const [name, value] of Object.entries({ logBytes, logLimit })) {
    expect(Number.isInteger(value) && value >= 0, `${name} must be a whole number from 0, found ${value}`);
  }
  return {
    suppliers,
    teams,
    bucket,
    documents: known,
    clock,
    seed,
    settings: completeSettings({ ...presetSettings(options.preset), ...options.settings }),
    faults: (options.faults ?? []).map((rule, at) => checkFaultRule(rule, at)),
    logLimit,
    logRoom: { most: logBytes, bytes: 0 } satisfies LogRoom,
    showPersonalData,
    wait: wait ?? waitUntilAbort,
    /** Waits for calls that continue after `signal` has aborted. */
    waitToTheEnd: wait === undefined ? waitWithoutAbort : ignoringSignal(wait),
  };
}

/** The options with all defaults. */
export type SandboxConfig = ReturnType<typeof completeOptions>;

function expect(isMet: boolean, sentence: string): void {
  if (!isMet) throw new TypeError(`createSandbox: ${sentence}.`);
}

function isListOfStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string' && item !== '');
}

async function waitUntilAbort(ms: number, signal: AbortSignal): Promise<void> {
  await timeout(ms, undefined, { signal }).catch(() => {});
}

/** Waits for the time. After the signal aborts, the timer does not keep the process alive. */
function waitWithoutAbort(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', unref);
      resolve();
    }, ms);
    const unref = () => void timer.unref();
    if (signal.aborted) unref();
    else signal.addEventListener('abort', unref, { once: true });
  });
}

function ignoringSignal(wait: NonNullable<SandboxOptions['wait']>): typeof wait {
  return (ms) => wait(ms, new AbortController().signal);
}

/** Returns the status. Throws a TypeError if it is no status of an import supplier. */
export function knownStatus(status: ImportSupplierStatus): ImportSupplierStatus {
  if (STATUSES.includes(status)) return status;
  throw new TypeError(`An import supplier is ${STATUSES.join(', ')}; found ${String(status)}.`);
}

/** Returns the state of a new sandbox. */
export function initialState(config: SandboxConfig): SandboxState {
  const state: SandboxState = {
    clock:
      config.clock === 'machine'
        ? { kind: 'machine', offset_ms: 0 }
        : { kind: 'fixed', now: config.clock.toISOString() },
    teams: [...config.teams],
    suppliers: config.suppliers.map((supplier) => ({ ...supplier, skipped: [], accounts: [], businesses: [] })),
    populate_batches: [],
    vendor_tries: {},
    documents: [...config.documents],
    faults: [],
  };
  for (const rule of config.faults) state.faults.push(faultRecord(rule, state.faults));
  return state;
}
