/** Exports `maskPersonalData` and `MASK`, for the request log and the console. */

/**
 * Fields whose values are not personal. The strings and numbers of all other fields are masked, so that a new field is
 * masked by default.
 */
const SHOWN: ReadonlySet<string> = new Set(
  `account_contracts account_type accounts accounts_count addons agreements agreed_at amount applicable_at_date attr
   band batch_id bill_period_from_date bill_period_to_date billing_frequency business_contract_identifier business_type
   characteristic_code check_previously_added code consent_data created_at account_created_at customer_category
   day_of_month days detail document_path dry_run effective_from effective_to end_date error_detail errorCode exp
   external_account_number external_business_identifier fee_type frequency force_add_to_current_statement gross_amount
   guarantee_of_origin_percentage iat import_supplier import_supplier_code issued_date last_billed_to_date
   ledger_code location means message multiplier net_amount number_of_units operations_team_name override_value path
   payment_type period_start_day period_start_month price_per_unit product_code protection_from protection_to rate
   rate_band rate_group_code reason sales_channel sales_subchannel service_account_number service_business_id
   signed_at_date slug source start_date statement_id staged_at status strategy supply_start_date supply_type
   switch_status tariff_code tax_type term_type transaction_date transaction_id type unit_type units unpin_at
   valid_from valid_from_date valid_to value_taxed vendor`.split(/\s+/),
);

/** Fields with free content: everything in them is masked. */
const FREE: ReadonlySet<string> = new Set(['metadata', 'details']);

export const MASK = '•••';

/** Returns a copy with `•••` for personal data. Booleans, null and empty strings stay. */
export function maskPersonalData(value: unknown): unknown {
  return mask(value, false, false);
}

function mask(value: unknown, shown: boolean, free: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => mask(item, shown, free));
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        mask(inner, !free && SHOWN.has(name), free || FREE.has(name)),
      ]),
    );
  }
  if (shown || value === null || typeof value === 'boolean' || value === undefined || value === '') return value;
  return MASK;
}
