/** Exports `SandboxOptions`, the options of `createSandbox`, and the values that they have by default. */
import type { FaultRule } from '../state/fault-rules.js';
import type { ImportSupplierStatus } from '../state/sandbox-state.js';
import type { PresetName } from './presets.js';
import type { SandboxSettings } from './settings.js';

/** Code of the default import supplier. */
export const SANDBOX_SUPPLIER = 'SANDBOX_SUPPLIER';
/** Name of the default operations team. */
export const SANDBOX_TEAM = 'SANDBOX_TEAM';
/** Initial time of the clock, unless the option `clock` is given. */
export const SANDBOX_START = '2026-01-15T09:00:00Z';
/** A token that every sandbox accepts and that never expires. */
export const SANDBOX_TOKEN = 'sandbox-token';
/** The API key for which every sandbox issues tokens. */
export const SANDBOX_API_KEY = 'sandbox-api-key';
/** Default bucket of the documents. */
export const SANDBOX_BUCKET = 'sandbox-bucket';

/** An import supplier, as the operator sets it up. */
export interface SandboxSupplier {
  /** Import supplier code, as payloads name it. */
  code: string;
  /**
   * Status of the supplier (spec: Import supplier status). Change it later with `setSupplierStatus`.
   * @default 'Ongoing'
   */
  status?: ImportSupplierStatus;
  /**
   * Prefix of every document path of this supplier (C7), such as `'supplier-a/'`.
   * @default ''
   */
  root?: string;
}

/** Options of `createSandbox`. Every option has a default. */
export interface SandboxOptions {
  /**
   * The import suppliers that exist. Any other code is refused with 400.
   * @default one, Ongoing, with the code `SANDBOX_SUPPLIER`
   */
  suppliers?: readonly SandboxSupplier[] | undefined;
  /**
   * The operations teams that exist. Any other name is refused with 400.
   * @default one, `SANDBOX_TEAM`
   */
  teams?: readonly string[] | undefined;
  /**
   * Location of documents: a path resolves to `<bucket>/<root><path>` (C7). Nothing is read there. `known` lists the
   * locations of existing documents, for the setting `missingDocuments` (U19).
   * @default { bucket: SANDBOX_BUCKET, known: [] }
   */
  documents?: { bucket?: string | undefined; known?: readonly string[] | undefined } | undefined;
  /**
   * The time of a fixed clock, which only `clock.advance` and `clock.set` change; or `'machine'` for a running clock.
   * @default the instant SANDBOX_START
   */
  clock?: Date | 'machine' | undefined;
  /**
   * Seed of all generated numbers and ids. The same seed gives the same numbers, whatever the order of the calls.
   * @default 'sandbox'
   */
  seed?: string | undefined;
  /**
   * A group of settings: `documented` has all defaults, `strict` has the additional rules of stricter deployments,
   * `legacyErrors` has the error bodies of older ones. `settings` takes precedence.
   * @default 'documented'
   */
  preset?: PresetName | undefined;
  /** Behaviour that the API specification leaves open; each setting has a default. */
  settings?: Partial<SandboxSettings> | undefined;
  /** Initial fault rules; `sandbox.faults` adds others. */
  faults?: readonly FaultRule[] | undefined;
  /**
   * How many requests the log keeps, with their bodies.
   * @default 10000
   */
  logLimit?: number | undefined;
  /**
   * Memory limit of the logs of all isolated states together, in bytes. The oldest requests are dropped.
   * @default 67108864
   */
  logBytes?: number | undefined;
  /**
   * Whether log and console show personal data. Otherwise they mask it.
   * @default false
   */
  showPersonalData?: boolean | undefined;
  /**
   * Waits for latency and call durations (`processDurationMs` and the like). Tests replace it to avoid real time. It does
   * not move the sandbox's clock. `signal` aborts when the connection is lost; it never aborts for a call that the service
   * completes anyway (`lostRequests`).
   * @default a timer, which ends when `signal` aborts
   */
  wait?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
}
