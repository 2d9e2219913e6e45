/** Supply points whose registry data are to be looked up before the accounts come (document: Pre-population). */
import * as z from 'zod';

/** Body of `supplyPoints.populate`. */
export interface Populate {
  /** Electricity point ids. Strings: some begin with 0. */
  prm_ids?: string[] | undefined;
  /** Gas point ids. */
  pce_ids?: string[] | undefined;
  /** A category label; the document does not show its values. */
  customer_category?: string | undefined;
}

/** Answer to `supplyPoints.populate`. */
export interface PopulateAnswer {
  /** Looks like a UUID, and need not be one. */
  batch_id: string;
  [field: string]: unknown;
}

/** Schema of `Populate`. Strict: a field that the document does not have is an issue. */
export const populateSchema: z.ZodType<Populate> = z.strictObject({
  prm_ids: z.array(z.string()).optional(),
  pce_ids: z.array(z.string()).optional(),
  customer_category: z.string().optional(),
});

/** Schema of `PopulateAnswer`. Loose: what else an answer carries is kept. */
export const populateAnswerSchema: z.ZodType<PopulateAnswer> = z.looseObject({ batch_id: z.string() });
