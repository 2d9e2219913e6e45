/** Exports `SupplyPoints`, the method of `client.supplyPoints`. */
import type { PopulateAnswer, PopulatePayload } from '../../schemas/payloads/populate.js';
import type { CallOptions } from '../options.js';
import type { CallPromise } from './call-promise.js';
import { created, type Requester } from './check-and-send.js';

/** `client.supplyPoints`: lookup with the industry registries (spec: Pre-population). */
export interface SupplyPoints {
  /**
   * Queues supply points for lookup with the industry registries. Call it before you send their accounts. The lookups run later, at a
   * rate that the operator configures. Rejects with `OutcomeUnknownError` if the request gets no answer. (Spec: Pre-population.)
   */
  populate(
    payload: PopulatePayload,
    options?: CallOptions,
  ): CallPromise<PopulateAnswer & { readonly callOutcome: 'created' }>;
}

/** Returns the method of `client.supplyPoints`. */
export function createSupplyPoints(request: Requester): SupplyPoints {
  return {
    populate: (payload, options) => request('supplyPoints.populate', { payload, outcome: created }, options),
  };
}
