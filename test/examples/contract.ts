/** A contract with every documented field and all nine kinds of term (document: Contract). */
import type { Contract } from '../../schemas/index.js';

export const contract: Contract = {
  identifier: 'CONTRACT-0001',
  valid_from_date: '2023-06-01',
  signed_at_date: '2023-05-12',
  versions: [
    {
      applicable_at_date: '2023-06-01',
      terms: [
        { term_type: 'CONTRACT_METADATA', metadata: { broker: 'Courtage Exemple', channel: 'PHONE' } },
        {
          term_type: 'PRODUCT_RATE_OVERRIDE_SCHEDULE',
          schedules: [
            {
              effective_from: '2023-06-01',
              items: [
                { price_per_unit: '0.1523', rate_band: 'CONSUMPTION_PEAK', product_code: 'ELEC_FIXED_36M' },
                { price_per_unit: '0.1187', rate_band: 'CONSUMPTION_OFF_PEAK', product_code: 'ELEC_FIXED_36M' },
              ],
            },
          ],
        },
        { term_type: 'TERMINATION_FEE', amount: 150.5, supply_type: 'ELECTRICITY', fee_type: 'FLAT' },
        {
          term_type: 'ISSUANCE_FREQUENCY',
          frequency: 'MONTHLY',
          multiplier: 2,
          period_start_day: 1,
          period_start_month: 6,
        },
        {
          term_type: 'GUARANTEE_OF_ORIGIN_CONFIGURATION',
          guarantee_of_origin_percentage: 37.5,
          is_variable: false,
        },
        { term_type: 'PAYS_BY_DIRECT_DEBIT', pays_by_direct_debit: true },
        { term_type: 'DELAYER_DAYS', strategy: 'FIXED', days: 30 },
        {
          term_type: 'RATE_GROUP_ELIGIBILITY',
          time_series_specification_schedules: [],
          schedules: [
            {
              effective_period: { start_date: '2023-06-01' },
              product_code: 'ELEC_FIXED_36M',
              rate_group_code: 'CAPACITY',
              is_eligible: true,
            },
          ],
        },
        {
          term_type: 'CHARACTERISTIC_OVERRIDE',
          overrides: [{ characteristic_code: 'SUBSCRIBED_POWER', override_value: '36' }],
        },
      ],
    },
  ],
};
