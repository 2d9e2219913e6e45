/** Exports `Businesses`, the methods of `client.businesses`. */
import type { BusinessAnswer, BusinessPayload } from '../../schemas/payloads/business.js';
import type {
  BusinessPaymentInstruction,
  BusinessPaymentInstructionAnswer,
} from '../../schemas/payloads/payment-instruction.js';
import type { CallOptions } from '../options.js';
import type { CallPromise } from './call-promise.js';
import type { OrResolved, Requester } from './request.js';

/** `client.businesses`: businesses with their contracts (spec: Business). */
export class Businesses {
  readonly #request: Requester;

  /** @internal */
  constructor(request: Requester) {
    this.#request = request;
  }

  /**
   * Creates a business with all its contracts. Call it before you send the accounts of the business. Rejects with
   * `OutcomeUnknownError` if the request gets no answer. An answer that is only the id becomes an object. (Spec: Business.)
   */
  create(payload: BusinessPayload, options?: CallOptions): CallPromise<BusinessAnswer> {
    return this.#request<BusinessAnswer | number | string>('businesses.create', { payload }, options).map(({ data }) =>
      typeof data === 'object' ? data : { service_business_id: data },
    );
  }

  /**
   * Adds a payment instruction to an imported business. The service checks it with the payment vendor. A 400 may mean that the
   * vendor has been unreachable for long: do not repeat the call unchanged. The client retries a 500. Rejects with
   * `OutcomeUnknownError` if the request gets no answer. (Spec: Business payment instruction.)
   */
  createPaymentInstruction(
    payload: BusinessPaymentInstruction,
    options?: CallOptions,
  ): CallPromise<OrResolved<BusinessPaymentInstructionAnswer>> {
    return this.#request('businesses.createPaymentInstruction', { payload }, options);
  }
}
