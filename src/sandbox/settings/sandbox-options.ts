/** Exports `SandboxOptions`, the options of `createSandbox`, and the values that they have by default. */
import type { FaultRule } from '../state/fault-rules.js';
import type { ImportSupplierStatus } from '../state/sandbox-state.js';
import type { PresetName } from './presets.js';
import type { SandboxSettings } from './settings.js';

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
