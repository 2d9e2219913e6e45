/** A recording of about 200 calls: a rehearsal at a service whose settings are hidden. */

import type { RecordedCall } from '../../src/learn/record.js';
import { recordCalls } from '../../src/learn/record.js';
import { createSandbox, type Sandbox, type SandboxSettings } from '../../src/sandbox/index.js';

const BASE = 'http://service.example.com/v1/data-import/';

/** A service in which calls may overlap: a call with effects runs until `finish`. */
function hiddenService(settings: Partial<SandboxSettings>) {
  let now = Date.parse('2026-01-15T09:00:00Z');
  let running: (() => void)[] = [];
  let isHeld = false;
  const sandbox: Sandbox = createSandbox({
    suppliers: [{ code: 'NORTH' }],
    teams: ['EAST'],
    settings: { ...settings, processDurationMs: 1, itemDurationMs: 1, businessDurationMs: 1 },
    wait: () => (isHeld ? new Promise((resolve) => running.push(resolve)) : Promise.resolve()),
  });
  const calls: RecordedCall[] = [];
  const lines: string[] = [];
  const send = recordCalls(
    (line) => {
      lines.push(line);
      calls.push(JSON.parse(line) as RecordedCall);
    },
    { fetch: (url, init) => sandbox.fetch(url, init), now: () => now },
  );
  const scheme = settings.authScheme === 'Bearer' ? 'Bearer ' : settings.authScheme === 'bare' ? '' : 'Token ';
  const request = async (path: string, body?: unknown, authorization = scheme + sandbox.token) => {
    const headers: Record<string, string> = {
      ...(authorization !== '' && { authorization }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const init =
      body === undefined ? { method: 'GET', headers } : { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await send(BASE + path, init);
    now += 5;
    return response;
  };
  /** Starts each call 1 ms after the one before, then ends all. */
  const overlapping = async (starts: readonly (() => Promise<unknown>)[]) => {
    isHeld = true;
    const started: Promise<unknown>[] = [];
    for (const start of starts) {
      started.push(start());
      for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
      now += 10;
    }
    isHeld = false;
    for (const end of running) end();
    running = [];
    await Promise.all(started);
    now += 50;
  };
  return { request, overlapping, calls, lines, sandbox };
}

export interface ScenarioOptions {
  /** Put into each personal field. */
  marker?: string;
  accounts?: number;
}

/** Makes the calls; returns the recording. */
export async function record(
  settings: Partial<SandboxSettings>,
  { marker = 'Camille', accounts = 20 }: ScenarioOptions = {},
) {
  const service = hiddenService(settings);
  const { request, overlapping, calls, lines } = service;
  const supplier = { import_supplier: 'NORTH' };
  const account = (number: string, more: object = {}) => ({
    ...supplier,
    external_account_number: number,
    last_billed_to_date: '2026-01-10',
    customers: [
      { given_name: marker, family_name: marker, email: 'camille@example.com', mobile: '+33612345678', landline: '' },
    ],
    metadata: [{ key: marker, value: { [marker]: marker } }],
    ...more,
  });
  const process = (number: string, more: object = {}) => ({
    external_account_number: number,
    import_supplier_code: 'NORTH',
    operations_team_name: 'EAST',
    ...more,
  });
  const STAGE = 'account-import-process/create-or-update/';
  const PROCESS = 'account-import-process/process/';
  // Numbers that are not staged in their order.
  const numbers = Array.from({ length: accounts }, (_, index) => `${marker}-${(index * 7) % accounts}`);

  await request('pending-account-import-processes/NORTH/');
  await request('account-transfer-status/NORTH/none');
  await request('account-transfer-status/NORTH/none/', undefined, '');
  await request('account-transfer-status/NORTH/none/', undefined, `Token ${service.sandbox.token}`);
  await request('account-transfer-status/NORTH/none/', undefined, `Bearer ${service.sandbox.token}`);
  await request('account-transfer-status/NORTH/none/', undefined, service.sandbox.token);
  await request('validate-account/', account('A', { undocumented: marker }));
  await request('validate-account/', account('A', { account_type: 'OTHER' }));
  await request('validate-account/', account('A', { customers: [{ landline: marker }] }));
  await request('validate-account/', account('A', { statements: [{ statement_path: 'none.pdf' }] }));
  await request('validate-account/', account('A', { business: { business_contract_identifier: 'NONE' } }));
  await request(STAGE, account('C-1', { business: { business_contract_identifier: 'NONE' } }));
  await request(PROCESS, process('C-1'));
  await request('supply-point/populate/', { prm_ids: [], pce_ids: [] });
  await request('supply-point/populate/', { prm_ids: ['1', '1'] });
  const business = {
    import_supplier_code: 'NORTH',
    external_business_identifier: 'B-1',
    business: { company_name: marker, business_contracts: [{ identifier: 'K-1' }] },
  };
  await request('business/', business);
  await request('business/', business);
  const instruction = { vendor: 'v', reference: 'r-1', type: 'CARD' };
  const ofBusiness = { import_supplier_code: 'NORTH', external_business_identifier: 'B-1', ...instruction };
  const bpi = 'business-payment-instruction/create/';
  await request(bpi, { ...ofBusiness, external_business_identifier: 'B-9' });
  await request(bpi, ofBusiness);
  await request(PROCESS, process('none', { operations_team_name: 'WEST' }));
  await request(PROCESS, process('none'));
  await request(PROCESS, process('none', { import_supplier_code: 'SOUTH' }));
  await request(PROCESS, process('none', { import_supplier_code: 'SOUTH', operations_team_name: 'WEST' }));
  for (const number of numbers) {
    await request(STAGE, account(number, { notes: [{ body: `${marker} staged` }] }));
  }
  await request(bpi, { ...ofBusiness, accounts: [{ external_account_number: numbers[0] }] });
  await request('all-account-import-processes/NORTH/');
  await request('transactions/create/', {
    ...supplier,
    external_account_number: numbers[0],
    transactions: [{ transaction_id: 'T', type: 'CHARGE' }],
  });
  await request(PROCESS, process(numbers[0] ?? '', { dry_run: true }));
  for (const number of numbers.slice(0, -4)) await request(PROCESS, process(number));
  await request(PROCESS, process(numbers[0] ?? '', { operations_team_name: 'WEST' }));
  await request(PROCESS, process(numbers[0] ?? ''));
  await request('account-transfer-status/NORTH/C-1/');
  await request('imported-account-import-processes/NORTH/');
  await request('all-account-import-processes/NORTH/');
  for (const number of numbers.slice(0, -4)) {
    const of = { ...supplier, external_account_number: number };
    await request('notes/create/', { ...of, notes: [{ body: `${marker} staged` }, { body: `${marker} two` }] });
    await request('notes/create/', { ...of, notes: [{ document_paths: [{ document_path: `/${marker}.pdf` }] }] });
    await request('notes/create/', { ...of, notes: [{ document_paths: [{ document_path: `/${marker}.pdf` }] }] });
    const transaction = { transaction_id: `T-${number}`, transaction_date: '2026-01-14', amount: 12.5, type: 'CHARGE' };
    await request('transactions/create/', { ...of, transactions: [transaction] });
    await request('transactions/create/', { ...of, transactions: [{ ...transaction, amount: 13.5 }] });
    await request('transactions/create/', {
      ...of,
      transactions: [{ ...transaction, transaction_id: `U-${number}`, transaction_date: '2025-06-01' }],
    });
  }
  const of = { ...supplier, external_account_number: numbers[0] };
  const early = { transaction_id: 'E-1', transaction_date: '2025-06-01', amount: 1.5, type: 'CHARGE' };
  const inside = { transaction_id: 'E-2', transaction_date: '2026-01-12', amount: 1.5, type: 'CHARGE' };
  const force = 'transactions/create/?force_add_to_current_statement=false';
  await request(force, { ...of, transactions: [inside, early] });
  await request(force, { ...of, transactions: [inside] });
  await request('historical-statements/create/', { ...of, statements: [{ statement_id: 'S-1' }] });
  await request('payment-instruction/create/', { ...of, ...instruction });
  await request('payment-instruction/create/', { ...of, ...instruction, reference: 'sbx-vendor-persistent' });
  // Calls at the same time.
  const [w = '', x = '', y = '', z = ''] = numbers.slice(-4);
  await overlapping([
    () => request(PROCESS, process(w)),
    () => request(`account-transfer-status/NORTH/${encodeURIComponent(w)}/`),
    () => request(PROCESS, process(w)),
    () => request(PROCESS, process(x, { dry_run: true })),
    () => request(PROCESS, process(y, { dry_run: true })),
  ]);
  await overlapping([
    () => request(PROCESS, process(x)),
    () => request(PROCESS, process(y)),
    () => request(PROCESS, process(z)),
  ]);
  const again = { ...of, notes: [{ body: `${marker} at once` }] };
  await overlapping([() => request('notes/create/', again), () => request('notes/create/', again)]);
  const other = { ...business, external_business_identifier: 'B-2' };
  await overlapping([() => request('business/', other), () => request('business/', other)]);
  return { calls, lines };
}
