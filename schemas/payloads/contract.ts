/** A contract: `account_contracts` of a BUSINESS account and `business_contracts` of a business (spec: Contract). */
import * as z from 'zod';
import {
  type JsonValue,
  jsonValueSchema,
  keyedStrings,
  type OpenEnum,
  openEnum,
  optionalBoolean,
  optionalDate,
  optionalInteger,
  optionalList,
  optionalNumber,
  optionalText,
  strict,
} from '../fields.js';
import { CONTRACT_FREQUENCIES, DELAYER_STRATEGIES, FEE_TYPES, SUPPLY_TYPES } from '../values.js';

/** Additional entries about the contract; every value is a string. */
export interface ContractMetadataTerm {
  /** Discriminates this kind of term. */
  term_type: 'CONTRACT_METADATA';
  /** Names with strings. */
  metadata?: Record<string, string> | undefined;
}

/** Prices that replace those of the product, from a date on. */
export interface ProductRateOverrideScheduleTerm {
  /** Discriminates this kind of term. */
  term_type: 'PRODUCT_RATE_OVERRIDE_SCHEDULE';
  /** Prices by the date from which they apply. */
  schedules?: readonly ProductRateOverrideSchedule[] | undefined;
}

/** Prices from a date on. */
export interface ProductRateOverrideSchedule {
  /** YYYY-MM-DD */
  effective_from?: string | undefined;
  /** One price per rate band of a product. */
  items?: readonly ProductRateOverride[] | undefined;
}

/** The price of one rate band of a product. */
export interface ProductRateOverride {
  /** A decimal in a string, such as "0.1523". */
  price_per_unit?: string | undefined;
  /** Code of the rate band. */
  rate_band?: string | undefined;
  /** Code of the product. */
  product_code?: string | undefined;
}

/** The fee for leaving the contract early. */
export interface TerminationFeeTerm {
  /** Discriminates this kind of term. */
  term_type: 'TERMINATION_FEE';
  /** The fee; its unit is not documented. */
  amount?: number | undefined;
  /** The supply to which it applies. */
  supply_type?: OpenEnum<'ELECTRICITY' | 'GAS'> | undefined;
  /** Documented value: FLAT. */
  fee_type?: OpenEnum<'FLAT'> | undefined;
}

/** How often a bill is issued. */
export interface IssuanceFrequencyTerm {
  /** Discriminates this kind of term. */
  term_type: 'ISSUANCE_FREQUENCY';
  /** Documented value: MONTHLY. */
  frequency?: OpenEnum<'MONTHLY'> | undefined;
  /** An integer: a bill every `multiplier` periods. */
  multiplier?: number | undefined;
  /** An integer: day of the month. */
  period_start_day?: number | undefined;
  /** An integer: month of the year. */
  period_start_month?: number | undefined;
}

/** The share of energy that is covered by guarantees of origin. */
export interface GuaranteeOfOriginConfigurationTerm {
  /** Discriminates this kind of term. */
  term_type: 'GUARANTEE_OF_ORIGIN_CONFIGURATION';
  /** A number. Not documented: its bounds, and whether 1 or 100 stands for the whole. */
  guarantee_of_origin_percentage?: number | undefined;
  /** true where the share varies. */
  is_variable?: boolean | undefined;
}

/** Whether the contract is paid by direct debit. */
export interface PaysByDirectDebitTerm {
  /** Discriminates this kind of term. */
  term_type: 'PAYS_BY_DIRECT_DEBIT';
  /** true: by direct debit. */
  pays_by_direct_debit?: boolean | undefined;
}

/** Days until a payment is due. */
export interface DelayerDaysTerm {
  /** Discriminates this kind of term. */
  term_type: 'DELAYER_DAYS';
  /** Documented value: FIXED. */
  strategy?: OpenEnum<'FIXED'> | undefined;
  /** An integer. */
  days?: number | undefined;
}

/** Whether a group of rates applies, from a date on. */
export interface RateGroupEligibilityTerm {
  /** Discriminates this kind of term. */
  term_type: 'RATE_GROUP_ELIGIBILITY';
  /** The items are not documented: any JSON value. */
  time_series_specification_schedules?: readonly JsonValue[] | undefined;
  /** Rate groups by the date from which they apply. */
  schedules?: readonly RateGroupEligibilitySchedule[] | undefined;
}

/** Whether one rate group of a product applies, from a date on. */
export interface RateGroupEligibilitySchedule {
  /** When it begins. */
  effective_period?: EffectivePeriod | undefined;
  /** Code of the product. */
  product_code?: string | undefined;
  /** Code of the rate group. */
  rate_group_code?: string | undefined;
  /** true where it applies. */
  is_eligible?: boolean | undefined;
}

/** A period that has a beginning and no end. */
export interface EffectivePeriod {
  /** YYYY-MM-DD */
  start_date?: string | undefined;
}

/** Characteristics of the supply that the contract replaces. */
export interface CharacteristicOverrideTerm {
  /** Discriminates this kind of term. */
  term_type: 'CHARACTERISTIC_OVERRIDE';
  /** The characteristics that are replaced. */
  overrides?: readonly CharacteristicOverride[] | undefined;
}

/** A characteristic of the supply with the value that replaces it. */
export interface CharacteristicOverride {
  /** Code of the characteristic. */
  characteristic_code?: string | undefined;
  /** The replacing value, as a string. */
  override_value?: string | undefined;
}

/** One of the nine documented kinds of term, discriminated by `term_type`. */
export type ContractTerm =
  | ContractMetadataTerm
  | ProductRateOverrideScheduleTerm
  | TerminationFeeTerm
  | IssuanceFrequencyTerm
  | GuaranteeOfOriginConfigurationTerm
  | PaysByDirectDebitTerm
  | DelayerDaysTerm
  | RateGroupEligibilityTerm
  | CharacteristicOverrideTerm;

/** The terms as they are from a date on. */
export interface ContractVersion {
  /** YYYY-MM-DD */
  applicable_at_date?: string | undefined;
  /** Any number of terms, of any kinds. */
  terms?: readonly ContractTerm[] | undefined;
}

/** A contract with the versions of its terms (spec: Contract). */
export interface Contract {
  /**
   * The caller's identifier of the contract. An account's `business.business_contract_identifier` must equal the
   * identifier of one of the business's contracts.
   */
  identifier?: string | undefined;
  /** YYYY-MM-DD */
  valid_from_date?: string | undefined;
  /** YYYY-MM-DD */
  signed_at_date?: string | undefined;
  /** The terms by the date from which they apply. */
  versions?: readonly ContractVersion[] | undefined;
}

/** Schema of `ContractTerm`, discriminated by `term_type`. Strict: rejects undocumented fields. */
export const contractTermSchema = z.discriminatedUnion('term_type', [
  strict<ContractMetadataTerm>({
    term_type: z.literal('CONTRACT_METADATA'),
    metadata: keyedStrings.optional(),
  }),
  strict<ProductRateOverrideScheduleTerm>({
    term_type: z.literal('PRODUCT_RATE_OVERRIDE_SCHEDULE'),
    schedules: optionalList(
      strict<ProductRateOverrideSchedule>({
        effective_from: optionalDate,
        items: optionalList(
          strict<ProductRateOverride>({
            price_per_unit: optionalText,
            rate_band: optionalText,
            product_code: optionalText,
          }),
        ),
      }),
    ),
  }),
  strict<TerminationFeeTerm>({
    term_type: z.literal('TERMINATION_FEE'),
    amount: optionalNumber,
    supply_type: openEnum(SUPPLY_TYPES).optional(),
    fee_type: openEnum(FEE_TYPES).optional(),
  }),
  strict<IssuanceFrequencyTerm>({
    term_type: z.literal('ISSUANCE_FREQUENCY'),
    frequency: openEnum(CONTRACT_FREQUENCIES).optional(),
    multiplier: optionalInteger,
    period_start_day: optionalInteger,
    period_start_month: optionalInteger,
  }),
  strict<GuaranteeOfOriginConfigurationTerm>({
    term_type: z.literal('GUARANTEE_OF_ORIGIN_CONFIGURATION'),
    guarantee_of_origin_percentage: optionalNumber,
    is_variable: optionalBoolean,
  }),
  strict<PaysByDirectDebitTerm>({
    term_type: z.literal('PAYS_BY_DIRECT_DEBIT'),
    pays_by_direct_debit: optionalBoolean,
  }),
  strict<DelayerDaysTerm>({
    term_type: z.literal('DELAYER_DAYS'),
    strategy: openEnum(DELAYER_STRATEGIES).optional(),
    days: optionalInteger,
  }),
  strict<RateGroupEligibilityTerm>({
    term_type: z.literal('RATE_GROUP_ELIGIBILITY'),
    time_series_specification_schedules: optionalList(jsonValueSchema),
    schedules: optionalList(
      strict<RateGroupEligibilitySchedule>({
        effective_period: strict<EffectivePeriod>({ start_date: optionalDate }).optional(),
        product_code: optionalText,
        rate_group_code: optionalText,
        is_eligible: optionalBoolean,
      }),
    ),
  }),
  strict<CharacteristicOverrideTerm>({
    term_type: z.literal('CHARACTERISTIC_OVERRIDE'),
    overrides: optionalList(
      strict<CharacteristicOverride>({
        characteristic_code: optionalText,
        override_value: optionalText,
      }),
    ),
  }),
]);

/** Schema of `Contract`. Strict: rejects undocumented fields. */
export const contractSchema = strict<Contract>({
  identifier: optionalText,
  valid_from_date: optionalDate,
  signed_at_date: optionalDate,
  versions: optionalList(
    strict<ContractVersion>({
      applicable_at_date: optionalDate,
      terms: optionalList(contractTermSchema),
    }),
  ),
});
