/** `data-import-sdk/sandbox`: the whole service, embedded, for rehearsals and tests. */

export {
  type CertifyOptions,
  type CertifyResult,
  certify,
  type ExecutionResult,
  type FindingRequest,
} from '../certify/certify.js';
export type { Script, ScriptContext, ScriptEnd } from '../certify/execute.js';
export type { BrokenRule, RuleName } from '../certify/rules.js';
export { type Learned, type LearnedSetting, learn, parseRecording } from '../learn/learn.js';
export type { Masked } from '../learn/mask.js';
export { type Fetch, type RecordedCall, type RecordOptions, recordCalls } from '../learn/record.js';
export type { Faults } from './calls/faults.js';
export type { ProcessingHold } from './calls/process-slots.js';
export type { LogEntry } from './calls/request-log.js';
export { createSandbox, type Sandbox } from './sandbox.js';
export type { ListenOptions, SandboxServer } from './server/listen.js';
export type { SandboxDuration } from './settings/duration.js';
export { type PresetName, STRICT_PROFILE } from './settings/presets.js';
export {
  SANDBOX_API_KEY,
  SANDBOX_BUCKET,
  SANDBOX_START,
  SANDBOX_SUPPLIER,
  SANDBOX_TEAM,
  SANDBOX_TOKEN,
  type SandboxOptions,
  type SandboxSupplier,
} from './settings/sandbox-options.js';
export type { SandboxSettings } from './settings/settings.js';
export { SANDBOX_SETTINGS } from './settings/settings-table.js';
export type { KeptState } from './spaces.js';
export type { SandboxClock } from './state/clock.js';
export type { FaultRecord, FaultRule, FaultTarget } from './state/fault-rules.js';
export type { Operator } from './state/operator.js';
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
} from './state/sandbox-state.js';
export type { SandboxSnapshot } from './state/snapshot.js';
