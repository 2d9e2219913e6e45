/** An account with its customers, as it is validated and staged (document: Account payload). */
import * as z from 'zod';
import { type Contract, contractSchema } from './contract.js';
import {
  dateSchema,
  integerSchema,
  type JsonObject,
  jsonObjectSchema,
  type KeyValue,
  keyValueSchema,
  landlineSchema,
  mobileSchema,
  type OpenEnum,
  openEnum,
} from './fields.js';
import { type Note, noteSchema } from './note.js';
import { type SupplyAddress, supplyAddressSchema } from './supply-address.js';

/** What a customer agreed to be sent (document: Customer). Left out: the document does not say what then holds. */
export interface CustomerPreferences {
  /** true: the customer takes updates. */
  opted_into_updates?: boolean | undefined;
  /** true: the customer takes text messages. */
  opted_into_sms?: boolean | undefined;
  /** true: the customer takes offers. */
  opted_into_offers?: boolean | undefined;
  /** true: the customer takes recommendations. */
  opted_into_recommended?: boolean | undefined;
}

/** A person of the account (document: Customer). */
export interface Customer {
  /** Form of address, such as Ms. */
  title?: string | undefined;
  /** First name. */
  given_name?: string | undefined;
  /** Last name. */
  family_name?: string | undefined;
  /** E-mail address. Any string passes: the document gives no rule. */
  email?: string | undefined;
  /** International form, such as +33612345678. */
  mobile?: string | undefined;
  /** May be empty; a telephone number when given. */
  landline?: string | undefined;
  /** YYYY-MM-DD */
  date_of_birth?: string | undefined;
  /** May be empty. */
  deceased?: string | undefined;
  /** What the customer agreed to be sent. */
  customer_preferences?: CustomerPreferences | undefined;
}

/** The business behind a BUSINESS account. */
export interface AccountBusiness {
  /** Legal form; the document does not show its values. */
  business_type?: string | undefined;
  /** Register number of the establishment, 14 digits. */
  siret?: string | undefined;
  /** Whatever else is known, as pairs of strings. */
  details?: KeyValue[] | undefined;
  /** Must equal the identifier of a contract that was given when the business was created. */
  business_contract_identifier?: string | undefined;
}

/** A bill that was issued before the account moved. */
export interface AccountStatement {
  /** YYYY-MM-DD */
  bill_period_from_date?: string | undefined;
  /** YYYY-MM-DD */
  bill_period_to_date?: string | undefined;
  /** Relative to the root that is configured for the import supplier. */
  statement_path?: string | undefined;
  /** The caller's identifier of the statement. */
  statement_id?: string | undefined;
}

/** A voucher that pays for energy. */
export interface EnergyCheque {
  /** Number of the cheque, as a string. */
  number?: string | undefined;
  /** YYYY-MM-DD */
  protection_from?: string | undefined;
  /** YYYY-MM-DD */
  protection_to?: string | undefined;
  /** Where it came from; the document does not show its values. */
  source?: string | undefined;
  /** A reference; the document does not describe it. */
  asp_remittance_ref?: string | undefined;
  /** An integer; the document does not show its unit. */
  amount?: number | undefined;
  /** YYYY-MM-DD */
  valid_to?: string | undefined;
  /** The document does not show its values. */
  status?: string | undefined;
}

/** A second ledger of the account, for the customer's energy cheques (document: Account payload). */
export interface SupplementaryLedger {
  /** Code of the ledger; the document does not show its values. */
  ledger_code?: string | undefined;
  /** The cheques in it. */
  energy_cheques?: EnergyCheque[] | undefined;
}

/** A campaign that the account takes part in (document: Account payload). */
export interface AccountCampaign {
  /** Short name of the campaign. */
  slug?: string | undefined;
  /** A remark about it. */
  campaign_note?: string | undefined;
}

/** Both halves are needed; the value is a JSON object. */
export interface MetadataEntry {
  /** Name of the entry. */
  key: string;
  /** Any JSON object. */
  value: JsonObject;
}

/**
 * One account. Domestic accounts have no `account_type`; business accounts have `account_type: 'BUSINESS'` and may
 * carry `business` and `account_contracts`. Leave out what you do not want to send.
 */
export interface Account {
  /** The caller's identifier of the account. */
  external_account_number: string;
  /** Import supplier code. */
  import_supplier: string;
  /** BUSINESS for a business account; left out for a domestic one. */
  account_type?: OpenEnum<'BUSINESS'> | undefined;
  /** Business accounts only. */
  business?: AccountBusiness | undefined;
  /** true where nobody knows who lives there. */
  unknown_occupier?: boolean | undefined;
  /** May be empty. */
  billing_address1?: string | undefined;
  /** May be empty. */
  billing_address2?: string | undefined;
  /** May be empty. */
  billing_address3?: string | undefined;
  /** May be empty. */
  billing_address4?: string | undefined;
  /** Postcode of the billing address. */
  billing_postcode?: string | undefined;
  /** How the account was won; the document does not show its values. */
  sales_channel?: string | undefined;
  /** The same in more detail. */
  sales_subchannel?: string | undefined;
  /** YYYY-MM-DD */
  last_billed_to_date?: string | undefined;
  /** Business accounts only. */
  account_contracts?: Contract[] | undefined;
  /** The people of the account. */
  customers?: Customer[] | undefined;
  /** Where energy is supplied, with the supply points there. */
  supply_addresses?: SupplyAddress[] | undefined;
  /** Bills that were issued before the move, by reference. */
  statements?: AccountStatement[] | undefined;
  /** Second ledgers, for energy cheques. */
  supplementary_ledgers?: SupplementaryLedger[] | undefined;
  /** Notes to begin with. More are added by `notes.create` after the import. */
  notes?: Note[] | undefined;
  /** Campaigns that the account takes part in. */
  account_campaigns?: AccountCampaign[] | undefined;
  /** Free entries: a key and a JSON object each. */
  metadata?: MetadataEntry[] | undefined;
}

/** Answer to `accounts.validate`: the validated data. Some deployments leave out what they did not understand. */
export type ValidatedAccount = Partial<Account> & { [field: string]: unknown };

/** Answer to `accounts.stage`. */
export interface StageAnswer {
  /** Import supplier code. */
  import_supplier?: string | null | undefined;
  /** The caller's identifier of the account. */
  external_account_number: string;
  [field: string]: unknown;
}

/** Values of `account_type` that the document shows; others pass with advice. */
export const ACCOUNT_TYPES = ['BUSINESS'] as const;

/** Schema of `Customer`. Strict: a field that the document does not have is an issue. */
export const customerSchema: z.ZodType<Customer> = z.strictObject({
  title: z.string().optional(),
  given_name: z.string().optional(),
  family_name: z.string().optional(),
  email: z.string().optional(),
  mobile: mobileSchema.optional(),
  landline: landlineSchema.optional(),
  date_of_birth: dateSchema.optional(),
  deceased: z.string().optional(),
  customer_preferences: z
    .strictObject({
      opted_into_updates: z.boolean().optional(),
      opted_into_sms: z.boolean().optional(),
      opted_into_offers: z.boolean().optional(),
      opted_into_recommended: z.boolean().optional(),
    })
    .optional(),
});

/** Schema of `Account`. Strict: a field that the document does not have is an issue. */
export const accountSchema: z.ZodType<Account> = z.strictObject({
  external_account_number: z.string(),
  import_supplier: z.string(),
  account_type: openEnum(ACCOUNT_TYPES).optional(),
  business: z
    .strictObject({
      business_type: z.string().optional(),
      siret: z.string().optional(),
      details: z.array(keyValueSchema).optional(),
      business_contract_identifier: z.string().optional(),
    })
    .optional(),
  unknown_occupier: z.boolean().optional(),
  billing_address1: z.string().optional(),
  billing_address2: z.string().optional(),
  billing_address3: z.string().optional(),
  billing_address4: z.string().optional(),
  billing_postcode: z.string().optional(),
  sales_channel: z.string().optional(),
  sales_subchannel: z.string().optional(),
  last_billed_to_date: dateSchema.optional(),
  account_contracts: z.array(contractSchema).optional(),
  customers: z.array(customerSchema).optional(),
  supply_addresses: z.array(supplyAddressSchema).optional(),
  statements: z
    .array(
      z.strictObject({
        bill_period_from_date: dateSchema.optional(),
        bill_period_to_date: dateSchema.optional(),
        statement_path: z.string().optional(),
        statement_id: z.string().optional(),
      }),
    )
    .optional(),
  supplementary_ledgers: z
    .array(
      z.strictObject({
        ledger_code: z.string().optional(),
        energy_cheques: z
          .array(
            z.strictObject({
              number: z.string().optional(),
              protection_from: dateSchema.optional(),
              protection_to: dateSchema.optional(),
              source: z.string().optional(),
              asp_remittance_ref: z.string().optional(),
              amount: integerSchema.optional(),
              valid_to: dateSchema.optional(),
              status: z.string().optional(),
            }),
          )
          .optional(),
      }),
    )
    .optional(),
  notes: z.array(noteSchema).optional(),
  account_campaigns: z
    .array(z.strictObject({ slug: z.string().optional(), campaign_note: z.string().optional() }))
    .optional(),
  metadata: z.array(z.strictObject({ key: z.string(), value: jsonObjectSchema })).optional(),
});

// Not checked any deeper: what the echo holds is the service's to say.
/** Schema of `ValidatedAccount`: an object with any fields. */
export const validatedAccountSchema: z.ZodType<ValidatedAccount> = z.looseObject(
  {},
) as unknown as z.ZodType<ValidatedAccount>;

// Deployments differ: some answer with import_supplier_code.
/** Schema of `StageAnswer`. Loose: what else an answer carries is kept. */
export const stageAnswerSchema: z.ZodType<StageAnswer> = z.looseObject({
  import_supplier: z.string().nullish(),
  external_account_number: z.string(),
});
