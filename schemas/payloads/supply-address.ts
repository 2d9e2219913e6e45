/** Where energy is supplied: addresses, supply points and their four sub-objects (spec: Account payload). */
import * as z from 'zod';
import {
  type OpenEnum,
  openEnum,
  optionalBoolean,
  optionalDate,
  optionalDatetime,
  optionalInteger,
  optionalList,
  optionalNumber,
  optionalText,
  strict,
  text,
} from '../fields.js';
import { SCHEDULE_FREQUENCIES, SCHEDULE_MEANS, SUPPLY_POINT_INSTRUCTION_TYPES, SUPPLY_TYPES } from '../values.js';

/** A regular payment that was agreed with the customer. */
export interface PaymentSchedule {
  /** The amount of each payment; its unit is not documented. */
  amount?: number | undefined;
  /** An integer: day of the month. */
  day_of_month?: number | undefined;
  /** Documented value: MONTHLY. */
  frequency?: OpenEnum<'MONTHLY'> | undefined;
  /** How it is paid. Documented value: DD (direct debit). */
  means?: OpenEnum<'DD'> | undefined;
  /** YYYY-MM-DD */
  start_date?: string | undefined;
}

/** A payment method of the customer, held by a payment vendor. */
export interface SupplyPointPaymentInstruction {
  /** Payment vendor code. */
  vendor?: string | undefined;
  /** The vendor's reference of the instruction. */
  reference?: string | undefined;
  /** Documented value: DIRECT_DEBIT. */
  type?: OpenEnum<'DIRECT_DEBIT'> | undefined;
  /** YYYY-MM-DD */
  valid_from?: string | undefined;
}

/** A tariff that was agreed for the supply point. */
export interface Agreement {
  /** Code of the tariff. */
  tariff_code?: string | undefined;
  /** A datetime with Z or an offset such as 2023-05-01T10:30:00+02:00. */
  agreed_at?: string | undefined;
  /** YYYY-MM-DD */
  effective_from?: string | undefined;
  /** YYYY-MM-DD; left out for an open-ended agreement. */
  effective_to?: string | undefined;
  /** Additions to the tariff. */
  addons?: readonly AgreementAddon[] | undefined;
}

/** An addition to the tariff of an agreement. */
export interface AgreementAddon {
  /** Code of its rate band. */
  band?: string | undefined;
}

/** Which readings the customer allows to be collected: ELEC_CURVES and ELEC_INDEXES for electricity, GAS_INDEXES for gas. */
export interface ConsentData {
  /** Electricity: load curves. */
  ELEC_CURVES?: boolean | undefined;
  /** Electricity: meter readings. */
  ELEC_INDEXES?: boolean | undefined;
  /** Gas: meter readings. */
  GAS_INDEXES?: boolean | undefined;
  /** Undocumented consents. */
  [consent: string]: boolean | undefined;
}

/** A point at which electricity or gas is supplied (spec: Supply point). */
export interface SupplyPoint {
  /** Electricity or gas point id. A string: some begin with 0. */
  identifier?: string | undefined;
  /** What is supplied there. */
  supply_type?: 'ELECTRICITY' | 'GAS' | undefined;
  /** YYYY-MM-DD */
  supply_start_date?: string | undefined;
  /** An integer; its unit is not documented. */
  billing_frequency?: number | undefined;
  /** Regular payments that were agreed. */
  payment_schedules?: readonly PaymentSchedule[] | undefined;
  /** Payment methods that a payment vendor holds. */
  payment_instructions?: readonly SupplyPointPaymentInstruction[] | undefined;
  /** Agreed tariffs. */
  agreements?: readonly Agreement[] | undefined;
  /** Which readings may be collected. */
  consent_data?: ConsentData | undefined;
}

/** An address with its supply points (spec: Supply address). */
export interface SupplyAddress {
  /** First line. */
  supply_address1?: string | undefined;
  /** Second line. */
  supply_address2?: string | undefined;
  /** Third line. */
  supply_address3?: string | undefined;
  /** Fourth line. */
  supply_address4?: string | undefined;
  /** Postcode. */
  supply_postcode?: string | undefined;
  /** YYYY-MM-DD */
  customer_at_supply_address_from_date?: string | undefined;
  /** The supply points there. */
  supply_points?: readonly SupplyPoint[] | undefined;
}

/** Schema of `SupplyPoint`. Strict: rejects undocumented fields. */
export const supplyPointSchema = strict<SupplyPoint>({
  identifier: optionalText,
  supply_type: z.enum(SUPPLY_TYPES).optional(),
  supply_start_date: optionalDate,
  billing_frequency: optionalInteger,
  payment_schedules: optionalList(
    strict<PaymentSchedule>({
      amount: optionalNumber,
      day_of_month: optionalInteger,
      frequency: openEnum(SCHEDULE_FREQUENCIES).optional(),
      means: openEnum(SCHEDULE_MEANS).optional(),
      start_date: optionalDate,
    }),
  ),
  payment_instructions: optionalList(
    strict<SupplyPointPaymentInstruction>({
      vendor: optionalText,
      reference: optionalText,
      type: openEnum(SUPPLY_POINT_INSTRUCTION_TYPES).optional(),
      valid_from: optionalDate,
    }),
  ),
  agreements: optionalList(
    strict<Agreement>({
      tariff_code: optionalText,
      agreed_at: optionalDatetime,
      effective_from: optionalDate,
      effective_to: optionalDate,
      addons: optionalList(strict<AgreementAddon>({ band: optionalText })),
    }),
  ),
  consent_data: z.record(text, optionalBoolean).optional(),
});

/** Schema of `SupplyAddress`. Strict: rejects undocumented fields. */
export const supplyAddressSchema = strict<SupplyAddress>({
  supply_address1: optionalText,
  supply_address2: optionalText,
  supply_address3: optionalText,
  supply_address4: optionalText,
  supply_postcode: optionalText,
  customer_at_supply_address_from_date: optionalDate,
  supply_points: optionalList(supplyPointSchema),
});
