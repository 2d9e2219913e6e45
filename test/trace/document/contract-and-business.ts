/** Contracts with their nine terms, and the business that has them. */
import type { Chapter } from '../chapter.js';

export const contractAndBusiness: readonly Chapter[] = [
  {
    title: 'Contract (account_contracts item and business_contracts item)',
    rows: [
      {
        id: 'D76',
        says: 'Fields: valid_from_date date, signed_at_date date, identifier string',
        checks: ['C3', 'E2'],
        tests: [
          'Contract > C3 refuses a wrong value at valid_from_date',
          'Contract > C3 refuses a wrong value at signed_at_date',
          'Contract > C3 refuses a wrong value at identifier',
          'E2 a business with all nine terms is created',
        ],
      },
      {
        id: 'D77',
        says: 'versions: array of {applicable_at_date date, terms array}',
        checks: ['C3', 'E2'],
        tests: [
          'Contract > C3 refuses a wrong value at versions',
          'Contract > C3 refuses a wrong value at versions.0.applicable_at_date',
          'Contract > C3 refuses a wrong value at versions.0.terms',
          'E2 a business with all nine terms is created',
        ],
      },
      {
        id: 'D78',
        says: 'Each term has term_type and type-specific fields.',
        checks: ['C3', 'C4'],
        tests: [
          'Contract > C3 refuses a wrong value at versions.0.terms.0.term_type',
          'a term has only the fields of its term_type > %s refuses %s',
          'C4 a term must be one of the nine, with its own fields',
        ],
      },
      {
        id: 'D79',
        says: 'CONTRACT_METADATA: metadata object of string entries',
        checks: ['C3', 'E2'],
        tests: [
          'Contract > C3 refuses a wrong value at versions.0.terms.0.metadata',
          'Contract > C3 refuses a wrong value at versions.0.terms.0.metadata.broker',
          'closed: only the listed values pass > term_type takes CONTRACT_METADATA',
          'E2 a business with all nine terms is created',
        ],
      },
      {
        id: 'D80',
        says: 'PRODUCT_RATE_OVERRIDE_SCHEDULE: schedules array of {effective_from date, items array of {price_per_unit string, rate_band string, product_code string}}',
        checks: ['C3', 'E2'],
        tests: [
          'Contract > C3 refuses a wrong value at versions.0.terms.1.schedules',
          'Contract > C3 refuses a wrong value at versions.0.terms.1.schedules.0.effective_from',
          'Contract > C3 refuses a wrong value at versions.0.terms.1.schedules.0.items',
          'Contract > C3 refuses a wrong value at versions.0.terms.1.schedules.0.items.0.price_per_unit',
          'Contract > C3 refuses a wrong value at versions.0.terms.1.schedules.0.items.0.rate_band',
          'Contract > C3 refuses a wrong value at versions.0.terms.1.schedules.0.items.0.product_code',
          'closed: only the listed values pass > term_type takes PRODUCT_RATE_OVERRIDE_SCHEDULE',
          'E2 a business with all nine terms is created',
        ],
      },
      {
        id: 'D81',
        says: 'TERMINATION_FEE: amount number, supply_type string, fee_type string (value FLAT)',
        checks: ['C3', 'E2', 'U7'],
        tests: [
          'Contract > C3 refuses a wrong value at versions.0.terms.2.amount',
          'Contract > C3 refuses a wrong value at versions.0.terms.2.supply_type',
          'Contract > C3 refuses a wrong value at versions.0.terms.2.fee_type',
          'closed: only the listed values pass > term_type takes TERMINATION_FEE',
          'U7 open: an undocumented value passes > fee_type',
          'E2 a business with all nine terms is created',
        ],
      },
      {
        id: 'D82',
        says: 'ISSUANCE_FREQUENCY: frequency string (value MONTHLY), multiplier integer, period_start_day integer, period_start_month integer',
        checks: ['C3', 'E2', 'U7'],
        tests: [
          'Contract > C3 refuses a wrong value at versions.0.terms.3.frequency',
          'Contract > C3 refuses a wrong value at versions.0.terms.3.multiplier',
          'Contract > C3 refuses a wrong value at versions.0.terms.3.period_start_day',
          'Contract > C3 refuses a wrong value at versions.0.terms.3.period_start_month',
          'closed: only the listed values pass > term_type takes ISSUANCE_FREQUENCY',
          'U7 open: an undocumented value passes > issuance frequency',
          'E2 a business with all nine terms is created',
        ],
      },
      {
        id: 'D83',
        says: 'GUARANTEE_OF_ORIGIN_CONFIGURATION: guarantee_of_origin_percentage number, is_variable boolean',
        checks: ['C3', 'E2'],
        tests: [
          'Contract > C3 refuses a wrong value at versions.0.terms.4.guarantee_of_origin_percentage',
          'Contract > C3 refuses a wrong value at versions.0.terms.4.is_variable',
          'closed: only the listed values pass > term_type takes GUARANTEE_OF_ORIGIN_CONFIGURATION',
          'E2 a business with all nine terms is created',
        ],
      },
      {
        id: 'D84',
        says: 'PAYS_BY_DIRECT_DEBIT: pays_by_direct_debit boolean',
        checks: ['C3', 'E2'],
        tests: [
          'Contract > C3 refuses a wrong value at versions.0.terms.5.pays_by_direct_debit',
          'closed: only the listed values pass > term_type takes PAYS_BY_DIRECT_DEBIT',
          'E2 a business with all nine terms is created',
        ],
      },
      {
        id: 'D85',
        says: 'DELAYER_DAYS: strategy string (value FIXED), days integer',
        checks: ['C3', 'E2', 'U7'],
        tests: [
          'Contract > C3 refuses a wrong value at versions.0.terms.6.strategy',
          'Contract > C3 refuses a wrong value at versions.0.terms.6.days',
          'closed: only the listed values pass > term_type takes DELAYER_DAYS',
          'U7 open: an undocumented value passes > delayer strategy',
          'E2 a business with all nine terms is created',
        ],
      },
      {
        id: 'D86',
        says: 'RATE_GROUP_ELIGIBILITY: time_series_specification_schedules array, schedules array of {effective_period {start_date date}, product_code string, rate_group_code string, is_eligible boolean}',
        checks: ['C3', 'E2'],
        tests: [
          'Contract > C3 refuses a wrong value at versions.0.terms.7.time_series_specification_schedules',
          'Contract > C3 refuses a wrong value at versions.0.terms.7.schedules',
          'Contract > C3 refuses a wrong value at versions.0.terms.7.schedules.0.effective_period',
          'Contract > C3 refuses a wrong value at versions.0.terms.7.schedules.0.effective_period.start_date',
          'Contract > C3 refuses a wrong value at versions.0.terms.7.schedules.0.product_code',
          'Contract > C3 refuses a wrong value at versions.0.terms.7.schedules.0.rate_group_code',
          'Contract > C3 refuses a wrong value at versions.0.terms.7.schedules.0.is_eligible',
          'closed: only the listed values pass > term_type takes RATE_GROUP_ELIGIBILITY',
          'E2 a business with all nine terms is created',
        ],
      },
      {
        id: 'D87',
        says: 'CHARACTERISTIC_OVERRIDE: overrides array of {characteristic_code string, override_value string}',
        checks: ['C3', 'E2'],
        tests: [
          'Contract > C3 refuses a wrong value at versions.0.terms.8.overrides',
          'Contract > C3 refuses a wrong value at versions.0.terms.8.overrides.0.characteristic_code',
          'Contract > C3 refuses a wrong value at versions.0.terms.8.overrides.0.override_value',
          'closed: only the listed values pass > term_type takes CHARACTERISTIC_OVERRIDE',
          'E2 a business with all nine terms is created',
        ],
      },
    ],
    notChecked: [],
  },
  {
    title: 'Business payload (create business)',
    rows: [
      {
        id: 'D88',
        says: 'import_supplier_code string, external_business_identifier string',
        checks: ['C3', 'E2', 'U9'],
        tests: [
          'BusinessPayload > C3 refuses a wrong value at import_supplier_code',
          'BusinessPayload > C3 refuses a wrong value at external_business_identifier',
          'BusinessPayload > U9 requires the fields that the rules or the shape require',
          'E2 a business with all nine terms is created',
        ],
      },
      {
        id: 'D89',
        says: 'business: object; business_type string, company_name string, siret string',
        checks: ['C3', 'E2'],
        tests: [
          'BusinessPayload > C3 refuses a wrong value at business',
          'BusinessPayload > C3 refuses a wrong value at business.business_type',
          'BusinessPayload > C3 refuses a wrong value at business.company_name',
          'BusinessPayload > C3 refuses a wrong value at business.siret',
          'E2 a business with all nine terms is created',
        ],
      },
      {
        id: 'D90',
        says: 'business.details: array of {key, value strings}',
        checks: ['C3', 'E2'],
        tests: [
          'BusinessPayload > C3 refuses a wrong value at business.details',
          'BusinessPayload > C3 refuses a wrong value at business.details.0.key',
          'BusinessPayload > C3 refuses a wrong value at business.details.0.value',
          'E2 business: the business is stored with all its contracts',
        ],
      },
      {
        id: 'D91',
        says: 'business.business_contracts: array of Contract',
        checks: ['C3', 'E2'],
        tests: [
          'BusinessPayload > C3 refuses a wrong value at business.business_contracts',
          'E2 business: an invalid one is 400 with the path of the invalid field',
          'E2 business: the business is stored with all its contracts',
        ],
      },
      {
        id: 'D92',
        says: 'Business uniqueness is established by the external business identifier combined with key attributes (name, number, type).',
        checks: ['E2', 'U20'],
        tests: [
          'E2 business: the same identifier, name, number and type again is 400 (U20)',
          'E2 business: the same identifier with another key attribute %j is another business',
          "U20 with 'same-id' it is answered as before, and changes nothing; another business is another one",
        ],
      },
    ],
    notChecked: [],
  },
];
