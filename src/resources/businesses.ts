/** Exports `Businesses`, the methods of `client.businesses`. */
import type { BusinessAnswer, BusinessPayload } from '../../schemas/payloads/business.js';
import type {
  BusinessPaymentInstruction,
  BusinessPaymentInstructionAnswer,
} from '../../schemas/payloads/payment-instruction.js';
import type { CallResult } from '../http/call/call-types.js';
import type { CallOptions } from '../options.js';
import type { CallPromise, WriteResult } from './call-promise.js';
import { created, type Requester } from './check-and-send.js';

type CreatedBusiness = BusinessAnswer & { readonly callOutcome: 'created' };

/** `client.businesses`: businesses with their contracts (spec: Business). */
export interface Businesses {
  /**
   * Creates a business with all its contracts. Call it before you send the accounts of the business. Rejects with
   * `OutcomeUnknownError` if the request gets no answer. An answer that is only the id becomes an object. (Spec: Business.)
   */
  create(payload: BusinessPayload, options?: CallOptions): CallPromise<CreatedBusiness>;

  /**
   * Adds a payment instruction to an imported business. The service checks it with the payment vendor. A 400 may mean that the
   * vendor has been unreachable for long: do not repeat the call unchanged. The client retries a 500. Rejects with
   * `OutcomeUnknownError` if the request gets no answer. (Spec: Business payment instruction.)
   */
  createPaymentInstruction(
    payload: BusinessPaymentInstruction,
    options?: CallOptions,
  ): CallPromise<WriteResult<BusinessPaymentInstructionAnswer>>;
}

/** Returns the methods of `client.businesses`. */
export function createBusinesses(request: Requester): Businesses {
  return {
    create: (payload, options) =>
      request<CreatedBusiness>('businesses.create', { payload, outcome: created, conclude: withId }, options),
    createPaymentInstruction: (payload, options) =>
      request('businesses.createPaymentInstruction', { payload, outcome: created }, options),
  };
}

/** Gives an answer that is only the id an object as its body. */
async function withId<T>(answer: Promise<CallResult<unknown>>): Promise<CallResult<T>> {
  const result = await answer;
  const { data } = result;
  return { ...result, data: (typeof data === 'object' ? data : { service_business_id: data }) as T };
}
