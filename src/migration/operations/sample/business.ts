/** A business of a sample input, with its contracts. All companies are invented. */
import type { BusinessPayload } from '../../../../schemas/payloads/business.js';
import type { Contract, ContractTerm } from '../../../../schemas/payloads/contract.js';
import { padded, type SeededRandom } from './seeded-random.js';

const COMPANIES = ['Boulangerie', 'Menuiserie', 'Imprimerie', 'Laverie', 'Fonderie'] as const;
const OWNERS = ['Arbois & Fils', 'du Brouillon', 'Estrelin', 'de la Maquette', 'Gardelle Sœurs'] as const;
const CONTRACTS_EACH = 2;

export function sampleBusiness(supplier: string, index: number, chance: SeededRandom): BusinessPayload {
  return {
    import_supplier_code: supplier,
    external_business_identifier: `B-${padded(index + 1, 4)}`,
    business: {
      business_type: 'COMPANY',
      company_name: `${chance.pick(COMPANIES)} ${chance.pick(OWNERS)} ${index + 1}`,
      siret: siretOf(index),
      details: [
        { key: 'sector', value: chance.pick(['bakery', 'joinery', 'printing', 'laundry', 'foundry']) },
        { key: 'employees', value: String(chance.whole(2, 240)) },
      ],
      business_contracts: Array.from({ length: CONTRACTS_EACH }, (_, which) =>
        sampleContract(contractIdentifier(index, which), chance),
      ),
    },
  };
}

/** Returns the contract by which the account belongs to one of `businesses` businesses. */
export function contractFor(account: number, businesses: number): { business: number; identifier: string } {
  const business = account % businesses;
  return { business, identifier: contractIdentifier(business, Math.floor(account / businesses) % CONTRACTS_EACH) };
}

function contractIdentifier(business: number, which: number): string {
  return `CONTRACT-${padded(business + 1, 4)}-${which + 1}`;
}

/** Fourteen digits of which the last is right, in a range that no register gives out. */
export function siretOf(business: number): string {
  const digits = `000${padded(business, 5)}00001`;
  const sum = [...digits].reduce((total, digit, index) => {
    // From the right, beginning with the last of the thirteen, every second one is doubled.
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

export function sampleContract(identifier: string, chance: SeededRandom): Contract {
  return {
    identifier,
    signed_at_date: '2025-05-20',
    valid_from_date: '2025-06-01',
    versions: [{ applicable_at_date: '2025-06-01', terms: sampleTerms(chance) }],
  };
}

/** One contract term of each kind in the API specification. */
function sampleTerms(chance: SeededRandom): ContractTerm[] {
  return [
    { term_type: 'CONTRACT_METADATA', metadata: { channel: 'tender', reference: `T-${chance.whole(1000, 9999)}` } },
    {
      term_type: 'PRODUCT_RATE_OVERRIDE_SCHEDULE',
      schedules: [
        {
          effective_from: '2025-06-01',
          items: [
            { price_per_unit: `0.1${chance.whole(100, 999)}`, rate_band: 'BASE', product_code: 'ELEC-FIX' },
            { price_per_unit: `0.0${chance.whole(100, 999)}`, rate_band: 'BASE', product_code: 'GAS-FIX' },
          ],
        },
      ],
    },
    { term_type: 'TERMINATION_FEE', amount: 150, supply_type: 'ELECTRICITY', fee_type: 'FLAT' },
    {
      term_type: 'ISSUANCE_FREQUENCY',
      frequency: 'MONTHLY',
      multiplier: 1,
      period_start_day: 1,
      period_start_month: 1,
    },
    {
      term_type: 'GUARANTEE_OF_ORIGIN_CONFIGURATION',
      guarantee_of_origin_percentage: chance.pick([50, 75, 100]),
      is_variable: false,
    },
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
}
