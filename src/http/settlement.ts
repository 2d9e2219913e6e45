/** Settling a call whose answer got lost: the service is asked, more than once, before "nothing was done" is believed. */
import type { DataImportError } from '../errors/data-import-error.js';
import type { CallLimits, CallResult } from './call.js';

/** How a call whose answer got lost is settled. */
export interface Settlement<T> {
  /** Asks the service; undefined: it says that nothing was done so far. Only for operations that it can be asked about. */
  ask?(limits: CallLimits): Promise<CallResult<T> | undefined>;
  /** An error that, after a lost answer, is the trace of our own success. */
  recognise(error: DataImportError): T | undefined;
}

/** The service may still be at it when the first question comes. */
const QUESTIONS = 3;

/** A wait before each question: between half and the whole of a growing step, so never at once, and not all callers together. */
export function settlingDelaysMs(baseMs: number): number[] {
  return Array.from({ length: QUESTIONS }, (_, question) =>
    Math.round(baseMs * 2 ** question * (0.5 + Math.random() / 2)),
  );
}
