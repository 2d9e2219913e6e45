import type { BusinessAnswer, BusinessPayload } from '../../schemas/payloads/business.js';
import type {
  BusinessPaymentInstruction,
  BusinessPaymentInstructionAnswer,
} from '../../schemas/payloads/payment-instruction.js';
import type { CallPromise } from '../call-promise.js';
import type { CallOptions } from '../options.js';
import type { OrResolved, Requester } from './request.js';

/** `client.businesses`: businesses with their contracts (document: Business). */
export class Businesses {
  readonly #request: Requester;

  /** @internal */
  constructor(request: Requester) {
    this.#request = request;
  }

  /**
   * Creates a business with all its contracts; before any of its accounts. After a lost answer:
   * `OutcomeUnknownError`. (Document: Business.)
   */
  create(payload: BusinessPayload, options?: CallOptions): CallPromise<BusinessAnswer> {
    return this.#request('businesses.create', { payload }, options);
  }

  /**
   * Adds a payment instruction to an imported business. The service asks the payment vendor: a 400 may mean that the
   * vendor cannot be reached for long (do not retry unchanged); a 500 is retried. After a lost answer:
   * `OutcomeUnknownError`. (Document: Business payment instruction.)
   */
  createPaymentInstruction(
    payload: BusinessPaymentInstruction,
    options?: CallOptions,
  ): CallPromise<OrResolved<BusinessPaymentInstructionAnswer>> {
    return this.#request('businesses.createPaymentInstruction', { payload }, options);
  }
}
