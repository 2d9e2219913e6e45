/** A business with its contracts, created before any of its accounts (spec: Business payload). */
import * as z from 'zod';
import {
  integerSchema,
  type KeyValue,
  keyValueSchema,
  loose,
  optionalList,
  optionalText,
  strict,
  text,
} from '../fields.js';
import { type Contract, contractSchema } from './contract.js';

/** Details of a business, with its contracts (spec: Business payload). */
export interface BusinessDetails {
  /** Legal form; its values are not documented. */
  business_type?: string | undefined;
  /** Name of the company. */
  company_name?: string | undefined;
  /** Register number of the establishment, 14 digits. */
  siret?: string | undefined;
  /** Additional facts as pairs of strings. */
  details?: readonly KeyValue[] | undefined;
  /** All contracts of the business; accounts refer to them by `identifier`. */
  business_contracts?: readonly Contract[] | undefined;
}

/**
 * Body of `businesses.create`. The service recognises a business by its external identifier together with its name,
 * number and type.
 */
export interface BusinessPayload {
  /** Import supplier code. */
  import_supplier_code: string;
  /** The caller's identifier of the business. */
  external_business_identifier: string;
  /** The business itself, with all its contracts. */
  business?: BusinessDetails | undefined;
}

/** Answer to `businesses.create`. */
export interface BusinessAnswer {
  /** An integer; some deployments write it as text. */
  service_business_id: number | string;
  /** As it was sent; some deployments leave it out. */
  external_business_identifier?: string | undefined;
}

/** Schema of `Business`. Strict: rejects undocumented fields. */
export const businessPayloadSchema = strict<BusinessPayload>({
  import_supplier_code: text,
  external_business_identifier: text,
  business: strict<BusinessDetails>({
    business_type: optionalText,
    company_name: optionalText,
    siret: optionalText,
    details: optionalList(keyValueSchema),
    business_contracts: optionalList(contractSchema),
  }).optional(),
});

/** Schema of the id of a business. Some deployments answer only this. */
export const businessIdSchema: z.ZodType<number | string, number | string> = z.union(
  [integerSchema, z.string().regex(/^\d+$/)],
  { error: 'Expected a whole number, or a text of digits.' },
);

/** Schema of `BusinessAnswer`. Loose: keeps undocumented fields. */
export const businessAnswerSchema = loose<BusinessAnswer>({
  service_business_id: businessIdSchema,
  external_business_identifier: optionalText,
});
