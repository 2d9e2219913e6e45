/**
 * The data of a sample account, with every part that the API specification defines. People, towns and supply points
 * are invented; telephone numbers are from the ranges reserved for fiction.
 */
import type { Account, Customer } from '../../../../schemas/payloads/account.js';
import type { HistoricalStatement } from '../../../../schemas/payloads/historical-statement.js';
import type { Note } from '../../../../schemas/payloads/note.js';
import type { SupplyAddress, SupplyPoint } from '../../../../schemas/payloads/supply-address.js';
import type { Transaction } from '../../../../schemas/payloads/transaction.js';
import type { AccountRecord } from '../../../validation/records/import-record.js';
import { contractFor, sampleContract, siretOf } from './business.js';
import { padded, type SeededRandom } from './seeded-random.js';

const GIVEN = ['Alix', 'Basile', 'Célia', 'Dorian', 'Élise', 'Florian', 'Garance', 'Hugo', 'Inès', 'Jules'] as const;
const FAMILY = ['Arbois', 'Brumelle', 'Castagnol', 'Dorval', 'Estrelin', 'Fontrive', 'Gardelle', 'Hautmont'] as const;
const STREETS = ['rue des Essais', 'avenue du Modèle', 'place de la Maquette', 'chemin du Brouillon'] as const;
const TOWNS = [
  { postcode: '99101', town: 'Essai-sur-Brume' },
  { postcode: '99230', town: 'Maquette-les-Bains' },
  { postcode: '99440', town: 'Saint-Modèle' },
] as const;

/** Every fifth account is one of a business. */
const BUSINESS_EVERY = 5;

export function accountNumber(index: number): string {
  return `A-${padded(index + 1, 7)}`;
}

/** `businesses`: how many the input has. */
export function sampleAccount(supplier: string, businesses: number, index: number, chance: SeededRandom): Account {
  const number = accountNumber(index);
  const isBusiness = index % BUSINESS_EVERY === BUSINESS_EVERY - 1;
  const { postcode, town } = chance.pick(TOWNS);
  const street = `${chance.whole(1, 99)} ${chance.pick(STREETS)}`;
  return {
    external_account_number: number,
    import_supplier: supplier,
    ...(isBusiness && ofBusiness(Math.floor(index / BUSINESS_EVERY), businesses, number, chance)),
    unknown_occupier: false,
    billing_address1: street,
    billing_address2: chance.next() < 0.3 ? `Bâtiment ${chance.pick(['A', 'B', 'C'])}` : '',
    billing_address3: town,
    billing_address4: '',
    billing_postcode: postcode,
    sales_channel: 'MIGRATION',
    sales_subchannel: chance.pick(['WEB', 'TELEPHONE', 'SHOP']),
    last_billed_to_date: '2025-12-31',
    customers: [sampleCustomer(index, chance)],
    supply_addresses: [sampleSupplyAddress(index, { street, town, postcode }, chance)],
    statements: [
      {
        bill_period_from_date: '2025-11-01',
        bill_period_to_date: '2025-11-30',
        statement_path: `/statements/${number}/2025-11.pdf`,
        statement_id: `${number}-2025-11`,
      },
    ],
    ...(index % 8 === 0 && { supplementary_ledgers: [sampleLedger(index)] }),
    notes: [{ body: `Former contract ${padded(chance.whole(1, 999_999), 6)}.`, created_at: '2025-12-15T08:30:00Z' }],
    ...(index % 3 === 0 && { account_campaigns: [{ slug: 'winter-2025', campaign_note: 'Asked for paper bills.' }] }),
    metadata: [{ key: 'legacy', value: { system: 'old-billing', row: index + 1, checked: true } }],
  };
}

function ofBusiness(account: number, businesses: number, number: string, chance: SeededRandom): Partial<Account> {
  const { business, identifier } = contractFor(account, businesses);
  return {
    account_type: 'BUSINESS',
    business: {
      business_type: 'COMPANY',
      siret: siretOf(business),
      details: [{ key: 'site', value: `Site ${account + 1}` }],
      business_contract_identifier: identifier,
    },
    account_contracts: [sampleContract(`${identifier}-${number}`, chance)],
  };
}

function sampleCustomer(index: number, chance: SeededRandom): Customer {
  return {
    title: chance.pick(['M.', 'Mme', '']),
    given_name: chance.pick(GIVEN),
    family_name: chance.pick(FAMILY),
    email: `customer.${index + 1}@example.com`,
    mobile: `+3363998${padded(chance.whole(0, 9999), 4)}`,
    landline: chance.next() < 0.5 ? '' : `+3319900${padded(chance.whole(0, 9999), 4)}`,
    date_of_birth: `19${chance.whole(40, 99)}-${padded(chance.whole(1, 12), 2)}-${padded(chance.whole(1, 28), 2)}`,
    deceased: '',
    customer_preferences: {
      opted_into_updates: true,
      opted_into_sms: chance.next() < 0.5,
      opted_into_offers: chance.next() < 0.3,
      opted_into_recommended: chance.next() < 0.2,
    },
  };
}

function sampleSupplyAddress(
  index: number,
  { street, town, postcode }: { street: string; town: string; postcode: string },
  chance: SeededRandom,
): SupplyAddress {
  const points: SupplyPoint['supply_type'][] = chance.next() < 0.3 ? ['ELECTRICITY', 'GAS'] : ['ELECTRICITY'];
  return {
    supply_address1: street,
    supply_address2: '',
    supply_address3: town,
    supply_address4: '',
    supply_postcode: postcode,
    customer_at_supply_address_from_date: '2023-05-01',
    supply_points: points.map((type) => sampleSupplyPoint(type, index, chance)),
  };
}

function sampleSupplyPoint(type: SupplyPoint['supply_type'], index: number, chance: SeededRandom): SupplyPoint {
  const isGas = type === 'GAS';
  return {
    // Fourteen characters, in a range that no grid has.
    identifier: `${isGas ? '009' : '000'}${padded(index + 1, 11)}`,
    supply_type: type,
    supply_start_date: '2023-05-01',
    billing_frequency: chance.pick([1, 2, 6]),
    payment_schedules: [
      {
        amount: chance.whole(25, 180),
        day_of_month: chance.whole(1, 28),
        frequency: 'MONTHLY',
        means: 'DD',
        start_date: '2026-02-01',
      },
    ],
    payment_instructions: [
      {
        vendor: 'VENDOR-1',
        reference: `MANDATE-${isGas ? 'G' : 'E'}-${padded(index + 1, 7)}`,
        type: 'DIRECT_DEBIT',
        valid_from: '2023-05-01',
      },
    ],
    agreements: [
      {
        tariff_code: 'FIX-2024',
        agreed_at: '2023-04-20T10:30:00+02:00',
        effective_from: '2023-05-01',
        effective_to: '2025-05-31',
      },
      {
        tariff_code: isGas ? 'GAS-FIX-2025' : 'ELEC-FIX-2025',
        agreed_at: '2025-05-20T10:30:00+02:00',
        effective_from: '2025-06-01',
        ...(!isGas && { addons: [{ band: 'GREEN' }] }),
      },
    ],
    consent_data: isGas ? { GAS_INDEXES: true } : { ELEC_INDEXES: true, ELEC_CURVES: chance.next() < 0.5 },
  };
}

function sampleLedger(index: number) {
  return {
    ledger_code: 'ENERGY_CHEQUES',
    energy_cheques: [
      {
        number: padded(index + 1, 12),
        protection_from: '2025-11-01',
        protection_to: '2026-03-31',
        source: 'PAPER',
        asp_remittance_ref: `ASP-${padded(index + 1, 7)}`,
        amount: 15_000,
        valid_to: '2026-03-31',
        status: 'RECEIVED',
      },
    ],
  };
}

/** What is added to the account after its import. */
export function sampleAdded(index: number, chance: SeededRandom): Omit<AccountRecord, 'account'> {
  const number = accountNumber(index);
  return {
    notes: sampleNotes(number, chance),
    ...(index % 2 === 0 && { transactions: sampleTransactions(number, chance) }),
    ...(index % 3 === 0 && { statements: [sampleStatement(number, chance)] }),
    ...(index % 4 === 0 && {
      payment_instruction: { vendor: 'VENDOR-1', reference: `CARD-${number}`, type: 'CARD' },
    }),
  };
}

function sampleNotes(number: string, chance: SeededRandom): Note[] {
  const moved: Note = { body: `Moved from the former supplier, file ${number}.`, created_at: '2026-01-10T08:00:00Z' };
  if (chance.next() < 0.8) return [moved];
  return [
    moved,
    {
      body: 'Call back before the first bill.',
      document_paths: [{ document_path: `/letters/${number}/2025-12-18.pdf` }],
      created_at: '2026-01-11T14:05:00Z',
      is_pinned: true,
      unpin_at: '2026-03-01T00:00:00Z',
    },
  ];
}

function sampleTransactions(number: string, chance: SeededRandom): Transaction[] {
  const transaction_date = '2026-01-05';
  const units = [chance.whole(20, 90), chance.whole(20, 90), chance.whole(20, 90), chance.whole(20, 90)];
  const used = units.reduce((sum, day) => sum + day, 0);
  const net = cents(used * 0.15);
  const tax = cents(net * 0.2);
  return [
    {
      type: 'CHARGE',
      transaction_id: `${number}-1`,
      transaction_date,
      amount: chance.whole(100, 9000) / 100,
      reason: 'IMPORTED_CHARGE',
      display_note: 'Balance of your former account',
    },
    { type: 'CREDIT', transaction_id: `${number}-2`, transaction_date, amount: 10, reason: 'IMPORTED_CREDIT' },
    // Before the open statement period: the service moves it inside and pins a note.
    {
      type: 'PAYMENT',
      transaction_id: `${number}-3`,
      transaction_date: '2025-12-20',
      amount: chance.whole(25, 180),
      payment_type: 'DD_REGULAR_COLLECTION',
      reference: `DD-${number}`,
    },
    {
      type: 'REPAYMENT',
      transaction_id: `${number}-4`,
      transaction_date,
      amount: 5.25,
      payment_type: 'DIRECT_CREDIT',
      reference: `RF-${number}`,
      note: 'Paid too much in December.',
    },
    {
      type: 'SUPPLY_CHARGE',
      transaction_id: `${number}-5`,
      transaction_date,
      amount: cents(net + tax),
      product_code: 'ELEC-FIX',
      line_items: [
        {
          rate_band: 'BASE',
          start_date: '2026-01-01',
          end_date: '2026-01-04',
          number_of_units: used,
          net_amount: net,
          price_per_unit: 0.15,
          units,
        },
      ],
      tax_items: [{ amount: tax, tax_type: 'VAT', value_taxed: net, rate: 0.2, unit_type: 'PROPORTION' }],
    },
  ];
}

function sampleStatement(number: string, chance: SeededRandom): HistoricalStatement {
  return {
    bill_period_from_date: '2025-12-01',
    bill_period_to_date: '2025-12-31',
    statement_id: `${number}-2025-12`,
    issued_date: '2026-01-02',
    number: `F-${number}`,
    // In cents.
    gross_amount: chance.whole(2500, 18_000),
    statement_path: `/statements/${number}/2025-12.pdf`,
  };
}

function cents(amount: number): number {
  return Math.round(amount * 100) / 100;
}
