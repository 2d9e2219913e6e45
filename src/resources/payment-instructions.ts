/** Exports `PaymentInstructions`, the method of `client.paymentInstructions`. */
import type { PaymentInstruction, PaymentInstructionAnswer } from '../../schemas/payloads/payment-instruction.js';
import type { CallOptions } from '../options.js';
import type { CallPromise, WriteResult } from './call-promise.js';
import { created, type Requester } from './check-and-send.js';

/** `client.paymentInstructions`: payment instructions of imported accounts (spec: Payment instruction). */
export interface PaymentInstructions {
  /**
   * Adds a payment instruction to an imported account. The service checks it with the payment vendor. A 400 may mean that the
   * vendor has been unreachable for long: do not repeat the call unchanged. The client retries a 500. Rejects with
   * `OutcomeUnknownError` if the request gets no answer. (Spec: Payment instruction.)
   */
  create(payload: PaymentInstruction, options?: CallOptions): CallPromise<WriteResult<PaymentInstructionAnswer>>;
}

/** Returns the method of `client.paymentInstructions`. */
export function createPaymentInstructions(request: Requester): PaymentInstructions {
  return {
    create: (payload, options) => request('paymentInstructions.create', { payload, outcome: created }, options),
  };
}
