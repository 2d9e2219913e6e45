/** The account that is validated and staged: its supply addresses and supply points. */
import type { Chapter } from '../chapter.js';

export const supplyAddress: readonly Chapter[] = [
  {
    title: 'Account payload (validate and stage): supply addresses',
    rows: [
      {
        id: 'D61',
        says: 'Supply address: supply_address1..supply_address4 strings, supply_postcode string',
        checks: ['C3', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_address1',
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_address2',
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_address3',
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_address4',
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_postcode',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D62',
        says: 'customer_at_supply_address_from_date: date',
        checks: ['C3', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at supply_addresses.0.customer_at_supply_address_from_date',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D63',
        says: 'supply_points: array',
        checks: ['C3', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_points',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D64',
        says: 'Supply point: identifier string',
        checks: ['C3', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_points.0.identifier',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D65',
        says: 'supply_type: string (values ELECTRICITY and GAS)',
        checks: ['C3', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_points.0.supply_type',
          'closed: only the listed values pass > supply_type of a supply point takes',
          'closed: only the listed values pass > supply_type of a supply point refuses',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D66',
        says: 'supply_start_date date, billing_frequency integer',
        checks: ['C3', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_points.0.supply_start_date',
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_points.0.billing_frequency',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D67',
        says: 'Supply point: payment_schedules, payment_instructions, agreements, consent_data',
        checks: ['C3', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_points.0.payment_schedules',
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_points.0.payment_instructions',
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_points.0.agreements',
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_points.0.consent_data',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D68',
        says: 'payment_schedules item: amount number, day_of_month integer, start_date date',
        checks: ['C3', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_points.0.payment_schedules.0.amount',
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_points.0.payment_schedules.0.day_of_month',
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_points.0.payment_schedules.0.start_date',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D69',
        says: 'payment_schedules item: frequency string (value MONTHLY), means string (value DD)',
        checks: ['C3', 'E4', 'U7'],
        tests: [
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_points.0.payment_schedules.0.frequency',
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_points.0.payment_schedules.0.means',
          'U7 open: an undocumented value passes > schedule frequency',
          'U7 open: an undocumented value passes > schedule means',
          "U7 with 'refuse' documented values are accepted, and any value of a field without documented values",
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D70',
        says: 'payment_instructions item: vendor string (payment vendor code), reference string, valid_from date',
        checks: ['C3', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_points.0.payment_instructions.0.vendor',
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_points.0.payment_instructions.0.reference',
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_points.0.payment_instructions.0.valid_from',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D71',
        says: 'payment_instructions item: type string (value DIRECT_DEBIT)',
        checks: ['C3', 'E4', 'U7'],
        tests: [
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_points.0.payment_instructions.0.type',
          'U7 open: an undocumented value passes > instruction type',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D72',
        says: 'agreements item: tariff_code string, agreed_at datetime, effective_from date',
        checks: ['C3', 'E4'],
        tests: [
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_points.0.agreements.0.tariff_code',
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_points.0.agreements.0.agreed_at',
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_points.0.agreements.0.effective_from',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D73',
        says: 'agreements item: effective_to date (optional; omitted for an open-ended agreement)',
        checks: ['C3', 'E4', 'U9'],
        tests: [
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_points.0.agreements.0.effective_to',
          'Account > U9 does not require supply_addresses.0.supply_points.0.agreements.0.effective_to',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D74',
        says: 'agreements item: addons array of {band string} (optional)',
        checks: ['C3', 'E4', 'U9'],
        tests: [
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_points.0.agreements.0.addons',
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_points.0.agreements.0.addons.0.band',
          'Account > U9 does not require supply_addresses.0.supply_points.0.agreements.0.addons',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
      {
        id: 'D75',
        says: 'consent_data: object mapping consent name to boolean; names ELEC_CURVES, ELEC_INDEXES (electricity), GAS_INDEXES (gas)',
        checks: ['C3', 'E4', 'U7'],
        tests: [
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_points.0.consent_data',
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_points.0.consent_data.ELEC_CURVES',
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_points.0.consent_data.ELEC_INDEXES',
          'Account > C3 refuses a wrong value at supply_addresses.0.supply_points.1.consent_data.GAS_INDEXES',
          'U7 by default a value not listed at %s is taken, and the log marks it',
          'E4 a domestic and a business account are validated: the validated data are returned',
        ],
      },
    ],
    notChecked: [],
  },
];
