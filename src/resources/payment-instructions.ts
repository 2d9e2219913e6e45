import type { PaymentInstruction, PaymentInstructionAnswer } from '../../schemas/payloads/payment-instruction.js';
import type { CallPromise } from '../call-promise.js';
import type { CallOptions } from '../options.js';
import type { OrResolved, Requester } from './request.js';

/** `client.paymentInstructions`: payment instructions of imported accounts (document: Payment instruction). */
export class PaymentInstructions {
  readonly #request: Requester;

  /** @internal */
  constructor(request: Requester) {
    this.#request = request;
  }

  /**
   * Adds a payment instruction to an imported account. The service asks the payment vendor: a 400 may mean that the
   * vendor cannot be reached for long (do not retry unchanged); a 500 is retried. After a lost answer:
   * `OutcomeUnknownError`. (Document: Payment instruction.)
   */
  create(payload: PaymentInstruction, options?: CallOptions): CallPromise<OrResolved<PaymentInstructionAnswer>> {
    return this.#request('paymentInstructions.create', { payload }, options);
  }
}
