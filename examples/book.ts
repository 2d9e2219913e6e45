/**
 * A sample book: businesses and accounts as a supplier would export them, from a seed. A dozen accounts carry a
 * mistake on purpose; `mistake` says which. All people and companies are invented.
 */
import type {
  Account,
  Business,
  ContractTerm,
  HistoricalStatement,
  Note,
  PaymentInstruction,
  Transaction,
} from 'data-import-sdk';

export interface BookAccount {
  account: Account;
  team: string;
  notes: Note[];
  transactions: Transaction[];
  statements: HistoricalStatement[];
  paymentInstruction: Omit<PaymentInstruction, 'import_supplier' | 'external_account_number'> | undefined;
  /** What was made wrong on purpose. */
  mistake: string | undefined;
}

export interface Book {
  businesses: Business[];
  accounts: BookAccount[];
}

export interface BookOptions {
  seed: number;
  accounts: number;
  supplier: string;
  team: string;
}

const GIVEN = ['Alix', 'Basile', 'Célia', 'Dorian', 'Élise', 'Florian', 'Garance', 'Hugo', 'Inès', 'Jules'];
const FAMILY = ['Arbois', 'Brumelle', 'Castagnol', 'Dorval', 'Estrelin', 'Fontrive', 'Gardelle', 'Hautmont'];
const STREETS = ['rue des Essais', 'avenue du Modèle', 'place de la Maquette', 'chemin du Brouillon'];
const TOWNS = [
  { postcode: '75011', town: 'Paris' },
  { postcode: '69003', town: 'Lyon' },
  { postcode: '31000', town: 'Toulouse' },
];
const SIRETS = ['73282932000074', '55210055400013', '40483304800022'];

export function sampleBook({ seed, accounts, supplier, team }: BookOptions): Book {
  const random = randomNumbers(seed);
  const businesses = SIRETS.map((siret, index) => sampleBusiness(supplier, siret, index));
  const book = Array.from({ length: accounts }, (_, index) => sampleAccount(random, supplier, team, index));
  const step = Math.max(1, Math.floor(accounts / MISTAKES.length));
  for (const [index, makeMistake] of MISTAKES.entries()) {
    const victim = book[index * step];
    if (victim !== undefined) victim.mistake = makeMistake(victim);
  }
  return { businesses, accounts: book };
}

function sampleBusiness(supplier: string, siret: string, index: number): Business {
  return {
    import_supplier_code: supplier,
    external_business_identifier: `BUS-${index + 1}`,
    business: {
      business_type: 'COMPANY',
      company_name: `${FAMILY[index]} & Fils (invented)`,
      siret,
      details: [{ key: 'sector', value: 'bakery' }],
      business_contracts: [
        {
          identifier: `CONTRACT-${index + 1}`,
          signed_at_date: '2025-05-20',
          valid_from_date: '2025-06-01',
          versions: [{ applicable_at_date: '2025-06-01', terms: ALL_TERMS }],
        },
      ],
    },
  };
}

const ALL_TERMS: ContractTerm[] = [
  { term_type: 'CONTRACT_METADATA', metadata: { channel: 'tender' } },
  {
    term_type: 'PRODUCT_RATE_OVERRIDE_SCHEDULE',
    schedules: [
      {
        effective_from: '2025-06-01',
        items: [{ price_per_unit: '0.1523', rate_band: 'BASE', product_code: 'ELEC-FIX' }],
      },
    ],
  },
  { term_type: 'TERMINATION_FEE', amount: 150, supply_type: 'ELECTRICITY', fee_type: 'FLAT' },
  { term_type: 'ISSUANCE_FREQUENCY', frequency: 'MONTHLY', multiplier: 1, period_start_day: 1, period_start_month: 1 },
  { term_type: 'GUARANTEE_OF_ORIGIN_CONFIGURATION', guarantee_of_origin_percentage: 100, is_variable: false },
  { term_type: 'PAYS_BY_DIRECT_DEBIT', pays_by_direct_debit: true },
  { term_type: 'DELAYER_DAYS', strategy: 'FIXED', days: 14 },
  {
    term_type: 'RATE_GROUP_ELIGIBILITY',
    time_series_specification_schedules: [],
    schedules: [
      {
        effective_period: { start_date: '2025-06-01' },
        product_code: 'ELEC-FIX',
        rate_group_code: 'STANDARD',
        is_eligible: true,
      },
    ],
  },
  {
    term_type: 'CHARACTERISTIC_OVERRIDE',
    overrides: [{ characteristic_code: 'INVOICE_LANGUAGE', override_value: 'fr' }],
  },
];

function sampleAccount(random: () => number, supplier: string, team: string, index: number): BookAccount {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const number = `A-${String(index + 1).padStart(6, '0')}`;
  const isBusiness = index % 5 === 4;
  const given = pick(GIVEN);
  const family = pick(FAMILY);
  const { postcode, town } = pick(TOWNS);
  const street = `${1 + Math.floor(random() * 99)} ${pick(STREETS)}`;
  const gas = random() < 0.3;
  const account: Account = {
    external_account_number: number,
    import_supplier: supplier,
    ...(isBusiness && {
      account_type: 'BUSINESS',
      business: {
        business_type: 'COMPANY',
        siret: pick(SIRETS),
        business_contract_identifier: `CONTRACT-${1 + (index % 3)}`,
      },
    }),
    billing_address1: street,
    billing_address2: '',
    billing_address3: town,
    billing_postcode: postcode,
    sales_channel: 'MIGRATION',
    last_billed_to_date: '2025-12-31',
    customers: [
      {
        title: '',
        given_name: given,
        family_name: family,
        email: `customer.${index + 1}@example.com`,
        mobile: `+336${String(10_000_000 + Math.floor(random() * 89_999_999))}`,
        landline: '',
        date_of_birth: `19${50 + Math.floor(random() * 49)}-0${1 + Math.floor(random() * 9)}-15`,
        customer_preferences: { opted_into_updates: true, opted_into_offers: random() < 0.5 },
      },
    ],
    supply_addresses: [
      {
        supply_address1: street,
        supply_address3: town,
        supply_postcode: postcode,
        customer_at_supply_address_from_date: '2023-05-01',
        supply_points: [
          {
            identifier: `0${String(1_000_000_000_000 + index * 7)}`,
            supply_type: gas ? 'GAS' : 'ELECTRICITY',
            supply_start_date: '2023-05-01',
            billing_frequency: 1,
            payment_schedules: [
              { amount: 60, day_of_month: 5, frequency: 'MONTHLY', means: 'DD', start_date: '2026-02-05' },
            ],
            agreements: [
              { tariff_code: 'FIX-2025', agreed_at: '2025-05-20T10:30:00+02:00', effective_from: '2025-06-01' },
            ],
            consent_data: gas ? { GAS_INDEXES: true } : { ELEC_INDEXES: true, ELEC_CURVES: random() < 0.5 },
          },
        ],
      },
    ],
    metadata: [{ key: 'legacy', value: { system: 'old-billing', row: index + 1 } }],
  };
  return {
    account,
    team,
    notes: [{ body: `Moved from the former supplier, file ${number}.`, created_at: '2026-01-10T08:00:00Z' }],
    transactions: index % 2 === 0 ? sampleTransactions(number) : [],
    statements: index % 3 === 0 ? [sampleStatement(number)] : [],
    paymentInstruction:
      index % 4 === 0 ? { vendor: 'VENDOR-1', reference: flakyOnce(index, number), type: 'CARD' } : undefined,
    mistake: undefined,
  };
}

/** Some references make the sandbox's payment vendor fail once, as real ones do; the client's retry gets them through. */
function flakyOnce(index: number, number: string): string {
  return index % 20 === 0 ? 'sbx-vendor-flaky-1' : `CARD-${number}`;
}

function sampleTransactions(number: string): Transaction[] {
  const date = '2026-01-05';
  return [
    { type: 'CHARGE', transaction_id: `${number}-1`, transaction_date: date, amount: 24.5, reason: 'IMPORTED_CHARGE' },
    { type: 'CREDIT', transaction_id: `${number}-2`, transaction_date: date, amount: 10, reason: 'IMPORTED_CREDIT' },
    // Before the open period: the service moves it inside and pins a note.
    {
      type: 'PAYMENT',
      transaction_id: `${number}-3`,
      transaction_date: '2025-12-20',
      amount: 60,
      payment_type: 'DD_REGULAR_COLLECTION',
      reference: `DD-${number}`,
    },
    {
      type: 'REPAYMENT',
      transaction_id: `${number}-4`,
      transaction_date: date,
      amount: 5.25,
      payment_type: 'DIRECT_CREDIT',
      reference: `RF-${number}`,
    },
    {
      type: 'SUPPLY_CHARGE',
      transaction_id: `${number}-5`,
      transaction_date: date,
      amount: 36.6,
      product_code: 'ELEC-FIX',
      line_items: [
        {
          rate_band: 'BASE',
          start_date: '2026-01-01',
          end_date: '2026-01-04',
          number_of_units: 200,
          net_amount: 30.5,
          price_per_unit: 0.1525,
          units: [50, 50, 50, 50],
        },
      ],
      tax_items: [{ amount: 6.1, tax_type: 'VAT', value_taxed: 30.5, rate: 0.2, unit_type: 'PROPORTION' }],
    },
  ];
}

function sampleStatement(number: string): HistoricalStatement {
  return {
    bill_period_from_date: '2025-12-01',
    bill_period_to_date: '2025-12-31',
    statement_id: `${number}-2025-12`,
    issued_date: '2026-01-02',
    number: `F-${number}`,
    gross_amount: 6000,
    statement_path: `/statements/${number}/2025-12.pdf`,
  };
}

/** What goes wrong in real exports. Each changes one account and says what it did. */
const MISTAKES: readonly ((victim: BookAccount) => string)[] = [
  ({ account }) => set(account.customers?.[0], 'landline', 'ask at the desk', 'landline is no telephone number'),
  ({ account }) => set(account.customers?.[0], 'mobile', '0612345678', 'mobile not in international form'),
  ({ account }) => set(account.customers?.[0], 'date_of_birth', '1990-02-30', 'birthday that no calendar has'),
  ({ account }) => set(account, 'last_billed_to_date', '31/12/2025', 'date in another notation'),
  ({ account }) => set(account, 'biling_postcode', '75011', 'misspelt field'),
  ({ account }) =>
    set(account.supply_addresses?.[0]?.supply_points?.[0], 'supply_type', 'WATER', 'unknown supply type'),
  ({ account }) =>
    set(account.supply_addresses?.[0]?.supply_points?.[0], 'identifier', 1_000_000, 'point id as a number'),
  ({ account }) => set(account.customers?.[0], 'email', null, 'null where a field should be left out'),
  ({ account }) => set(account, 'notes', [{ is_pinned: true }], 'note without content'),
  ({ account }) => set(account, 'import_supplier', 'OTHER_SUPPLIER', 'supplier that the platform does not know'),
  ({ account }) => {
    account.account_type = 'BUSINESS';
    return set(account, 'business', { business_contract_identifier: 'CONTRACT-99' }, 'contract that no business has');
  },
  (victim) => set(victim, 'team', 'NIGHT_SHIFT', 'team that the platform does not know'),
];

// The types forbid most of these mistakes, as they should; exports from elsewhere are not typed.
function set(target: object | undefined, field: string, value: unknown, mistake: string): string {
  Object.assign(target ?? {}, { [field]: value });
  return mistake;
}

/** A small generator of pseudo-random numbers from 0 to 1: the same seed, the same book. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
