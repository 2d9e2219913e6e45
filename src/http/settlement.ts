/** What a resource tells a call about settling a request whose answer was lost; `in-flight.ts` says when the service is asked. */
import type { DataImportError } from '../errors/data-import-error.js';
import type { CallLimits, CallResult } from './call-types.js';

/** How a call whose answer got lost is settled. */
export interface Settlement<T> {
  /** Asks the service; undefined: it says that nothing was done so far. Only for operations that it can be asked about. */
  ask?(limits: CallLimits): Promise<CallResult<T> | undefined>;
  /** An error that, after a lost answer, is the trace of our own success. */
  recognise(error: DataImportError): T | undefined;
}
