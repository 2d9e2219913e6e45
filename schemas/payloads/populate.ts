/** Supply points whose registry data are to be looked up before the accounts come (document: Pre-population). */
import type * as z from 'zod';
import { loose, optionalList, optionalText, strict, text } from '../fields.js';

/** Body of `supplyPoints.populate`. */
export interface PopulatePayload {
  /** Electricity point ids. Strings: some begin with 0. */
  prm_ids?: readonly string[] | undefined;
  /** Gas point ids. */
  pce_ids?: readonly string[] | undefined;
  /** A category label; the document does not show its values. */
  customer_category?: string | undefined;
}

/** Answer to `supplyPoints.populate`. */
export interface PopulateAnswer {
  /** Looks like a UUID, and need not be one. */
  batch_id: string;
  /** What else the answer carries, as it came. */
  [field: string]: unknown;
}

/** Schema of `Populate`. Strict: a field that the document does not have is an issue. */
export const populatePayloadSchema: z.ZodType<PopulatePayload> = strict({
  prm_ids: optionalList(text),
  pce_ids: optionalList(text),
  customer_category: optionalText,
});

/** Schema of `PopulateAnswer`. Loose: what else an answer carries is kept. */
export const populateAnswerSchema: z.ZodType<PopulateAnswer> = loose({ batch_id: text });
