/** `data-import-sdk/sandbox`: the service itself, embedded, for rehearsals and tests. */
export type { SandboxClock } from './clock.js';
export type { SandboxDuration } from './duration.js';
export type { FaultRecord, FaultRule, Faults, FaultTarget } from './faults.js';
export type { ListenOptions, SandboxServer } from './http.js';
export type { KeptState } from './keep-in.js';
export type { LogEntry } from './log.js';
export type { Operator } from './operator.js';
export {
  SANDBOX_API_KEY,
  SANDBOX_BUCKET,
  SANDBOX_START,
  SANDBOX_SUPPLIER,
  SANDBOX_TEAM,
  SANDBOX_TOKEN,
  type SandboxOptions,
  type SandboxSupplier,
} from './options.js';
export { type PresetName, STRICT_PROFILE } from './presets.js';
export type { ProcessingHold } from './processing.js';
export { createSandbox, type Sandbox } from './sandbox.js';
export { SANDBOX_SETTINGS, type SandboxSettings } from './settings.js';
export type { SandboxSnapshot } from './snapshot.js';
export type {
  AccountRecord,
  BusinessRecord,
  DeepReadonly,
  DocumentReference,
  ImportedRecord,
  ImportSupplierStatus,
  Lookup,
  NoteRecord,
  PopulateBatch,
  SandboxState,
  SupplierRecord,
  SwitchStatus,
  TransactionRecord,
} from './state.js';
