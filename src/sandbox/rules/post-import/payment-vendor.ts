/**
 * Exports `refuseByVendor`: the upstream payment vendor, which the service asks whether an instruction exists. It confirms
 * every reference except two that make it fail (E3, E10):
 * - `sbx-vendor-persistent`: never reached; 400 on every try, do not retry unchanged.
 * - `sbx-vendor-flaky-N`: fails the first N times that this instruction is sent; 500, retry as it is.
 */

import type { Call, Outcome } from '../../calls/call.js';
import { failed, refused } from '../../calls/error-answers.js';

interface Instruction {
  vendor: string;
  reference: string;
}

/**
 * Returns the refusal, or undefined if the vendor confirms the instruction. `holder` has the identifiers of the account or
 * business, named as in the payload.
 */
export function refuseByVendor(
  call: Call<unknown>,
  holder: Readonly<Record<string, string>>,
  { vendor, reference }: Instruction,
): Outcome | undefined {
  if (reference === 'sbx-vendor-persistent') {
    const detail = 'The payment vendor could not be reached for this instruction. Do not retry it unchanged.';
    return vendorFailure(refused('payment_vendor_failure', 'reference', detail), detail, call, holder, reference);
  }
  const [, failures] = /^sbx-vendor-flaky-(\d+)$/.exec(reference) ?? [];
  const key = JSON.stringify([call.operation, ...Object.values(holder), vendor, reference]);
  const { vendor_tries } = call.store.state;
  const tries = vendor_tries[key] ?? 0;
  if (failures === undefined || tries >= Number(failures)) return undefined;
  const detail = 'The payment vendor did not answer this time. Retry as it is.';
  return {
    ...vendorFailure(failed(500, 'payment_vendor_unavailable', detail), detail, call, holder, reference),
    remember: [{ type: 'vendorAsked', key, tries: tries + 1 }],
    change: `vendor asked, try ${tries + 1} of ${Number(failures)}`,
  };
}

/** U22: returns the outcome with the body of other errors, or with the identifiers of the call. */
function vendorFailure(
  outcome: Outcome,
  error_detail: string,
  { settings }: Call<unknown>,
  holder: Readonly<Record<string, string>>,
  reference: string,
): Outcome {
  if (settings.vendorFailureBody === 'documented') return outcome;
  return { ...outcome, body: { error_detail, ...holder, reference } };
}
