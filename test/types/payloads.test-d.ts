/** What a payload's type lets through, and what it does not. Each expected error is a line that must not compile. */
import type { ImportRecord } from 'data-import-sdk';
import { assertType, describe, expectTypeOf, it } from 'vitest';
import type {
  Account,
  BusinessPayload,
  BusinessPaymentInstruction,
  Contract,
  ContractTerm,
  Customer,
  HistoricalStatement,
  HistoricalStatementsPayload,
  JsonObject,
  Note,
  NotesPayload,
  OpenEnum,
  PaymentInstruction,
  PaymentSchedule,
  PopulatePayload,
  ProcessPayload,
  ProductRateOverride,
  SupplyPoint,
  Transaction,
  TransactionsPayload,
  TransactionType,
} from '../../schemas/index.js';

describe('a misspelt field does not compile', () => {
  const key = { external_account_number: 'ACC-0001', import_supplier: 'SANDBOX_SUPPLIER' };

  it('in a payload', () => {
    // @ts-expect-error billing_adress1
    assertType<Account>({ ...key, billing_adress1: '' });
    // @ts-expect-error import_supplier_code is the spelling of other payloads
    assertType<Account>({ ...key, import_supplier_code: 'SANDBOX_SUPPLIER' });
    // @ts-expect-error import_supplier is the spelling of other payloads
    assertType<BusinessPayload>({ import_supplier: 'SANDBOX_SUPPLIER', external_business_identifier: 'BUSINESS-0001' });
    // @ts-expect-error prms
    assertType<PopulatePayload>({ prms: [] });
  });

  it('deep inside', () => {
    // @ts-expect-error land_line
    assertType<Account>({ ...key, customers: [{ land_line: '' }] });
    // @ts-expect-error opted_into_mails
    assertType<Customer>({ customer_preferences: { opted_into_mails: true } });
    // @ts-expect-error tarif_code
    assertType<SupplyPoint>({ agreements: [{ tarif_code: 'ELEC_VARIABLE' }] });
    // @ts-expect-error valid_from
    assertType<Contract>({ valid_from: '2023-06-01' });
    // @ts-expect-error gross
    assertType<HistoricalStatement>({ gross: 12.5 });
  });
});

describe('what must be there', () => {
  it('identifiers that key the call', () => {
    // @ts-expect-error import_supplier is missing
    assertType<Account>({ external_account_number: 'ACC-0001' });
    // @ts-expect-error external_account_number is missing
    assertType<Account>({ import_supplier: 'SANDBOX_SUPPLIER' });
    // @ts-expect-error operations_team_name is missing
    assertType<ProcessPayload>({ external_account_number: 'ACC-0001', import_supplier_code: 'SANDBOX_SUPPLIER' });
    // @ts-expect-error notes is missing
    assertType<NotesPayload>({ external_account_number: 'ACC-0001', import_supplier: 'SANDBOX_SUPPLIER' });
    // @ts-expect-error the type of a transaction is missing
    assertType<Transaction>({ amount: 12.5 });
    // @ts-expect-error term_type is missing
    assertType<ContractTerm>({ days: 30 });
  });

  it('vendor and reference of an instruction', () => {
    const key = { external_account_number: 'ACC-0001', import_supplier: 'SANDBOX_SUPPLIER' };
    assertType<PaymentInstruction>({ ...key, vendor: 'SANDBOX_VENDOR', reference: 'CARD-0001' });
    // @ts-expect-error reference is missing
    assertType<PaymentInstruction>({ ...key, vendor: 'SANDBOX_VENDOR' });
  });

  it('both halves of a pair', () => {
    // @ts-expect-error value is missing
    assertType<BusinessPayload['business']>({ details: [{ key: 'naf_code' }] });
    // @ts-expect-error key is missing
    assertType<Account['metadata']>([{ value: {} }]);
    // @ts-expect-error document_path is missing
    assertType<Note>({ document_paths: [{}] });
  });

  it('is all of a payload that must', () => {
    assertType<PopulatePayload>({});
    assertType<Customer>({});
    assertType<SupplyPoint>({});
    assertType<Contract>({});
    assertType<HistoricalStatement>({});
    assertType<Transaction>({ type: 'CHARGE' });
    assertType<BusinessPayload>({
      import_supplier_code: 'SANDBOX_SUPPLIER',
      external_business_identifier: 'BUSINESS-0001',
    });
  });
});

describe('an optional field takes undefined, and never null', () => {
  it('at every level', () => {
    assertType<Account>({
      external_account_number: 'ACC-0001',
      import_supplier: 'SANDBOX_SUPPLIER',
      account_type: undefined,
      business: { siret: undefined },
      customers: [{ landline: undefined, customer_preferences: { opted_into_sms: undefined } }],
      supply_addresses: [{ supply_points: [{ supply_type: undefined, consent_data: { ELEC_CURVES: undefined } }] }],
      notes: [{ body: 'Called.', document_paths: undefined, created_at: undefined }],
    });
    assertType<BusinessPaymentInstruction['accounts']>(undefined);
    assertType<ProcessPayload['dry_run']>(undefined);
  });

  it('null does not compile', () => {
    // @ts-expect-error null
    assertType<Customer>({ landline: null });
    // @ts-expect-error null
    assertType<SupplyPoint>({ agreements: [{ effective_to: null }] });
    // @ts-expect-error null
    assertType<Note>({ body: null });
  });
});

describe('a list of a payload may be readonly', () => {
  const ids = { external_account_number: 'ACC-0001', import_supplier: 'SANDBOX_SUPPLIER' } as const;
  const contracts = [
    {
      identifier: 'C-1',
      versions: [
        {
          terms: [
            {
              term_type: 'PRODUCT_RATE_OVERRIDE_SCHEDULE',
              schedules: [{ items: [{ price_per_unit: '0.15', rate_band: 'BASE', product_code: 'P' }] }],
            },
            { term_type: 'CHARACTERISTIC_OVERRIDE', overrides: [{ characteristic_code: 'C', override_value: 'V' }] },
            {
              term_type: 'RATE_GROUP_ELIGIBILITY',
              schedules: [{ is_eligible: true }],
              time_series_specification_schedules: [[1, { a: ['b'] }]],
            },
          ],
        },
      ],
    },
  ] as const;

  it('at every level', () => {
    const account = {
      ...ids,
      account_contracts: contracts,
      business: { details: [{ key: 'naf_code', value: '01' }] },
      customers: [{ given_name: 'Camille' }],
      supply_addresses: [
        {
          supply_points: [
            {
              payment_schedules: [{ amount: 1 }],
              payment_instructions: [{ vendor: 'V', reference: 'R' }],
              agreements: [{ tariff_code: 'T', addons: [{ band: 'B' }] }],
            },
          ],
        },
      ],
      statements: [{ statement_id: 'S-1' }],
      supplementary_ledgers: [{ ledger_code: 'L', energy_cheques: [{ number: '1' }] }],
      notes: [{ body: 'Called.', document_paths: [{ document_path: 'a.pdf' }] }],
      account_campaigns: [{ slug: 's' }],
      metadata: [{ key: 'k', value: { list: [1, 'a'] } }],
    } as const;
    assertType<Account>(account);
    assertType<BusinessPayload>({
      import_supplier_code: 'S',
      external_business_identifier: 'B',
      business: { business_contracts: contracts, details: account.business.details },
    });
    const populate = { prm_ids: ['01234567890123'], pce_ids: ['01234567890123'] } as const;
    assertType<PopulatePayload>(populate);
    assertType<NotesPayload>({ ...ids, notes: account.notes });
    const transactions = [
      {
        type: 'SUPPLY_CHARGE',
        line_items: [{ units: [1, 2] }],
        tax_items: [{ tax_type: 'VAT' }],
      },
    ] as const;
    assertType<TransactionsPayload>({ ...ids, transactions });
    assertType<HistoricalStatementsPayload>({ ...ids, statements: account.statements });
    const accounts = [{ external_account_number: 'A-1' }] as const;
    assertType<BusinessPaymentInstruction['accounts']>(accounts);
    const instructions = [{ vendor: 'V', reference: 'R' }] as const;
    assertType<ImportRecord>({ account, notes: account.notes, transactions, payment_instructions: instructions });
    assertType<ImportRecord>({ populate });
  });
});

describe('C4 a note without body and document_paths does not compile', () => {
  it('either is enough', () => {
    assertType<Note>({ body: 'Called.' });
    assertType<Note>({ document_paths: [{ document_path: 'a.pdf' }] });
    assertType<Note>({ body: 'Called.', document_paths: [{ document_path: 'a.pdf' }], is_pinned: true });
    // @ts-expect-error neither
    assertType<Note>({});
    // @ts-expect-error neither
    assertType<Note>({ is_pinned: true, created_at: '2024-01-01T00:00:00Z' });
    // @ts-expect-error both undefined
    assertType<Note>({ body: undefined, document_paths: undefined });
    // @ts-expect-error neither, inside a payload
    assertType<NotesPayload>({ import_supplier: 'S', external_account_number: 'A', notes: [{ is_pinned: true }] });
    // @ts-expect-error a misspelt field
    assertType<Note>({ body: 'Called.', pinned: true });
  });

  it('a note whose body may be missing keeps its documents readable', () => {
    expectTypeOf<Note['body']>().toEqualTypeOf<string | undefined>();
  });
});

describe('term_type narrows', () => {
  it('to the fields of its term', () => {
    const read = (term: ContractTerm) => {
      // @ts-expect-error not every term has days
      term.days;
      switch (term.term_type) {
        case 'CONTRACT_METADATA':
          return expectTypeOf(term.metadata).toEqualTypeOf<Record<string, string> | undefined>();
        case 'PRODUCT_RATE_OVERRIDE_SCHEDULE':
          return expectTypeOf(term.schedules?.[0]?.items?.[0]?.price_per_unit).toEqualTypeOf<string | undefined>();
        case 'TERMINATION_FEE':
          return expectTypeOf(term.amount).toEqualTypeOf<number | undefined>();
        case 'ISSUANCE_FREQUENCY':
          return expectTypeOf(term.period_start_month).toEqualTypeOf<number | undefined>();
        case 'GUARANTEE_OF_ORIGIN_CONFIGURATION':
          return expectTypeOf(term.is_variable).toEqualTypeOf<boolean | undefined>();
        case 'PAYS_BY_DIRECT_DEBIT':
          return expectTypeOf(term.pays_by_direct_debit).toEqualTypeOf<boolean | undefined>();
        case 'DELAYER_DAYS':
          return expectTypeOf(term.days).toEqualTypeOf<number | undefined>();
        case 'RATE_GROUP_ELIGIBILITY':
          return expectTypeOf(term.schedules?.[0]?.effective_period?.start_date).toEqualTypeOf<string | undefined>();
        case 'CHARACTERISTIC_OVERRIDE':
          return expectTypeOf(term.overrides?.[0]?.override_value).toEqualTypeOf<string | undefined>();
        default:
          // Nine, and no tenth.
          return expectTypeOf(term).toEqualTypeOf<never>();
      }
    };
    expectTypeOf(read).toBeFunction();
  });

  it('a field of another term does not compile', () => {
    assertType<ContractTerm>({ term_type: 'DELAYER_DAYS', strategy: 'FIXED', days: 30 });
    // @ts-expect-error amount is of TERMINATION_FEE
    assertType<ContractTerm>({ term_type: 'DELAYER_DAYS', amount: 30 });
    // @ts-expect-error no such term
    assertType<ContractTerm>({ term_type: 'BROKER' });
    // @ts-expect-error the values of CONTRACT_METADATA are strings
    assertType<ContractTerm>({ term_type: 'CONTRACT_METADATA', metadata: { rank: 1 } });
  });
});

describe('enumerations', () => {
  it('U7 open ones take the known values and any other string', () => {
    assertType<Account['account_type']>('BUSINESS');
    assertType<Account['account_type']>('CHARITY');
    assertType<PaymentInstruction['type']>('CARD');
    assertType<PaymentInstruction['type']>('DIRECT_DEBIT');
    assertType<PaymentSchedule['means']>('DD');
    assertType<PaymentSchedule['means']>('PAYMENT_SLIP');
    assertType<Transaction['reason']>('IMPORTED_CHARGE');
    assertType<Transaction['reason']>('GOODWILL');
    const fromData: string = ['CARD', 'OTHER'].join('');
    assertType<PaymentInstruction['type']>(fromData);
    // @ts-expect-error not a string
    assertType<PaymentInstruction['type']>(1);
  });

  it('U7 open ones keep their known values for the editor: they are not plain strings', () => {
    expectTypeOf<OpenEnum<'CARD'>>().not.toEqualTypeOf<string>();
    expectTypeOf<Extract<OpenEnum<'CARD' | 'DIRECT_DEBIT'>, 'CARD'>>().toEqualTypeOf<'CARD'>();
    expectTypeOf<Extract<Transaction['reason'], 'GENERAL_CREDIT'>>().toEqualTypeOf<'GENERAL_CREDIT'>();
  });

  it('closed ones refuse other values', () => {
    expectTypeOf<SupplyPoint['supply_type']>().toEqualTypeOf<'ELECTRICITY' | 'GAS' | undefined>();
    expectTypeOf<TransactionType>().toEqualTypeOf<'CHARGE' | 'CREDIT' | 'PAYMENT' | 'REPAYMENT' | 'SUPPLY_CHARGE'>();
    // @ts-expect-error WATER
    assertType<SupplyPoint>({ supply_type: 'WATER' });
    // @ts-expect-error REFUND
    assertType<Transaction>({ type: 'REFUND' });
    // @ts-expect-error any string
    assertType<TransactionType>('CHARGE' as string);
  });
});

describe('kinds of value', () => {
  it('an amount of a request is a number, and a price of a contract a string', () => {
    // @ts-expect-error a decimal in a string is the form of answers
    assertType<Transaction>({ type: 'CHARGE', amount: '12.50' });
    // @ts-expect-error a number
    assertType<ProductRateOverride>({ price_per_unit: 0.1523 });
  });

  it('a date is a string, never a Date', () => {
    // @ts-expect-error a Date
    assertType<Customer>({ date_of_birth: new Date(0) });
  });

  it('an undocumented consent is a boolean too', () => {
    assertType<SupplyPoint['consent_data']>({ ELEC_CURVES: true, ELEC_MAX_POWER: false });
    // @ts-expect-error a string
    assertType<SupplyPoint['consent_data']>({ ELEC_MAX_POWER: 'yes' });
  });

  it('JsonObject takes what JSON can carry, and nothing else', () => {
    assertType<JsonObject>({ text: 'a', number: 1, yes: true, none: null, list: [1, ['a'], { b: null }], object: {} });
    assertType<JsonObject>({ left_out: undefined });
    // @ts-expect-error a Date
    assertType<JsonObject>({ when: new Date(0) });
    // @ts-expect-error a function
    assertType<JsonObject>({ call: () => 1 });
    // @ts-expect-error a bigint
    assertType<JsonObject>({ big: 1n });
    // @ts-expect-error a Map
    assertType<JsonObject>({ map: new Map() });
    // @ts-expect-error undefined in an array becomes null
    assertType<JsonObject>({ list: [undefined] });
    // @ts-expect-error an array is no object
    assertType<JsonObject>([]);
    // @ts-expect-error a string is no object
    assertType<JsonObject>('text');
  });
});
