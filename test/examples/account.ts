/** Accounts with every documented field of their variant (document: Account payload). The people are invented. */
import type { Account } from '../../schemas/index.js';
import { contract } from './contract.js';

export const domesticAccount: Account = {
  external_account_number: 'ACC-0001',
  import_supplier: 'SANDBOX_SUPPLIER',
  unknown_occupier: false,
  billing_address1: '12 rue des Lilas',
  billing_address2: 'Bâtiment B',
  billing_address3: '',
  billing_address4: '',
  billing_postcode: '69003',
  sales_channel: 'ACQUISITION',
  sales_subchannel: 'BOOK_2024',
  last_billed_to_date: '2024-02-29',
  customers: [
    {
      title: 'Mme',
      given_name: 'Camille',
      family_name: 'Exemple',
      email: 'camille.exemple@example.com',
      mobile: '+33612345678',
      landline: '',
      date_of_birth: '1984-02-29',
      deceased: '',
      customer_preferences: {
        opted_into_updates: true,
        opted_into_sms: false,
        opted_into_offers: false,
        opted_into_recommended: true,
      },
    },
    {
      title: 'M.',
      given_name: 'Andrea',
      family_name: 'Modèle',
      email: 'andrea.modele@example.com',
      mobile: '+33698765432',
      landline: '+33412345678',
      date_of_birth: '1979-11-03',
      deceased: '',
      customer_preferences: {
        opted_into_updates: true,
        opted_into_sms: true,
        opted_into_offers: true,
        opted_into_recommended: true,
      },
    },
  ],
  supply_addresses: [
    {
      supply_address1: '12 rue des Lilas',
      supply_address2: 'Bâtiment B',
      supply_address3: '',
      supply_address4: '',
      supply_postcode: '69003',
      customer_at_supply_address_from_date: '2019-07-01',
      supply_points: [
        {
          identifier: '01234567890123',
          supply_type: 'ELECTRICITY',
          supply_start_date: '2019-07-01',
          billing_frequency: 1,
          payment_schedules: [
            { amount: 62.5, day_of_month: 5, frequency: 'MONTHLY', means: 'DD', start_date: '2024-03-05' },
          ],
          payment_instructions: [
            {
              vendor: 'SANDBOX_VENDOR',
              reference: 'MANDATE-0001',
              type: 'DIRECT_DEBIT',
              valid_from: '2024-03-01',
            },
          ],
          agreements: [
            {
              tariff_code: 'ELEC_FIXED_12M',
              agreed_at: '2023-02-20T10:15:30+02:00',
              effective_from: '2023-03-01',
              effective_to: '2024-02-29',
              addons: [{ band: 'GREEN_OPTION' }],
            },
            { tariff_code: 'ELEC_VARIABLE', agreed_at: '2024-02-20T10:15:30Z', effective_from: '2024-03-01' },
          ],
          consent_data: { ELEC_CURVES: true, ELEC_INDEXES: true },
        },
        {
          identifier: '21234567890123',
          supply_type: 'GAS',
          supply_start_date: '2019-07-01',
          billing_frequency: 2,
          payment_schedules: [],
          payment_instructions: [],
          agreements: [
            { tariff_code: 'GAS_VARIABLE', agreed_at: '2024-02-20T10:15:30Z', effective_from: '2024-03-01' },
          ],
          consent_data: { GAS_INDEXES: false },
        },
      ],
    },
  ],
  statements: [
    {
      bill_period_from_date: '2024-01-01',
      bill_period_to_date: '2024-02-29',
      statement_path: '2024/ACC-0001-02.pdf',
      statement_id: 'STATEMENT-0001',
    },
  ],
  supplementary_ledgers: [
    {
      ledger_code: 'ENERGY_CHEQUES',
      energy_cheques: [
        {
          number: '000000012345',
          protection_from: '2023-11-01',
          protection_to: '2024-03-31',
          source: 'PAPER',
          asp_remittance_ref: 'ASP-2024-0007',
          amount: 150,
          valid_to: '2025-03-31',
          status: 'USED',
        },
      ],
    },
  ],
  notes: [
    {
      body: 'Prefers to be called in the evening.',
      document_paths: [{ document_path: '2024/ACC-0001-letter.pdf' }],
      created_at: '2024-02-01T18:30:00Z',
      is_pinned: true,
      unpin_at: '2024-12-31T00:00:00+01:00',
    },
  ],
  account_campaigns: [{ slug: 'book-2024', campaign_note: 'First wave.' }],
  metadata: [
    { key: 'legacy', value: { system: 'OLDCRM', score: 0.75, active: true, tags: ['a', 'b'], parent: null, more: {} } },
  ],
};

export const businessAccount: Account = {
  external_account_number: 'ACC-0002',
  import_supplier: 'SANDBOX_SUPPLIER',
  account_type: 'BUSINESS',
  business: {
    business_type: 'COMPANY',
    siret: '12345678900006',
    details: [
      { key: 'naf_code', value: '4711D' },
      { key: 'vat_number', value: 'FR00123456789' },
    ],
    business_contract_identifier: 'CONTRACT-0001',
  },
  unknown_occupier: false,
  billing_address1: '1 place du Marché',
  billing_address2: '',
  billing_address3: '',
  billing_address4: '',
  billing_postcode: '33000',
  sales_channel: 'BROKER',
  sales_subchannel: 'COURTAGE_EXEMPLE',
  last_billed_to_date: '2024-01-31',
  account_contracts: [contract],
  customers: [
    {
      title: 'M.',
      given_name: 'Dominique',
      family_name: 'Gabarit',
      email: 'dominique.gabarit@example.com',
      mobile: '+33611223344',
      landline: '+33512345678',
      date_of_birth: '1990-01-31',
      deceased: '',
      customer_preferences: {
        opted_into_updates: false,
        opted_into_sms: false,
        opted_into_offers: false,
        opted_into_recommended: false,
      },
    },
  ],
  supply_addresses: [
    {
      supply_address1: '1 place du Marché',
      supply_address2: '',
      supply_address3: '',
      supply_address4: '',
      supply_postcode: '33000',
      customer_at_supply_address_from_date: '2015-09-01',
      supply_points: [
        {
          identifier: '09876543210987',
          supply_type: 'ELECTRICITY',
          supply_start_date: '2023-06-01',
          billing_frequency: 1,
          payment_schedules: [],
          payment_instructions: [],
          agreements: [
            { tariff_code: 'ELEC_FIXED_36M', agreed_at: '2023-05-12T09:00:00+02:00', effective_from: '2023-06-01' },
          ],
          consent_data: { ELEC_CURVES: true, ELEC_INDEXES: true },
        },
      ],
    },
  ],
  statements: [],
  supplementary_ledgers: [],
  notes: [],
  account_campaigns: [],
  metadata: [],
};
