/** Checks of all records of an input together: duplicates, missing contracts and documents. */
import { type CheckRecordsOptions, checkRecords, type Profile, type RecordFinding } from 'data-import-sdk';
import { describe, expect, it } from 'vitest';
import { createComparisons } from '../../../src/validation/records/warnings-between-records.js';
import { domesticAccount } from '../../examples/account.js';
import { business as businessExample } from '../../examples/business.js';
import { historicalStatements } from '../../examples/historical-statements.js';
import { notes } from '../../examples/notes.js';
import { transactions } from '../../examples/transactions.js';

const ids = { import_supplier: 'ACME', external_account_number: 'A-1' };
const account = (external_account_number: string, fields: object = {}) => ({
  account: { import_supplier: 'ACME', external_account_number, ...fields },
});
const onContract = (number: string, business_contract_identifier: string, fields: object = {}) =>
  account(number, { account_type: 'BUSINESS', business: { business_contract_identifier }, ...fields });
const declaring = (identifier: string, import_supplier_code = 'ACME') => ({
  business: {
    import_supplier_code,
    external_business_identifier: `B-${identifier}`,
    business: { business_contracts: [{ identifier }] },
  },
});
const supplied = (...identifiers: string[]) => ({
  supply_addresses: [{ supply_points: identifiers.map((identifier) => ({ identifier })) }],
});

async function findingsOf(
  records: Iterable<unknown> | AsyncIterable<unknown>,
  options?: CheckRecordsOptions,
): Promise<RecordFinding[]> {
  const findings: RecordFinding[] = [];
  for await (const finding of checkRecords(records, options)) findings.push(finding);
  return findings;
}

/** `0 account.customers.0.landline invalid_phone_number error: Expected …`, and what else a finding has, as JSON. */
const inWords = (findings: readonly RecordFinding[]) =>
  findings.map(({ record, attr, code, severity, detail, ...more }) =>
    `${record} ${attr} ${code} ${severity}: ${detail} ${JSON.stringify(more)}`.replace(' {}', ''),
  );

/** `0 account.customers.0.landline invalid_phone_number error` */
async function linesOf(...parameters: Parameters<typeof findingsOf>): Promise<string[]> {
  const findings = await findingsOf(...parameters);
  return findings.map(({ record, attr, code, severity }) => [record, attr, code, severity].join(' '));
}

it('an input without mistakes has no finding', async () => {
  const siret = '73282932000074';
  const business = { ...businessExample, business: { ...businessExample.business, siret } };
  expect(
    await findingsOf([
      { business },
      {
        account: domesticAccount,
        notes: notes.notes,
        transactions: transactions.transactions,
        statements: historicalStatements.statements,
        payment_instruction: { vendor: 'V', reference: 'R', type: 'CARD' },
      },
      { account: { ...ids, import_supplier: 'OTHER' }, notes: undefined, business: undefined },
    ]),
  ).toEqual([]);
  expect(await findingsOf([])).toEqual([]);
});

describe('an account that is there twice', () => {
  it('with other content is an error that names the earlier record, with the same content a warning', async () => {
    const other = account('A-1', { sales_channel: 'WEB' });
    expect(inWords(await findingsOf([account('A-1'), account('A-2'), other, account('A-1')]))).toEqual([
      '2 account.external_account_number contradicting_record error: An earlier record has the same number and other content: only the earlier one is sent. {"collidesWith":0}',
      '3 account.external_account_number duplicate_record warning: An earlier record has the same number and the same content: it is sent once, and nothing is missing. {"collidesWith":0}',
    ]);
  });

  it('the content includes the items, and not the order of keys', async () => {
    const one = { ...account('A-1'), notes: [{ body: 'x' }] };
    const reordered = { notes: [{ body: 'x' }], account: { external_account_number: 'A-1', import_supplier: 'ACME' } };
    expect(await linesOf([one, reordered, account('A-1')])).toEqual([
      '1 account.external_account_number duplicate_record warning',
      '2 account.external_account_number contradicting_record error',
    ]);
  });

  it('with two suppliers is two accounts', async () => {
    expect(await findingsOf([account('A-1'), account('A-1', { import_supplier: 'OTHER' })])).toEqual([]);
  });

  it('numbers that are none are not compared', async () => {
    const without = { account: { import_supplier: 'ACME' } };
    expect(await linesOf([without, without])).toEqual([
      '0 account.external_account_number required error',
      '1 account.external_account_number required error',
    ]);
  });
});

describe('a supply point that is there twice', () => {
  it('in two accounts, also of two suppliers, is a warning with the index of the earlier record', async () => {
    expect(
      inWords(
        await findingsOf([
          account('A-1', supplied('01234567890123')),
          account('A-2', { ...supplied('09876543210987', '01234567890123'), import_supplier: 'OTHER' }),
        ]),
      ),
    ).toEqual([
      '1 account.supply_addresses.0.supply_points.1.identifier duplicate_supply_point warning: An earlier record, or this one, names the same supply point. {"collidesWith":0}',
    ]);
  });

  it('in a record that is there twice with the same content has no warning: its number has one', async () => {
    const [same, again] = [account('A-1', supplied('01234567890123')), account('A-1', supplied('01234567890123'))];
    expect(await linesOf([same, again])).toEqual(['1 account.external_account_number duplicate_record warning']);
  });

  it('in one account is reported once, by the check of the account', async () => {
    expect(await linesOf([account('A-1', supplied('01234567890123', '01234567890123'))])).toEqual([
      '0 account.supply_addresses.0.supply_points.1.identifier duplicate_supply_point warning',
    ]);
  });

  it('electricity and gas have separate registries', async () => {
    const point = (supply_type: string) => ({
      supply_addresses: [{ supply_points: [{ identifier: '01234567890123', supply_type }] }],
    });
    expect(await linesOf([account('A-1', point('GAS')), account('A-2', point('ELECTRICITY'))])).toEqual([]);
    expect(await linesOf([account('A-1', point('GAS')), account('A-2', point('GAS'))])).toHaveLength(1);
  });
});

describe('the contract of a business account', () => {
  it.each([
    ['before its account', [declaring('C-1'), onContract('A-1', 'C-1')]],
    ['after its account', [onContract('A-1', 'C-1'), declaring('C-1')]],
  ])('that a business declares %s is found', async (_, records) => {
    expect(await findingsOf(records)).toEqual([]);
  });

  it('that no business declares is a warning, at the end', async () => {
    expect(await findingsOf([onContract('A-1', 'C-9'), declaring('C-1'), account('A-2', { odd: 1 })])).toEqual([
      expect.objectContaining({ record: 2, attr: 'account.odd', code: 'unknown_field' }),
      {
        record: 0,
        attr: 'account.business.business_contract_identifier',
        code: 'contract_not_in_input',
        detail: 'No business of the input declares a contract with this identifier; it must exist before the account.',
        severity: 'warning',
      },
    ]);
  });

  it('that a business of another supplier declares is not it', async () => {
    expect(await linesOf([declaring('C-1', 'OTHER'), onContract('A-1', 'C-1')])).toEqual([
      '1 account.business.business_contract_identifier contract_not_in_input warning',
    ]);
  });
});

describe('documents', () => {
  const record = {
    ...account('A-1', {
      statements: [{ statement_path: 'a/1.pdf' }, { statement_path: 'https://example.com/2.pdf' }],
      notes: [{ document_paths: [{ document_path: 'a/3.pdf' }] }],
    }),
    notes: [{ document_paths: [{ document_path: 'a/4.pdf' }, { document_path: '..' }] }],
    statements: [{ statement_id: 'S-1', statement_path: 'a/5.pdf' }],
  };

  it('paths that cannot resolve are warning', async () => {
    expect(await linesOf([record])).toEqual([
      '0 account.statements.1.statement_path document_path_cannot_resolve warning',
      '0 notes.0.document_paths.1.document_path document_path_cannot_resolve warning',
    ]);
  });

  it.each([
    ['at once', (path: string) => path !== 'a/4.pdf' && path !== 'a/1.pdf'],
    ['later', async (path: string) => path !== 'a/4.pdf' && path !== 'a/1.pdf'],
  ])('documentExists, which answers %s, is asked for the others', async (_, exists) => {
    const asked: string[] = [];
    const documentExists = (path: string) => {
      asked.push(path);
      return exists(path);
    };
    const findings = await findingsOf([record], { documentExists });
    expect(asked).toEqual(['a/1.pdf', 'a/3.pdf', 'a/4.pdf', 'a/5.pdf']);
    expect(findings.filter(({ code }) => code === 'document_not_found')).toEqual([
      {
        record: 0,
        attr: 'account.statements.0.statement_path',
        code: 'document_not_found',
        detail: 'There is no document at this path.',
        severity: 'warning',
      },
      expect.objectContaining({ attr: 'notes.0.document_paths.0.document_path' }),
    ]);
  });

  it('an error of documentExists ends the check', async () => {
    const documentExists = () => Promise.reject(new Error('no bucket'));
    await expect(findingsOf([record], { documentExists })).rejects.toThrow('no bucket');
  });
});

describe('payloads', () => {
  it('are checked each by its rules; attr begins with the part of the record', async () => {
    expect(
      await linesOf([
        account('A-1', { customers: [{ landline: 'Jean' }], account_type: 'SHOP' }),
        { business: { import_supplier_code: 'ACME', external_business_identifier: 'B-1', business: { siret: 7 } } },
        { account: null },
        { business: 'B-1' },
      ]),
    ).toEqual([
      '0 account.customers.0.landline invalid_phone_number error',
      '0 account.account_type value_never_seen warning',
      '1 business.business.siret invalid_type error',
      '2 account null error',
      '3 business invalid_type error',
    ]);
  });

  it('items that are added after the import are checked too', async () => {
    expect(
      await linesOf([
        {
          ...account('A-1'),
          notes: [{ body: 'x' }, {}, { body: '' }],
          transactions: [
            { type: 'CHARGE', transaction_id: 'T-1', transaction_date: '2024-01-01', amount: '12.50' },
            { type: 'CHARGE', transaction_id: 'T-1', transaction_date: '2024-01-01', odd: 1 },
          ],
          statements: [{ issued_date: '5 January' }],
          payment_instruction: { vendor: 7, reference: ' R' },
        },
      ]),
    ).toEqual([
      '0 notes.1 required error',
      '0 notes.1 empty_note warning',
      '0 notes.2 empty_note warning',
      '0 transactions.0.amount invalid_type error',
      '0 transactions.1.odd unknown_field error',
      '0 transactions.1.amount transaction_without_amount_or_date warning',
      '0 transactions.1.transaction_id duplicate_transaction warning',
      '0 statements.0.issued_date invalid_date error',
      '0 payment_instruction.vendor invalid_type error',
      '0 payment_instruction.reference identifier_with_spaces_around warning',
    ]);
  });

  it.each([
    [{ notes: {} }, ['0 notes invalid_type error']],
    [{ transactions: null }, ['0 transactions null error']],
    [{ statements: 'S-1' }, ['0 statements invalid_type error']],
    [{ statements: [7] }, ['0 statements.0 invalid_type error']],
    [{ payment_instruction: null }, ['0 payment_instruction null error']],
    [{ payment_instruction: [] }, ['0 payment_instruction invalid_type error']],
    [
      { payment_instruction: {} },
      ['0 payment_instruction.vendor required error', '0 payment_instruction.reference required error'],
    ],
  ])('%j is no such part', async (part, lines) => {
    expect(await linesOf([{ ...account('A-1'), ...part }])).toEqual(lines);
  });

  it('fields of the account are not repeated in a payment instruction', async () => {
    const payment_instruction = { vendor: 'V', reference: 'R', ...ids };
    expect(await linesOf([{ ...account('A-1'), payment_instruction }])).toEqual([
      '0 payment_instruction.import_supplier unknown_field error',
      '0 payment_instruction.external_account_number unknown_field error',
    ]);
  });

  it('an empty list of items is not sent and gives no warning; one in the account does', async () => {
    const items = { notes: [], transactions: [], statements: [], payment_instructions: [] };
    expect(await linesOf([{ ...account('A-1', { customers: [] }), ...items }])).toEqual([
      '0 account.customers empty_list warning',
    ]);
  });

  it('supply points to be looked up that name none are warning', async () => {
    expect(await linesOf([{ populate: { prm_ids: [] } }])).toEqual(['0 populate populate_without_ids warning']);
  });

  it('a profile applies to all parts', async () => {
    const profile: Profile = {
      required: {
        Account: ['billing_postcode'],
        NotesPayload: ['notes.*.created_at'],
        TransactionsPayload: ['transactions.*[type=CHARGE].reason'],
        HistoricalStatementsPayload: ['statements.*.number'],
        PaymentInstruction: ['type'],
      },
      lengths: { TransactionsPayload: { external_account_number: 0 }, PaymentInstruction: { import_supplier: 0 } },
    };
    const dated = { transaction_date: '2024-01-01', amount: 1 };
    const record = {
      ...account('A-1'),
      notes: [{ body: 'x' }],
      transactions: [
        { type: 'CHARGE', transaction_id: 'T-1', ...dated },
        { type: 'PAYMENT', transaction_id: 'T-2', reference: 'R', ...dated },
      ],
      statements: [{ statement_id: 'S-1' }],
      payment_instruction: { vendor: 'V', reference: 'R' },
    };
    expect(await linesOf([record], { profile })).toEqual([
      '0 account.billing_postcode required error',
      '0 notes.0.created_at required error',
      '0 transactions.0.reason required error',
      '0 statements.0.number required error',
      '0 payment_instruction.type required error',
    ]);
  });

  it('warnings: false omits the warnings of payloads', async () => {
    const record = { ...account('A-1', { account_type: 'SHOP' }), notes: [{ body: '' }] };
    expect(await linesOf([record], { warnings: false })).toEqual([]);
  });
});

describe('records', () => {
  it.each([undefined, null, 7, 'A-1', [], {}, { acount: {} }, { notes: [] }, () => {}])(
    '%o is none',
    async (record) => {
      expect(inWords(await findingsOf([account('A-1'), record]))).toEqual([
        '1  invalid_type error: Expected an object with `business`, `account` or `populate`.',
      ]);
    },
  );

  it('a misspelt part is an error: it would not be sent', async () => {
    expect(inWords(await findingsOf([{ ...account('A-1'), transaction: [] }]))).toEqual([
      '0 transaction unknown_field error: Not a part of this record, which may have account, payment_instruction, payment_instructions, notes, transactions, statements. Did you mean `transactions`? {"didYouMean":"transactions"}',
    ]);
  });

  it('payment instructions are checked one by one, and none is there twice', async () => {
    const instruction = { vendor: 'V', reference: 'R-1', type: 'CARD' };
    const instructions = [instruction, { vendor: 'V' }, { ...instruction, import_supplier: 'ACME' }];
    expect(await linesOf([{ ...account('A-1'), payment_instructions: instructions }])).toEqual([
      '0 payment_instructions.1.reference required error',
      '0 payment_instructions.2.import_supplier unknown_field error',
      '0 payment_instructions.2 duplicate_payment_instruction error',
    ]);
    expect(await linesOf([{ ...account('A-1'), payment_instructions: instruction }])).toEqual([
      '0 payment_instructions invalid_type error',
    ]);
  });

  it('payment_instruction together with payment_instructions is an error', async () => {
    const instruction = { vendor: 'V', reference: 'R-1', type: 'CARD' };
    const both = { ...account('A-1'), payment_instruction: instruction, payment_instructions: [instruction] };
    expect(inWords(await findingsOf([both]))).toEqual([
      '0 payment_instructions unknown_field error: The record has payment_instruction as well: put all payment instructions into payment_instructions.',
    ]);
  });

  it('a business may have payment instructions, with the accounts that they are for', async () => {
    const accounts = [{ external_account_number: 'A-1' }];
    const instruction = { vendor: 'V', reference: 'R-1', type: 'CARD', accounts };
    expect(await linesOf([{ ...declaring('C-1'), payment_instructions: [instruction] }])).toEqual([]);
    const wrong = [
      { ...instruction, accounts: [{ number: 'A-1' }] },
      { ...instruction, import_supplier_code: 'ACME' },
    ];
    expect(
      await linesOf([{ ...declaring('C-1'), payment_instructions: wrong, payment_instruction: instruction }]),
    ).toEqual([
      '0 payment_instruction unknown_field error',
      '0 payment_instructions.0.accounts.0.external_account_number required error',
      '0 payment_instructions.0.accounts.0.number unknown_field error',
      '0 payment_instructions.1.import_supplier_code unknown_field error',
      '0 payment_instructions.1 duplicate_payment_instruction error',
    ]);
  });

  it('a record is one business or one account', async () => {
    expect(await linesOf([{ ...declaring('C-1'), ...account('A-1'), notes: [] }])).toEqual([
      '0 account unknown_field error',
      '0 notes unknown_field error',
    ]);
  });
});

describe('the source', () => {
  it.each([
    ['a list', () => [account('A-1'), account('A-1')]],
    ['a set', () => new Set([account('A-1'), account('A-1')])],
    [
      'an asynchronous generator',
      async function* () {
        yield account('A-1');
        yield account('A-1');
      },
    ],
  ])('may be %s', async (_, source) => {
    expect(await linesOf(source())).toEqual(['1 account.external_account_number duplicate_record warning']);
  });

  it('is read as far as findings are taken, and closed when they are not', async () => {
    const read: number[] = [];
    let closed = false;
    async function* source() {
      try {
        for (let index = 0; ; index++) {
          read.push(index);
          yield { index };
        }
      } finally {
        closed = true;
      }
    }
    for await (const { record } of checkRecords(source())) if (record === 1) break;
    expect(read).toEqual([0, 1]);
    expect(closed).toBe(true);
  });

  it('with an option that does not exist is not read', async () => {
    await expect(findingsOf([{}], { warning: false } as object)).rejects.toThrow(
      new TypeError('checkRecords: no option warning; did you mean warnings?'),
    );
  });

  it('that breaks breaks the check, with its own error', async () => {
    async function* source() {
      yield {};
      throw new Error('line 2 is no JSON');
    }
    await expect(findingsOf(source())).rejects.toThrow('line 2 is no JSON');
  });
});

it('with warnings: false only errors are found, also across records', async () => {
  const records = [account('A-1', supplied('P-1')), account('A-2', supplied('P-1')), onContract('A-2', 'C-1')];
  expect(await linesOf(records, { warnings: false })).toEqual([
    '2 account.external_account_number contradicting_record error',
  ]);
  expect(await linesOf([account('A-1'), account('A-1')], { warnings: false })).toEqual([]);
});

describe('numbers in scientific notation', () => {
  const rounded = '1.23E+13';

  it('of two accounts with the same one, each is reported that its digits are lost; neither is called a duplicate', async () => {
    const records = [account(rounded, supplied(rounded)), account(rounded, { ...supplied(rounded), customers: [{}] })];
    expect(await linesOf(records)).toEqual([
      '0 account.external_account_number scientific_notation error',
      '0 account.supply_addresses.0.supply_points.0.identifier scientific_notation error',
      '1 account.external_account_number scientific_notation error',
      '1 account.supply_addresses.0.supply_points.0.identifier scientific_notation error',
    ]);
  });

  it('a profile cannot allow it for the number of a record, which would tell no two records apart', async () => {
    const profile: Profile = { fields: { Account: { external_account_number: 'string' } } };
    expect(await linesOf([account(rounded)], { profile })).toEqual([
      '0 account.external_account_number scientific_notation error',
    ]);
  });

  it('two payment instructions with such a reference are not called the same', async () => {
    const instruction = { vendor: 'V', reference: rounded };
    expect(await linesOf([{ ...account('A-1'), payment_instructions: [instruction, instruction] }])).toEqual([
      '0 payment_instructions.0.reference scientific_notation error',
      '0 payment_instructions.1.reference scientific_notation error',
    ]);
  });
});

describe('numbers that differ in zeros, case, signs or spaces only', () => {
  const AL = { customers: [{ given_name: 'Al', family_name: 'Arbois', date_of_birth: '1980-01-02' }] };
  const BO = { customers: [{ given_name: 'Bo', family_name: 'Bellac', date_of_birth: '1980-01-02' }] };
  const company = (number: string, business: object, import_supplier_code = 'ACME') => ({
    business: { import_supplier_code, external_business_identifier: number, business },
  });
  const SPELLED = 'equal_but_for_spelling warning';

  it('of one customer are a warning with the index of the earlier record, and each is found once', async () => {
    const there = { ...AL, ...supplied('01234567890123') };
    expect(inWords(await findingsOf([account('H-1', there), account('H-2', AL), account('H 001', AL)]))).toEqual([
      '2 account.external_account_number equal_but_for_spelling warning: Another account of the input has the same customer, and the same number but for zeros, case, signs or spaces: the two may be one, and be billed twice. {"collidesWith":0}',
    ]);
    expect(await linesOf([account('H-1', there), account('h 1', there)])).toEqual([
      '1 account.supply_addresses.0.supply_points.0.identifier duplicate_supply_point warning',
      `1 account.external_account_number ${SPELLED}`,
    ]);
  });

  it.each<[what: string, one: object, other: object]>([
    ['a person', AL, { customers: [BO.customers[0], AL.customers[0]] }],
    ['a person without a birth date', AL, { customers: [{ given_name: 'AL', family_name: 'Arbois ' }] }],
    ['a person with one name', { customers: [{ family_name: 'Arbois' }] }, { customers: [{ family_name: 'ARBOIS' }] }],
    ['a company', { business: { siret: '73282932000074' } }, { business: { siret: '732 829 320 00074' } }],
    ['nothing that is known', { sales_channel: 'WEB' }, {}],
  ])('and %s in common are found', async (_, one, other) => {
    const found = await linesOf([account('H-1', one), account('h1', other)]);
    expect(found.filter((text) => text.includes('equal_but'))).toEqual([
      `1 account.external_account_number ${SPELLED}`,
    ]);
  });

  it.each<[what: string, one: object, other: object]>([
    ['of two customers', account('1-11', AL), account('11-1', BO)],
    ['of a customer and of one who is not known', account('H-1', AL), account('H1')],
    ['of two suppliers', account('H-1', AL), account('H1', { ...AL, import_supplier: 'OTHER' })],
    ['of a business and an account', company('H-1', {}), account('H1')],
    [
      'that a company may have counted',
      account('1-11', { business: { siret: '73282932000074' } }),
      account('11-1', { business: { siret: '73282932000074' } }),
    ],
    ['that may have been counted', account('001-1'), account('0011')],
    ['that differ in digits', account('H-10', AL), account('H-1', AL)],
  ])('%s are not found', async (_, one, other) => {
    expect((await linesOf([one, other])).filter((text) => text.includes('equal_but'))).toEqual([]);
  });

  it('of digits only are found by their zeros, whosever they are, and beside others by their customer', async () => {
    const found = async (...numbers: string[]) =>
      (await linesOf(numbers.map((number) => account(number, AL)))).filter((text) => text.includes('equal_but'));
    expect(await found('0123', '123')).toEqual(['1 account.external_account_number equal_but_for_zeros warning']);
    expect(await found('0123', '01-23')).toEqual([`1 account.external_account_number ${SPELLED}`]);
    expect(await found('01-23', '0123')).toEqual([`1 account.external_account_number ${SPELLED}`]);
  });

  it('of one company are found by its SIRET or its name', async () => {
    const [one, other] = [{ siret: '73282932000074', company_name: 'Regie Un' }, { siret: '73282932000074' }];
    const found = [`1 business.external_business_identifier ${SPELLED}`];
    for (const business of [other, { company_name: 'REGIE UN' }]) {
      expect(await linesOf([company('C-001', one), company('C001', business)])).toEqual(found);
    }
    expect(await linesOf([company('C-001', one), company('C001', { siret: '44306184100047' })])).toEqual([]);
  });

  it('are not compared for a second record with a number, of which nothing is sent', async () => {
    const again = account('H-1', { ...AL, sales_channel: 'WEB' });
    expect(await linesOf([account('H-1', BO), again, account('h1', AL)])).toEqual([
      '1 account.external_account_number contradicting_record error',
    ]);
    expect(await linesOf([account('H-1', AL), account('h1', AL)], { warnings: false })).toEqual([]);
  });
});

describe('a contract that two businesses declare', () => {
  const other = (number: string, ...contracts: string[]) => ({
    business: {
      ...{ import_supplier_code: 'ACME', external_business_identifier: number },
      business: { business_contracts: contracts.map((identifier) => ({ identifier })) },
    },
  });

  it('is a warning with the index of the earlier one', async () => {
    expect(inWords(await findingsOf([declaring('F-1'), other('B-9', 'F-2', 'F-1')]))).toEqual([
      '1 business.business.business_contracts.1.identifier contract_of_other_business warning: Another business of the input declares a contract with this identifier: only it links accounts to a business. {"collidesWith":0}',
    ]);
  });

  it('is none if one of them has it twice, if it is of another supplier, or if another sign differs', async () => {
    expect((await linesOf([other('B-9', 'F-2', 'F-2')])).filter((text) => text.includes('contract_of'))).toEqual([]);
    expect(await linesOf([declaring('F-1'), declaring('F-1', 'OTHER'), other('B-9', 'F1')])).toEqual([]);
  });
});

describe('values that the other records make suspicious', () => {
  const onPoint = (number: string, identifier: string) => account(number, supplied(identifier));
  const compared = async (records: Iterable<unknown>) =>
    (await findingsOf(records)).filter(({ code }) =>
      [
        ...['equal_but_for_zeros', 'shorter_than_other_numbers', 'number_without_digit'],
        ...['record_of_only_a_number', 'contact_of_many_customers'],
      ].includes(code),
    );
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

  it('numbers that are equal but for zeros in front are found in either order, at the later record', async () => {
    const records = ['00123', 'B-1', '123', '456', '0456', '0456', '0789'].map((number) => account(number));
    expect(inWords(await compared(records))).toEqual([
      '2 account.external_account_number equal_but_for_zeros warning: An earlier record has the same number with more or fewer zeros in front: a program may have removed them, and the two may be one. {"count":3,"others":[{"record":4,"attr":"account.external_account_number"},{"record":5,"attr":"account.external_account_number"}]}',
    ]);
  });

  it('such numbers of two suppliers are no pair', async () => {
    const other = { account: { import_supplier: 'OTHER', external_account_number: '123' } };
    expect(await compared([account('0123'), other])).toEqual([]);
  });

  it('such ids of supply points, of businesses and of lookups are found', async () => {
    const businessOf = (number: string) => ({
      business: { import_supplier_code: 'ACME', external_business_identifier: number, business: {} },
    });
    const records = [
      ...[onPoint('A-1', '01234567890123'), onPoint('A-2', '1234567890123'), businessOf('07'), businessOf('7')],
      ...[
        { populate: { prm_ids: ['0123456'], pce_ids: ['0987654'] } },
        { populate: { prm_ids: ['123456'], pce_ids: ['987654'] } },
      ],
    ];
    expect((await compared(records)).map(({ record, attr }) => `${record} ${attr}`)).toEqual([
      '3 business.external_business_identifier',
      '1 account.supply_addresses.0.supply_points.0.identifier',
      '5 populate.prm_ids.0',
      '5 populate.pce_ids.0',
    ]);
  });

  it('a hundred thousand different numbers are no pair', { tags: 'long' }, () => {
    const found = createComparisons<number>();
    for (let number = 0; number < 100_000; number++) {
      found.add(account(String(10_000_000 + number)), number);
    }
    expect(found.findings()).toEqual([]);
    found.add(account('0010000000'), 100_000);
    expect(found.findings()).toMatchObject([{ code: 'equal_but_for_zeros', count: 1, first: [{ place: 100_000 }] }]);
  });

  it('numbers that are up to three digits shorter than nearly all others are found', async () => {
    const long = numbers(38).map((index) => onPoint(`A-${index}`, `140000000000${index + 10}`));
    const records = [...long, onPoint('A-38', '1234567890123'), onPoint('A-39', '12345678901')];
    expect(inWords(await compared(records))).toEqual([
      '39 account.supply_addresses.0.supply_points.0.identifier shorter_than_other_numbers warning: Nearly all numbers in this field have up to three digits more: zeros in front may be lost. {"count":2,"others":[{"record":38,"attr":"account.supply_addresses.0.supply_points.0.identifier"}]}',
    ]);
  });

  it('a postcode without the zero in front is found beside those with five digits', async () => {
    const at = (number: string, billing_postcode: string) => ({
      account: { external_account_number: number, import_supplier: 'ACME', billing_postcode },
    });
    const records = [...numbers(38).map((index) => at(`A-${index}`, `801${index + 10}`)), at('A-38', '1067')];
    expect(await compared(records)).toMatchObject([
      { record: 38, attr: 'account.billing_postcode', code: 'shorter_than_other_numbers', count: 1 },
    ]);
    expect(await compared(numbers(38).map((index) => at(`A-${index}`, `${index + 1000}`)))).toEqual([]);
  });

  it('a number without a digit is found beside twenty that have one', async () => {
    const withTotals = (count: number) => [...numbers(count).map((index) => account(`A-${index}`)), account('Summe')];
    expect(inWords(await compared(withTotals(20)))).toEqual([
      '20 account.external_account_number number_without_digit warning: All or nearly all other numbers have a digit: a row of totals, or a comment, may have become a record. {"count":1,"others":[]}',
    ]);
    expect(await compared(withTotals(19))).toEqual([]);
    expect(await compared([...withTotals(20), account('Total'), account('Gesamt')])).toEqual([]);
  });

  describe('a record whose only own text is its number', () => {
    const named = (count: number) =>
      numbers(count).map((index) => account(`A-${index}`, { billing_country: 'FR', billing_name: `Name ${index}` }));
    const total = (number: string, fields = {}) => account(number, { billing_country: 'FR', ...fields });

    it('is looked for in a value that contains itself, too', async () => {
      const cyclic: Record<string, unknown> = {};
      cyclic['metadata'] = [cyclic];
      expect(await compared([total('A-1', cyclic), ...named(20)])).toMatchObject([{ record: 0 }]);
    });

    it('is found beside twenty others, wherever it is, also if its other fields are empty', async () => {
      const records = [total('Page 1'), ...named(40), total('Sous-total 2024', { billing_name: ' ' })];
      expect(inWords(await compared(records))).toEqual([
        '0 account.external_account_number record_of_only_a_number warning: Beside its number the record has no text that differs between records, and all or nearly all others have one: a row of totals, or of a page, may have become a record. {"count":2,"others":[{"record":41,"attr":"account.external_account_number"}]}',
      ]);
    });

    it.each([
      ['fewer than twenty others for each', [...named(39), total('40'), total('99')]],
      [
        'another text',
        [...named(40), total('40', { billing_address1: '1 rue Haute' }), total('41', { billing_address1: 'x' })],
      ],
      ['records that all have only a number', numbers(30).map((index) => total(`A-${index}`))],
    ])('%s: none is found', async (_, records) => {
      expect(await compared(records)).toEqual([]);
    });
  });

  it('of random numbers, a tenth has lost a zero', async () => {
    const records = numbers(100).map((index) =>
      account(index % 9 === 0 ? `1234567${index + 10}` : `12345678${index + 10}`),
    );
    expect((await compared(records)).map(({ code }) => code)).toEqual(['shorter_than_other_numbers']);
  });

  it.each<[string, string[]]>([
    ['few numbers', ['123456789', '12345678']],
    ['numbers that are counted from 1', numbers(2000).map((index) => String(index + 1))],
    ['numbers with a zero in front', [...numbers(30).map((index) => `1234567${index + 10}`), '01234567']],
    ['ids of another form', [...numbers(30).map((index) => `1234567${index + 10}`), 'GI000001']],
    ['ids that are four digits shorter', [...numbers(30).map((index) => `1234567${index + 10}`), '12345']],
    [
      'as many numbers of two lengths',
      numbers(40).map((index) => `${index % 2 === 0 ? '123456789' : '1234567890'}${index + 10}`),
    ],
  ])('%s have no usual length', async (_, ids) => {
    expect(await compared(ids.map((id) => account(id)))).toEqual([]);
  });

  it('an e-mail address or a telephone number of a hundred customers is found, however it is written', async () => {
    const customer = (index: number) => ({
      email: index % 2 === 0 ? 'None@example.com' : ' none@example.com',
      mobile: index < 99 ? '+33612345678' : '+33612345679',
      landline: index % 2 === 0 ? '+33 1 23 45 67 89' : '+33123456789',
    });
    const records = numbers(100).map((index) => account(`A-${index}`, { customers: [customer(index)] }));
    expect(
      (await compared(records)).map(({ record, attr, count, others }) => ({ record, attr, count, others })),
    ).toEqual([
      {
        record: 0,
        attr: 'account.customers.0.email',
        count: 100,
        others: [
          { record: 1, attr: 'account.customers.0.email' },
          { record: 2, attr: 'account.customers.0.email' },
        ],
      },
      expect.objectContaining({ record: 0, attr: 'account.customers.0.landline', count: 100 }),
    ]);
  });

  it('a contact of many is also found among a million others, and the others are forgotten', { tags: 'long' }, () => {
    const found = createComparisons<number>();
    for (let index = 0; index < 200_000; index++) {
      const email = index % 1000 === 0 ? 'none@example.com' : `c${index}@example.com`;
      found.add(account(`A-${index}`, { customers: [{ email }] }), index);
    }
    const [{ code, count } = { code: '', count: 0 }] = found.findings();
    expect([code, count]).toEqual(['contact_of_many_customers', 200]);
  });

  it('empty contacts are none', async () => {
    const records = numbers(200).map((index) => account(`A-${index}`, { customers: [{ email: '', landline: '' }] }));
    expect(await compared(records)).toEqual([]);
  });
});
