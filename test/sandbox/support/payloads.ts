/** Account payloads of both variants, as the document describes them, and the error that it shows. */
export const DOMESTIC = {
  external_account_number: '0001',
  import_supplier: 'SANDBOX_SUPPLIER',
  unknown_occupier: false,
  billing_address1: '1 Harbour Street',
  billing_address2: '',
  billing_postcode: '99001',
  last_billed_to_date: '2025-12-31',
  customers: [
    {
      title: 'Ms',
      given_name: 'Ines',
      family_name: 'Placeholder',
      email: 'ines@mail.example.com',
      mobile: '+33612345678',
      landline: '',
      date_of_birth: '1990-02-28',
      deceased: '',
      customer_preferences: { opted_into_updates: true, opted_into_sms: false },
    },
  ],
  supply_addresses: [
    {
      supply_address1: '1 Harbour Street',
      supply_postcode: '99001',
      customer_at_supply_address_from_date: '2020-05-01',
      supply_points: [
        {
          identifier: '01234567890123',
          supply_type: 'ELECTRICITY',
          supply_start_date: '2020-05-01',
          billing_frequency: 2,
          payment_schedules: [
            { amount: 45.5, day_of_month: 5, frequency: 'MONTHLY', means: 'DD', start_date: '2026-02-05' },
          ],
          payment_instructions: [
            { vendor: 'VENDOR', reference: 'R-1', type: 'DIRECT_DEBIT', valid_from: '2026-02-01' },
          ],
          agreements: [
            { tariff_code: 'T-1', agreed_at: '2025-12-01T10:00:00+02:00', effective_from: '2026-01-01', addons: [] },
          ],
          consent_data: { ELEC_CURVES: true, ELEC_INDEXES: false },
        },
      ],
    },
  ],
  notes: [{ body: 'Prefers letters.' }],
  metadata: [{ key: 'origin', value: { system: 'old', rank: 1 } }],
};

export const BUSINESS = {
  external_account_number: 'A-2',
  import_supplier: 'SANDBOX_SUPPLIER',
  account_type: 'BUSINESS',
  business: { business_type: 'LTD', siret: '12345678901234', business_contract_identifier: 'C-1' },
  account_contracts: [
    {
      identifier: 'AC-1',
      valid_from_date: '2026-01-01',
      versions: [
        {
          applicable_at_date: '2026-01-01',
          terms: [{ term_type: 'TERMINATION_FEE', amount: 100, supply_type: 'ELECTRICITY', fee_type: 'FLAT' }],
        },
      ],
    },
  ],
};

/** The business that declares the contract of BUSINESS. */
export const CONTRACT = {
  import_supplier_code: 'SANDBOX_SUPPLIER',
  external_business_identifier: 'B-1',
  business: { business_contracts: [{ identifier: 'C-1' }] },
};

export const LANDLINE = {
  detail: 'Expected a telephone number, best in international form such as +33612345678.',
  code: 'invalid_phone_number',
  attr: 'customers.0.landline',
};
