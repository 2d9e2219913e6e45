/** U10: what a supplier that is Paused or Complete is refused. */
import { describe, expect, test } from 'vitest';
import type { SandboxSettings } from '../../../src/sandbox/index.js';
import { account, importAccount, openSandbox, PROCESS, processing, STAGE, type Talk } from '../support/requests.js';

const key = account('A-1');
const instruction = { vendor: 'VENDOR', reference: 'R-1' };
const business = { import_supplier_code: 'SANDBOX_SUPPLIER', external_business_identifier: 'B-1' };

/** Every call that names a supplier in its body; the last column is its success. */
const CALLS: [place: string, path: string, body: Record<string, unknown>, attr: string, success: number][] = [
  ['stage', STAGE, account('A-2'), 'import_supplier', 200],
  ['stage', STAGE, account('A-3'), 'import_supplier', 201],
  ['validate', 'validate-account/', key, 'import_supplier', 200],
  ['process', PROCESS, processing('A-2'), 'import_supplier_code', 201],
  ['business', 'business/', { ...business, external_business_identifier: 'B-2' }, 'import_supplier_code', 201],
  ['post-import', 'notes/create/', { ...key, notes: [{ body: 'Apple' }] }, 'import_supplier', 201],
  ['post-import', 'transactions/create/', { ...key, transactions: [{ type: 'CHARGE' }] }, 'import_supplier', 201],
  ['post-import', 'historical-statements/create/', { ...key, statements: [{}] }, 'import_supplier', 201],
  ['post-import', 'payment-instruction/create/', { ...key, ...instruction }, 'import_supplier', 201],
  ['post-import', 'business-payment-instruction/create/', { ...business, ...instruction }, 'import_supplier_code', 201],
];

type Places = SandboxSettings['refusedUnlessOngoing'];

/** A-1 is imported, A-2 staged, B-1 created; then the supplier is no longer Ongoing. */
const prepare = async (status: 'Paused' | 'Complete', places?: Places): Promise<Talk> => {
  const talk = openSandbox({ settings: places === undefined ? {} : { refusedUnlessOngoing: places } });
  await importAccount(talk, 'A-1');
  await talk.post(STAGE, account('A-2'));
  await talk.post('business/', business);
  talk.sandbox.setSupplierStatus('SANDBOX_SUPPLIER', status);
  return talk;
};

describe.each(['Paused', 'Complete'] as const)('E5 E6 U10 a supplier that is %s', (status) => {
  test.each([
    ['the default', undefined, ['stage', 'process']],
    ['none', [], ['stage']],
    ['validate', ['validate'], ['stage', 'validate']],
    ['process', ['process'], ['stage', 'process']],
    ['business', ['business'], ['stage', 'business']],
    ['post-import', ['post-import'], ['stage', 'post-import']],
    [
      'all',
      ['validate', 'process', 'business', 'post-import'],
      ['stage', 'validate', 'process', 'business', 'post-import'],
    ],
  ] as [string, Places | undefined, string[]][])('U10 with %s', async (_, places, refused) => {
    const { post, unchanged } = await prepare(status, places);
    const detail = `Import supplier SANDBOX_SUPPLIER is ${status}: no account can be migrated.`;
    const code = 'import_supplier_not_ongoing';
    for (const [place, path, body, attr, success] of CALLS) {
      if (refused.includes(place)) {
        const answer = await unchanged(() => post(path, body));
        expect([path, answer]).toEqual([
          path,
          { status: 400, body: { detail, code, errors: [{ detail, code, attr }] } },
        ]);
      } else {
        expect([path, (await post(path, body)).status]).toEqual([path, success]);
      }
    }
  });
});
