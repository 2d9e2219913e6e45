/**
 * The upstream payment vendor, which the service asks whether an instruction exists. It knows every reference, but
 * for two that make it fail (E3, E10):
 * - `sbx-vendor-persistent`: never reached; 400 on every try, do not retry unchanged.
 * - `sbx-vendor-flaky-N`: fails the first N times that this instruction is sent; 500, retry as it is.
 */
import { failed, refused } from './answers.js';
import type { Call, Outcome } from './call.js';

interface Instruction {
  vendor: string;
  reference: string;
}

/** undefined when the vendor confirms the instruction, else the refusal. `holder` tells whose instruction it is. */
export function refuseByVendor(
  { operation, store }: Call<unknown>,
  holder: readonly string[],
  { vendor, reference }: Instruction,
): Outcome | undefined {
  if (reference === 'sbx-vendor-persistent') {
    const detail = 'The payment vendor could not be reached for this instruction. Do not retry it unchanged.';
    return refused('payment_vendor_failure', 'reference', detail);
  }
  const [, failures] = /^sbx-vendor-flaky-(\d+)$/.exec(reference) ?? [];
  const key = JSON.stringify([operation, ...holder, vendor, reference]);
  const { vendor_tries } = store.state;
  const tries = vendor_tries[key] ?? 0;
  if (failures === undefined || tries >= Number(failures)) return undefined;
  return {
    ...failed(500, 'payment_vendor_unavailable', 'The payment vendor did not answer this time. Retry as it is.'),
    remember: () => {
      vendor_tries[key] = tries + 1;
    },
  };
}
