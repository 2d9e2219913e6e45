/** An account with its customers, as it is validated and staged (spec: Account payload). */
import {
  echoesOf,
  type JsonObject,
  jsonObjectSchema,
  type KeyValue,
  keyValueSchema,
  loose,
  nullishText,
  type OpenEnum,
  openEnum,
  optionalBoolean,
  optionalDate,
  optionalInteger,
  optionalList,
  optionalText,
  strict,
  text,
} from '../fields.js';
import { landlineSchema, mobileSchema } from '../phone-numbers.js';
import { ACCOUNT_TYPES } from '../values.js';
import { type Contract, contractSchema } from './contract.js';
import { type Note, noteSchema } from './note.js';
import { type SupplyAddress, supplyAddressSchema } from './supply-address.js';

/** What a customer agreed to receive (spec: Customer). The default of an omitted preference is not documented. */
export interface CustomerPreferences {
  /** true: the customer receives updates. */
  opted_into_updates?: boolean | undefined;
  /** true: the customer receives text messages. */
  opted_into_sms?: boolean | undefined;
  /** true: the customer receives offers. */
  opted_into_offers?: boolean | undefined;
  /** true: the customer receives recommendations. */
  opted_into_recommended?: boolean | undefined;
}

/** A person of the account (spec: Customer). */
export interface Customer {
  /** Form of address, such as Ms. */
  title?: string | undefined;
  /** First name. */
  given_name?: string | undefined;
  /** Last name. */
  family_name?: string | undefined;
  /** E-mail address. Any string passes: no rule is documented. */
  email?: string | undefined;
  /** International form, such as +33612345678. */
  mobile?: string | undefined;
  /** May be empty; a telephone number when given. */
  landline?: string | undefined;
  /** YYYY-MM-DD */
  date_of_birth?: string | undefined;
  /** May be empty. */
  deceased?: string | undefined;
  /** What the customer agreed to receive. */
  customer_preferences?: CustomerPreferences | undefined;
}

/** The business behind a BUSINESS account. */
export interface AccountBusiness {
  /** Legal form; its values are not documented. */
  business_type?: string | undefined;
  /** Register number of the establishment, 14 digits. */
  siret?: string | undefined;
  /** Additional facts as pairs of strings. */
  details?: readonly KeyValue[] | undefined;
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
  /** Its origin; its values are not documented. */
  source?: string | undefined;
  /** A reference; not described further in the API specification. */
  asp_remittance_ref?: string | undefined;
  /** An integer; its unit is not documented. */
  amount?: number | undefined;
  /** YYYY-MM-DD */
  valid_to?: string | undefined;
  /** Its values are not documented. */
  status?: string | undefined;
}

/** A second ledger of the account, for the customer's energy cheques (spec: Account payload). */
export interface SupplementaryLedger {
  /** Code of the ledger; its values are not documented. */
  ledger_code?: string | undefined;
  /** The cheques in it. */
  energy_cheques?: readonly EnergyCheque[] | undefined;
}

/** A campaign that the account takes part in (spec: Account payload). */
export interface AccountCampaign {
  /** Short name of the campaign. */
  slug?: string | undefined;
  /** A remark about it. */
  campaign_note?: string | undefined;
}

/** Both fields are required; the value is a JSON object. */
export interface MetadataEntry {
  /** Name of the entry. */
  key: string;
  /** Any JSON object. */
  value: JsonObject;
}

/**
 * One account. Domestic accounts have no `account_type`; business accounts have `account_type: 'BUSINESS'` and may
 * have `business` and `account_contracts`. Omit fields that you do not want to send.
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
  /** true if the occupier is unknown. */
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
  /** The sales channel; its values are not documented. */
  sales_channel?: string | undefined;
  /** The sales channel in more detail. */
  sales_subchannel?: string | undefined;
  /** YYYY-MM-DD */
  last_billed_to_date?: string | undefined;
  /** Business accounts only. */
  account_contracts?: readonly Contract[] | undefined;
  /** The people of the account. */
  customers?: readonly Customer[] | undefined;
  /** Where energy is supplied, with the supply points there. */
  supply_addresses?: readonly SupplyAddress[] | undefined;
  /** References to bills that were issued before the account moved. */
  statements?: readonly AccountStatement[] | undefined;
  /** Second ledgers, for energy cheques. */
  supplementary_ledgers?: readonly SupplementaryLedger[] | undefined;
  /** Initial notes. `notes.create` adds more after the import. */
  notes?: readonly Note[] | undefined;
  /** Campaigns that the account takes part in. */
  account_campaigns?: readonly AccountCampaign[] | undefined;
  /** Additional entries, each a key with a JSON object. */
  metadata?: readonly MetadataEntry[] | undefined;
}

/** Answer to `accounts.validate`: the validated data. Some deployments omit fields that they did not understand. */
export type ValidatedAccount = { [Field in keyof Account]?: Account[Field] | undefined };

/** Answer to `accounts.stage`. */
export interface StageAnswer {
  /** Import supplier code. */
  import_supplier?: string | null | undefined;
  /** The caller's identifier of the account. */
  external_account_number: string;
}

/** Schema of `Customer`. Strict: rejects undocumented fields. */
export const customerSchema = strict<Customer>({
  title: optionalText,
  given_name: optionalText,
  family_name: optionalText,
  email: optionalText,
  mobile: mobileSchema.optional(),
  landline: landlineSchema.optional(),
  date_of_birth: optionalDate,
  deceased: optionalText,
  customer_preferences: strict<CustomerPreferences>({
    opted_into_updates: optionalBoolean,
    opted_into_sms: optionalBoolean,
    opted_into_offers: optionalBoolean,
    opted_into_recommended: optionalBoolean,
  }).optional(),
});

/** Schema of `Account`. Strict: rejects undocumented fields. */
export const accountSchema = strict<Account>({
  external_account_number: text,
  import_supplier: text,
  account_type: openEnum(ACCOUNT_TYPES).optional(),
  business: strict<AccountBusiness>({
    business_type: optionalText,
    siret: optionalText,
    details: optionalList(keyValueSchema),
    business_contract_identifier: optionalText,
  }).optional(),
  unknown_occupier: optionalBoolean,
  billing_address1: optionalText,
  billing_address2: optionalText,
  billing_address3: optionalText,
  billing_address4: optionalText,
  billing_postcode: optionalText,
  sales_channel: optionalText,
  sales_subchannel: optionalText,
  last_billed_to_date: optionalDate,
  account_contracts: optionalList(contractSchema),
  customers: optionalList(customerSchema),
  supply_addresses: optionalList(supplyAddressSchema),
  statements: optionalList(
    strict<AccountStatement>({
      bill_period_from_date: optionalDate,
      bill_period_to_date: optionalDate,
      statement_path: optionalText,
      statement_id: optionalText,
    }),
  ),
  supplementary_ledgers: optionalList(
    strict<SupplementaryLedger>({
      ledger_code: optionalText,
      energy_cheques: optionalList(
        strict<EnergyCheque>({
          number: optionalText,
          protection_from: optionalDate,
          protection_to: optionalDate,
          source: optionalText,
          asp_remittance_ref: optionalText,
          amount: optionalInteger,
          valid_to: optionalDate,
          status: optionalText,
        }),
      ),
    }),
  ),
  notes: optionalList(noteSchema),
  account_campaigns: optionalList(strict<AccountCampaign>({ slug: optionalText, campaign_note: optionalText })),
  metadata: optionalList(strict<MetadataEntry>({ key: text, value: jsonObjectSchema })),
});

/** Schema of `ValidatedAccount`: any object. Loose: keeps undocumented fields. */
export const validatedAccountSchema = loose<ValidatedAccount>(echoesOf(accountSchema.shape));

// Optional: some deployments answer with import_supplier_code instead.
/** Schema of `StageAnswer`. Loose: keeps undocumented fields. */
export const stageAnswerSchema = loose<StageAnswer>({
  import_supplier: nullishText,
  external_account_number: text,
});
