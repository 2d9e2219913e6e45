/** What a user may hand to `createSandbox`, what each thing is by default, and the first state that follows from it. */
import { setTimeout as timeout } from 'node:timers/promises';
import type { LogRoom } from '../calls/request-log.js';
import { checkFaultRule, type FaultRule, faultRecord } from '../state/fault-rules.js';
import type { ImportSupplierStatus, SandboxState } from '../state/sandbox-state.js';
import { refuseUnknownOptions } from './known-options.js';
import { type PresetName, presetSettings } from './presets.js';
import { completeSettings, type SandboxSettings } from './settings.js';

/** Code of the import supplier that a sandbox has when no `suppliers` are given. */
export const SANDBOX_SUPPLIER = 'SANDBOX_SUPPLIER';
/** Name of the operations team that a sandbox has when no `teams` are given. */
export const SANDBOX_TEAM = 'SANDBOX_TEAM';
/** Where the clock of a sandbox stands at first, unless the `clock` option says otherwise. */
export const SANDBOX_START = '2026-01-15T09:00:00Z';
/** A token that every sandbox accepts and that never ends. */
export const SANDBOX_TOKEN = 'sandbox-token';
/** The API key for which every sandbox gives a token. */
export const SANDBOX_API_KEY = 'sandbox-api-key';
/** Bucket of the documents when no `documents` are given. */
export const SANDBOX_BUCKET = 'sandbox-bucket';

/** An import supplier, as the operator sets it up. */
export interface SandboxSupplier {
  /** Import supplier code, as payloads name it. */
  code: string;
  /**
   * Document: Import supplier status. Change it later with `setSupplierStatus`.
   * @default 'Ongoing'
   */
  status?: ImportSupplierStatus;
  /**
   * Put before every document path of this supplier (C7), such as `'supplier-a/'`.
   * @default ''
   */
  root?: string;
}

/** Of `createSandbox(options)`. Every option has a default. */
export interface SandboxOptions {
  /**
   * The import suppliers that exist. Any other code is refused with 400.
   * @default one, Ongoing, with the code `SANDBOX_SUPPLIER`
   */
  suppliers?: readonly SandboxSupplier[];
  /**
   * The operations teams that exist. Any other name is refused with 400.
   * @default one, `SANDBOX_TEAM`
   */
  teams?: readonly string[];
  /**
   * Where documents are said to lie: a path resolves to `<bucket>/<root><path>` (C7). Nothing is ever read there. The
   * locations in `known` are the ones at which there is a document, for the setting `missingDocuments` (U19).
   * @default { bucket: SANDBOX_BUCKET, known: [] }
   */
  documents?: { bucket?: string; known?: readonly string[] };
  /**
   * The instant at which the clock stands until `clock.advance` or `clock.set` moves it; or `'machine'` for a clock
   * that runs.
   * @default the instant SANDBOX_START
   */
  clock?: Date | 'machine';
  /**
   * All numbers and ids that the sandbox gives follow from this and from what they are given for: the same seed, the
   * same numbers, in whatever order the calls come.
   * @default 'sandbox'
   */
  seed?: string;
  /**
   * Settings that go together: `documented` is all defaults, `strict` demands what stricter deployments demand,
   * `legacyErrors` answers with the error bodies of older ones. `settings` has the last word.
   * @default 'documented'
   */
  preset?: PresetName;
  /** Choices that the document leaves open; each has a default. */
  settings?: Partial<SandboxSettings>;
  /** Failures that the sandbox begins with; `sandbox.faults` adds others. */
  faults?: readonly FaultRule[];
  /**
   * How many requests `sandbox.requests()` remembers, the newest; each with its bodies.
   * @default 10000
   */
  logLimit?: number;
  /**
   * How many bytes these may take, also those of isolated states together; older ones are forgotten.
   * @default 67108864
   */
  logBytes?: number;
  /**
   * Whether log and console show names, addresses and whatever else may be personal, which they otherwise mask.
   * @default false
   */
  showPersonalData?: boolean;
  /**
   * How a fault's latency passes, and the time that a call takes (`processDurationMs` and the like). Tests that want no
   * machine time give their own. The sandbox's clock does not move by it. `signal` ends where the connection was lost;
   * that of a call which is completed all the same (`lostRequests`) never does.
   * @default a timer, which ends when `signal` does
   */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** The options with every default filled in. */
export interface SandboxConfig {
  suppliers: readonly Required<SandboxSupplier>[];
  teams: readonly string[];
  bucket: string;
  documents: readonly string[];
  clock: Date | 'machine';
  seed: string;
  settings: SandboxSettings;
  faults: readonly FaultRule[];
  logLimit: number;
  logRoom: LogRoom;
  showPersonalData: boolean;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The same for a call that goes on when `signal` has ended. */
  waitToTheEnd: (ms: number, signal: AbortSignal) => Promise<void>;
}

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
 * Throws a TypeError for an option that there is not, a supplier without code, with another's code or with an unknown
 * status, and for a bad clock.
 */
export function completeOptions(options: SandboxOptions): SandboxConfig {
  refuseUnknownOptions('createSandbox', options, Object.keys(OPTIONS));
  const { documents = {}, seed = 'sandbox', teams = [SANDBOX_TEAM] } = options;
  expect(Array.isArray(options.suppliers ?? []), 'suppliers must be a list of { code, status?, root? }');
  expect(isListOfTexts(teams), 'teams must be a list of names');
  expect(typeof seed === 'string', 'seed must be a string');
  expect(isObject(documents) && isListOfTexts(documents.known ?? []), 'documents must be { bucket?, known? }');
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
  if (twice !== undefined) throw new TypeError(`createSandbox: two suppliers have the code ${twice}.`);

  const clock = options.clock ?? new Date(SANDBOX_START);
  if (clock !== 'machine' && !(clock instanceof Date && Number.isFinite(clock.getTime()))) {
    throw new TypeError("createSandbox: clock must be a valid Date or 'machine'.");
  }
  const { logLimit = 10_000, logBytes = 64 * 1024 * 1024 } = options;
  if (!(Number.isInteger(logBytes) && logBytes >= 0)) {
    throw new TypeError(`createSandbox: logBytes must be a whole number from 0, found ${logBytes}.`);
  }
  if (!(Number.isInteger(logLimit) && logLimit >= 0)) {
    throw new TypeError(`createSandbox: logLimit must be a whole number from 0, found ${logLimit}.`);
  }
  return {
    suppliers,
    teams,
    bucket: documents.bucket ?? SANDBOX_BUCKET,
    documents: documents.known ?? [],
    clock,
    seed,
    settings: completeSettings({ ...presetSettings(options.preset), ...options.settings }),
    faults: (options.faults ?? []).map(checkFaultRule),
    logLimit,
    logRoom: { most: logBytes, bytes: 0 },
    showPersonalData: options.showPersonalData ?? false,
    wait: options.wait ?? untilTimeOrAbort,
    waitToTheEnd: options.wait === undefined ? untilTime : withoutEnd(options.wait),
  };
}

function expect(isMet: boolean, sentence: string): void {
  if (!isMet) throw new TypeError(`createSandbox: ${sentence}.`);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string' && item !== '');
}

async function untilTimeOrAbort(ms: number, signal: AbortSignal): Promise<void> {
  await timeout(ms, undefined, { signal }).catch(() => {});
}

/** Once nobody waits for the answer any more, the call keeps no process alive. */
function untilTime(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', letGo);
      resolve();
    }, ms);
    const letGo = () => void timer.unref();
    if (signal.aborted) letGo();
    else signal.addEventListener('abort', letGo, { once: true });
  });
}

function withoutEnd(wait: NonNullable<SandboxOptions['wait']>): SandboxConfig['waitToTheEnd'] {
  return (ms) => wait(ms, new AbortController().signal);
}

/** Throws a TypeError for what is no status of an import supplier. */
export function knownStatus(status: ImportSupplierStatus): ImportSupplierStatus {
  if (STATUSES.includes(status)) return status;
  throw new TypeError(`An import supplier is ${STATUSES.join(', ')}; found ${String(status)}.`);
}

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
