/** Records that the service refused because it did not have a business or an account: the unchanged line is sent again when the run has that one. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { account, line, openFolder, openService, run } from '../typed.js';

const { at } = openFolder();

const business = (identifier: string, contract: string, more: object = {}) => ({
  business: {
    import_supplier_code: 'SANDBOX_SUPPLIER',
    external_business_identifier: identifier,
    business: { company_name: `Company ${identifier}`, business_contracts: [{ identifier: contract }] },
  },
  ...more,
});
const ofBusiness = (number: string, contract: string, more: object = {}) =>
  account(number, { account_type: 'BUSINESS', business: { business_contract_identifier: contract }, ...more });

/** A run of which each day has other lines. */
function days(name: string) {
  const [input, folder] = [at(`${name}.jsonl`), at(name)];
  return {
    folder,
    async day(...records: object[]) {
      writeFileSync(input, records.map(line).join(''));
      return run('run', input, '--run', folder);
    },
  };
}

const NO_BUSINESS = { detail: 'No business.', code: 'business_contract_not_found' };

const balance = (out: string) => out.split('\n').filter((text) => / = \d+$/.test(text));

test.each([
  ['before', [business('B-5', 'F-5'), ofBusiness('A-1', 'F-5')]],
  ['after', [ofBusiness('A-1', 'F-5'), business('B-5', 'F-5')]],
])(
  'an account without its business is sent again once the input has the business, %s the account',
  async (place, lines) => {
    const sandbox = await openService();
    const { day } = days(`business-${place}`);
    const first = await day(ofBusiness('A-1', 'F-5'));
    expect([first.code, balance(first.out)]).toEqual([
      3,
      ['0 created + 0 already imported + 1 rejected + 0 skipped + 0 unknown = 1'],
    ]);
    const second = await day(...lines);
    expect([second.code, balance(second.out)]).toEqual([
      0,
      ['2 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 2'],
    ]);
    const sent = sandbox.requests().length;
    expect((await day(...lines)).code).toBe(0);
    expect(sandbox.requests()).toHaveLength(sent);
  },
);

test('an account whose business is refused then waits for that business, and its own refusal is over', async () => {
  await openService();
  const { day, folder } = days('refused-business');
  await day(ofBusiness('A-1', 'F-5'));
  const invalid = {
    ...business('B-5', 'F-5'),
    payment_instructions: [{ vendor: 'V', reference: 'R-1', type: 'CARD', accounts: 'A-1' }],
  };
  const second = await day(invalid, ofBusiness('A-1', 'F-5'));
  expect(second.code).toBe(3);
  expect(balance(second.out)[0]).toBe('0 created + 0 already imported + 1 rejected + 1 skipped + 0 unknown = 2');
  expect(readFileSync(`${folder}/rejected.jsonl`, 'utf8')).not.toContain('business_contract_not_found');
  expect((await day(business('B-5', 'F-5'), ofBusiness('A-1', 'F-5'))).code).toBe(0);
});

test('an account that the service refuses although the run has created the business is not sent again', async () => {
  const refused = {
    match: { operation: 'accounts.stage' },
    effect: { status: 400, body: { business: { business_contract_identifier: [NO_BUSINESS] } } },
  } as const;
  const sandbox = await openService({ faults: [refused] });
  const { day } = days('other-contract');
  const lines = [business('B-5', 'F-5'), ofBusiness('A-1', 'F-5')];
  expect((await day(...lines)).code).toBe(3);
  expect((await day(...lines, ofBusiness('A-2', 'F-5'))).code).toBe(3);
  const staged = sandbox
    .requests()
    .filter(({ operation, account: number }) => operation === 'accounts.stage' && number === 'A-1');
  expect(staged).toHaveLength(1);
});

const payer = business('B-1', 'F-1', {
  payment_instructions: [
    { vendor: 'V', reference: 'R-1', type: 'CARD', accounts: [{ external_account_number: 'A-2' }] },
  ],
});

test('a payment instruction that is refused although the run has created the account is not sent again', async () => {
  const refused = {
    match: { operation: 'businesses.createPaymentInstruction' },
    effect: { status: 400, body: { detail: 'No account.', code: 'account_not_found' } },
  } as const;
  const sandbox = await openService({ faults: [refused] });
  const { day } = days('other-account');
  expect((await day(payer, ofBusiness('A-2', 'F-1'))).code).toBe(3);
  expect((await day(payer, ofBusiness('A-2', 'F-1'), ofBusiness('A-3', 'F-1'))).code).toBe(3);
  const sent = sandbox.requests().filter(({ operation }) => operation === 'businesses.createPaymentInstruction');
  expect(sent).toHaveLength(1);
});

test('a payment instruction of a business for an account that was refused is sent after the account is corrected', async () => {
  const sandbox = await openService();
  const { day } = days('instruction');
  const first = await day(payer, ofBusiness('A-2', 'F-1', { customers: [{ family_name: 'Sample', mobile: 'x' }] }));
  expect(first.code).toBe(3);
  expect(balance(first.out)).toEqual([
    '1 created + 0 already imported + 1 rejected + 0 skipped + 0 unknown = 2',
    'payment instructions: 0 sent + 1 rejected = 1',
  ]);
  const second = await day(payer, ofBusiness('A-2', 'F-1', { customers: [{ family_name: 'Sample' }] }));
  expect([second.code, balance(second.out)]).toEqual([
    0,
    ['2 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 2', 'payment instructions: 1 sent = 1'],
  ]);
  const [supplier] = sandbox.state.suppliers;
  expect(supplier?.businesses[0]?.payment_instructions).toMatchObject([{ reference: 'R-1' }]);
});
