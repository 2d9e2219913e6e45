/** A business with its contracts, created before any of its accounts (document: Business payload). */
import * as z from 'zod';
import { type Contract, contractSchema } from './contract.js';
import { integerSchema, type KeyValue, keyValueSchema } from './fields.js';

export interface BusinessDetails {
  business_type?: string | undefined;
  company_name?: string | undefined;
  /** Register number of the establishment, 14 digits. */
  siret?: string | undefined;
  details?: KeyValue[] | undefined;
  business_contracts?: Contract[] | undefined;
}

/**
 * Body of `businesses.create`. The service recognises a business by its external identifier together with its name,
 * number and type.
 */
export interface Business {
  /** Import supplier code. */
  import_supplier_code: string;
  /** The caller's identifier of the business. */
  external_business_identifier: string;
  business?: BusinessDetails | undefined;
}

/** Answer to `businesses.create`. */
export interface BusinessAnswer {
  /** An integer. */
  service_business_id: number;
  external_business_identifier: string;
  [field: string]: unknown;
}

export const businessSchema: z.ZodType<Business> = z.strictObject({
  import_supplier_code: z.string(),
  external_business_identifier: z.string(),
  business: z
    .strictObject({
      business_type: z.string().optional(),
      company_name: z.string().optional(),
      siret: z.string().optional(),
      details: z.array(keyValueSchema).optional(),
      business_contracts: z.array(contractSchema).optional(),
    })
    .optional(),
});

export const businessAnswerSchema: z.ZodType<BusinessAnswer> = z.looseObject({
  service_business_id: integerSchema,
  external_business_identifier: z.string(),
});
