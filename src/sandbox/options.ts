/** What a user may hand to `createSandbox`, what each thing is by default, and the first state that follows from it. */
import { completeSettings, type SandboxSettings } from './settings.js';
import type { ImportSupplierStatus, SandboxState } from './state.js';

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
   * Where documents are said to lie: a path resolves to `<bucket>/<root><path>` (C7). Nothing is ever read there.
   * @default { bucket: SANDBOX_BUCKET }
   */
  documents?: { bucket: string };
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
  /** Choices that the document leaves open; each has a default. */
  settings?: Partial<SandboxSettings>;
}

/** The options with every default filled in. */
export interface SandboxConfig {
  suppliers: readonly Required<SandboxSupplier>[];
  teams: readonly string[];
  bucket: string;
  clock: Date | 'machine';
  seed: string;
  settings: SandboxSettings;
}

const STATUSES: readonly ImportSupplierStatus[] = ['Ongoing', 'Paused', 'Complete'];

/** Throws a TypeError for a supplier without code, with another's code or with an unknown status, and for a bad clock. */
export function completeOptions(options: SandboxOptions): SandboxConfig {
  const suppliers = (options.suppliers ?? [{ code: SANDBOX_SUPPLIER }]).map(
    ({ code, status = 'Ongoing', root = '' }) => {
      if (typeof code !== 'string' || code === '') throw new TypeError('createSandbox: a supplier needs a code.');
      return { code, status: knownStatus(status), root };
    },
  );
  const codes = suppliers.map(({ code }) => code);
  const twice = codes.find((code, index) => codes.indexOf(code) !== index);
  if (twice !== undefined) throw new TypeError(`createSandbox: two suppliers have the code ${twice}.`);

  const clock = options.clock ?? new Date(SANDBOX_START);
  if (clock !== 'machine' && !(clock instanceof Date && Number.isFinite(clock.getTime()))) {
    throw new TypeError("createSandbox: clock must be a valid Date or 'machine'.");
  }
  return {
    suppliers,
    teams: options.teams ?? [SANDBOX_TEAM],
    bucket: options.documents?.bucket ?? SANDBOX_BUCKET,
    clock,
    seed: options.seed ?? 'sandbox',
    settings: completeSettings(options.settings ?? {}),
  };
}

/** Throws a TypeError for what is no status of an import supplier. */
export function knownStatus(status: ImportSupplierStatus): ImportSupplierStatus {
  if (STATUSES.includes(status)) return status;
  throw new TypeError(`An import supplier is ${STATUSES.join(', ')}; found ${String(status)}.`);
}

export function initialState(config: SandboxConfig): SandboxState {
  return {
    clock:
      config.clock === 'machine'
        ? { kind: 'machine', offset_ms: 0 }
        : { kind: 'fixed', now: config.clock.toISOString() },
    teams: [...config.teams],
    suppliers: config.suppliers.map((supplier) => ({ ...supplier, skipped: [], accounts: [], businesses: [] })),
    populate_batches: [],
    vendor_tries: {},
  };
}
