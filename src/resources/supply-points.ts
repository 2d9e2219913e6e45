/** Exports `SupplyPoints`, the method of `client.supplyPoints`. */
import type { PopulateAnswer, PopulatePayload } from '../../schemas/payloads/populate.js';
import type { CallOptions } from '../options.js';
import type { CallPromise } from './call-promise.js';
import type { Requester } from './request.js';

/** `client.supplyPoints`: lookup with the industry registries (spec: Pre-population). */
export class SupplyPoints {
  readonly #request: Requester;

  /** @internal */
  constructor(request: Requester) {
    this.#request = request;
  }

  /**
   * Queues supply points for lookup with the industry registries. Call it before you send their accounts. The lookups run later, at a
   * rate that the operator configures. Rejects with `OutcomeUnknownError` if the request gets no answer. (Spec: Pre-population.)
   */
  populate(payload: PopulatePayload, options?: CallOptions): CallPromise<PopulateAnswer> {
    return this.#request('supplyPoints.populate', { payload }, options);
  }
}
