/** Supply points whose registry data the service looks up before the accounts are imported (spec: Pre-population). */
import { loose, optionalList, optionalText, strict, text } from '../fields.js';

/** Body of `supplyPoints.populate`. */
export interface PopulatePayload {
  /** Electricity point ids. Strings: some begin with 0. */
  prm_ids?: readonly string[] | undefined;
  /** Gas point ids. */
  pce_ids?: readonly string[] | undefined;
  /** A category label; its values are not documented. */
  customer_category?: string | undefined;
}

/** Answer to `supplyPoints.populate`. */
export interface PopulateAnswer {
  /** Looks like a UUID; need not be one. */
  batch_id: string;
}

/** Schema of `Populate`. Strict: rejects undocumented fields. */
export const populatePayloadSchema = strict<PopulatePayload>({
  prm_ids: optionalList(text),
  pce_ids: optionalList(text),
  customer_category: optionalText,
});

/** Schema of `PopulateAnswer`. Loose: keeps undocumented fields. */
export const populateAnswerSchema = loose<PopulateAnswer>({ batch_id: text });
