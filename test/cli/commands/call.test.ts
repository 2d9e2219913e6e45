/** `data-import-sdk call`: one call, its answer as JSON, and an exit code; settings by flag, environment and config file. */
import { writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.js';
import { openFolder, openService, refusal, refused, run } from '../typed.js';

const { at } = openFolder();
let sandbox: Sandbox;
const file = (name: string, content: unknown) => {
  writeFileSync(at(name), typeof content === 'string' ? content : JSON.stringify(content));
  return at(name);
};

beforeEach(async () => {
  sandbox = await openService();
});

const account = { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: 'A-1' };
const processing = {
  import_supplier_code: 'SANDBOX_SUPPLIER',
  external_account_number: 'A-1',
  operations_team_name: 'SANDBOX_TEAM',
};

describe('--query', () => {
  const charge = { type: 'CHARGE', transaction_id: 'T-1', transaction_date: '2020-01-01', amount: 1 };
  const transactions = () => file('t.json', { ...account, transactions: [charge] });
  const imported = async () => {
    await run('call', 'accounts.stage', '--body', file('a.json', { ...account, last_billed_to_date: '2021-12-31' }));
    await run('call', 'accounts.process', '--body', file('p.json', processing));
  };

  test('sends query parameters by the names of the specification', async () => {
    await imported();
    const send = (...query: string[]) =>
      run('call', 'transactions.create', '--body', transactions(), ...query.flatMap((one) => ['--query', one]));
    expect((await send('force_add_to_current_statement=false')).err).toContain('transactions.create: 400');
    expect((await send()).code).toBe(0);
    const again = await send('check_previously_added=false', 'force_add_to_current_statement=true');
    expect(JSON.parse(again.out).results[0].status).toBe('TRANSACTION_ADDED_TO_ACCOUNT');
  });

  const NAMES = 'It takes check_previously_added and force_add_to_current_statement.';
  const VALUES = 'expected check_previously_added=true or check_previously_added=false, found';
  test.each([
    ['x=1', `transactions.create has no query parameter x. ${NAMES}`],
    ['=true', `transactions.create has no query parameter "". ${NAMES}`],
    ['check_previously_added', `${VALUES} check_previously_added.`],
    ['check_previously_added=no', `${VALUES} check_previously_added=no.`],
  ])('%s is refused before anything is sent', async (query, message) => {
    expect(await run('call', 'transactions.create', '--body', transactions(), '--query', query)).toEqual(
      refusal(`--query: ${message}`),
    );
    expect(sandbox.requests()).toEqual([]);
  });

  test('a parameter that is given twice is refused', async () => {
    const twice = ['--query', 'check_previously_added=true', '--query', 'check_previously_added=false'];
    expect(await run('call', 'transactions.create', '--body', transactions(), ...twice)).toMatchObject({
      code: 2,
      err: 'data-import-sdk: --query: check_previously_added is given twice.\n',
    });
  });

  test('an operation without query parameters is reported', async () => {
    expect(await run('call', 'imports.all', 'SANDBOX_SUPPLIER', '--query', 'page=2')).toMatchObject({
      code: 2,
      err: 'data-import-sdk: --query: imports.all has no query parameter page. It takes none.\n',
    });
  });
});

describe('a call', () => {
  test('prints the answer as JSON', async () => {
    const answer = await run('call', 'accounts.stage', '--body', file('a.json', account));
    expect({ ...answer, out: JSON.parse(answer.out) }).toEqual({
      code: 0,
      out: account,
      err: '',
    });
  });

  test('takes supplier and account for the queries', async () => {
    expect(await run('call', 'imports.all', 'SANDBOX_SUPPLIER')).toEqual({ code: 0, out: '[]\n', err: '' });
    expect(await run('call', 'imports.status', 'SANDBOX_SUPPLIER', 'A-1')).toMatchObject({
      code: 3,
      err: expect.stringContaining('imports.status: 404 import_process_not_found'),
    });
  });

  test('a process with dry_run is a dry run, and creates nothing', async () => {
    await run('call', 'accounts.stage', '--body', file('a.json', account));
    const body = file('p.json', { ...processing, dry_run: true });
    const { code, out } = await run('call', 'accounts.process', '--body', body);
    expect([code, JSON.parse(out).detail]).toEqual([
      0,
      'Account would successfully import. Rolled back due to Dry Run.',
    ]);
    expect(sandbox.state.suppliers[0]?.accounts[0]?.imported).toBeNull();
  });

  test('refusals are printed with their paths, and end with code 3', async () => {
    const body = file('a.json', { ...account, customers: [{ landline: 'x' }] });
    const { code, out, err } = await run('call', 'accounts.stage', '--body', body);
    expect(code).toBe(3);
    expect(err).toBe(
      'data-import-sdk: accounts.stage: invalid_payload, customers.0.landline invalid_phone_number: Expected a telephone number, best in international form such as +33612345678. ' +
        'Nothing was sent: fix the payload. [invalid-payload-error]\n',
    );
    expect(JSON.parse(out)).toMatchObject([{ code: 'invalid_phone_number', attr: 'customers.0.landline' }]);
  });

  test.each([
    [{ non_field_errors: ['The supplier is paused.'] }, 'http_400'],
    [{ detail: 'The supplier is paused.', code: 'e_7' }, 'e_7'],
    [{ error_detail: 'The supplier is paused.', external_account_number: 'A-1' }, 'http_400'],
  ])('the words of a refusal that names no field are printed: %j', async (body, refusal) => {
    sandbox.faults.add({ effect: { status: 400, body } });
    const { code, out } = await run('call', 'accounts.stage', '--body', file('a.json', account));
    expect(code).toBe(3);
    expect(JSON.parse(out)).toEqual([{ detail: 'The supplier is paused.', code: refusal, attr: 'non_field_errors' }]);
  });

  test('a token that is not accepted ends with code 8', async () => {
    vi.stubEnv('DATA_IMPORT_TOKEN', 'wrong');
    expect(await run('call', 'imports.all', 'S')).toMatchObject({ code: 8, err: expect.stringContaining('401') });
  });

  test('no connection ends with code 1', async () => {
    const { code, out, err } = await run(
      ...['call', 'imports.all', 'S', '--base-url', 'http://127.0.0.1:9', '--max-retries', '0'],
    );
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(
      /^data-import-sdk: imports\.all: no connection to 127\.0\.0\.1:9 could be made \(ECONNREFUSED\).*\n$/,
    );
  });

  test('a lost answer ends with code 4 if the call may have taken effect, otherwise with 1', async () => {
    sandbox.faults.add({ effect: 'drop', phase: 'afterCommit' });
    const body = file('b.json', {
      import_supplier_code: 'SANDBOX_SUPPLIER',
      external_business_identifier: 'B-1',
      business: {},
    });
    expect(await run('call', 'businesses.create', '--body', body, '--max-retries', '0')).toMatchObject({
      code: 4,
      err: expect.stringContaining('no answer came, so the request may have taken effect.'),
    });
    expect((await run('call', 'imports.all', 'S', '--max-retries', '0')).code).toBe(1);
  });

  test('--sandbox needs neither address nor token', async () => {
    vi.stubEnv('DATA_IMPORT_TOKEN', '');
    vi.stubEnv('DATA_IMPORT_BASE_URL', undefined);
    expect(await run('call', 'imports.all', 'S', '--sandbox')).toEqual({ code: 0, out: '[]\n', err: '' });
  });

  test('a token is had for an API key', async () => {
    vi.stubEnv('DATA_IMPORT_TOKEN', '');
    vi.stubEnv('DATA_IMPORT_API_KEY', sandbox.apiKey);
    const document = file(
      'm.graphql',
      'mutation ($apiKey: String!) { obtainToken(input: { apiKey: $apiKey }) { token } }',
    );
    const graphql = [
      '--graphql-url',
      process.env['DATA_IMPORT_BASE_URL'] + sandbox.graphqlPath,
      '--graphql-document',
      document,
    ];
    const answer = await run('call', 'imports.all', 'S', ...graphql, '--graphql-select', 'obtainToken.token');
    // The sandbox wants the key at input.apiKey, and the mutation sends it as a separate variable.
    expect(answer).toMatchObject({ code: 8, err: expect.stringContaining('INVALID_API_KEY') });
  });
});

describe('settings', () => {
  test('a proxy without its scheme ends in one line and code 2, which does not quote it', async () => {
    vi.stubEnv('HTTPS_PROXY', 'ada:secret@proxy.example.com:3128');
    const { code, err } = await run('call', 'imports.all', 'S', '--base-url', 'https://api.example.com');
    expect([code, err]).toEqual([
      2,
      'data-import-sdk: HTTPS_PROXY: expected the address of an HTTP proxy with its scheme, such as http://proxy.example.com:3128.\n',
    ]);
  });

  test('a flag counts more than the environment, and that more than the config file', async () => {
    const config = file('config.json', { baseUrl: 'http://localhost:1', maxRetries: 0 });
    expect((await run('call', 'imports.all', 'S', '--config', config)).code).toBe(0);
    const flag = ['--base-url', 'http://127.0.0.1:9'];
    expect((await run('call', 'imports.all', 'S', '--config', config, ...flag)).err).toContain('ECONNREFUSED');
    const baseUrl = process.env['DATA_IMPORT_BASE_URL'];
    vi.stubEnv('DATA_IMPORT_BASE_URL', undefined);
    expect((await run('call', 'imports.all', 'S', '--config', file('c.json', { baseUrl }))).code).toBe(0);
  });

  test.each<[string, unknown, string]>([
    ['an unknown name', { baseurl: 'x' }, 'there is no setting baseurl; did you mean baseUrl?'],
    ['a bad value', { timeout: 'soon' }, 'timeout: found text. Expected seconds, from 0.001 up.'],
    ['no object', [], 'expected settings as a JSON object, found other JSON.'],
    ['no JSON', '{', 'is not valid JSON; expected settings as a JSON object.'],
  ])('a config file with %s ends in one line and code 2', async (_, content, message) => {
    expect(await run('call', 'imports.all', 'S', '--config', file('config.json', content))).toMatchObject(
      refused(message),
    );
  });

  test('one config file serves all commands: settings of another one are passed over', async () => {
    const baseUrl = process.env['DATA_IMPORT_BASE_URL'];
    const config = file('shared.json', { baseUrl, team: 'EAST', window: 'Mon-Fri 20:00-06:00', accounts: 5 });
    expect((await run('call', 'imports.all', 'S', '--config', config)).code).toBe(0);
  });

  test('a missing config file that was given', async () => {
    const { code, err } = await run('call', 'imports.all', 'S', '--config', '/none.json');
    expect({ code, err }).toEqual({
      code: 2,
      err: 'data-import-sdk: /none.json cannot be read (there is no such file); expected settings as a JSON object.\n',
    });
  });
});

describe('invalid arguments end in one line and code 2', () => {
  test.each<[string, string[], string]>([
    [
      'an unknown operation',
      ['accounts.stag'],
      'unknown operation accounts.stag; expected one of supplyPoints.populate, ',
    ],
    ['no payload', ['accounts.stage'], 'accounts.stage needs a payload: give --body <path>, or --body -.'],
    [
      'a payload that is not there',
      ['notes.create', '--body', '/none'],
      '--body: /none cannot be read (there is no such file)',
    ],
    ['words too many', ['imports.all', 'S', 'A'], 'expected import_supplier_code after the name, found 2 words.'],
    ['an address that is none', ['imports.all', 'S', '--base-url', 'x'], 'data-import-sdk: --base-url: expected'],
    ['a word that is none', ['imports.all', 'S', '--token-scheme', 'a b'], 'data-import-sdk: --token-scheme: expected'],
    ['no time to answer', ['imports.all', 'S', '--timeout', '0.0001'], 'Expected seconds, from 0.001 up.'],
    ['a payload too many', ['imports.all', 'S', '--body', '/none'], 'imports.all takes no payload: leave out --body.'],
    ['a profile that is not there', ['imports.all', 'S', '--profile', '/none'], '--profile: /none cannot be read'],
  ])('%s', async (_, args, message) => {
    const { code, out, err } = await run('call', ...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
  });

  test('no address, and no token', async () => {
    vi.stubEnv('DATA_IMPORT_TOKEN', '');
    expect((await run('call', 'imports.all', 'S')).err).toContain('no token: give DATA_IMPORT_TOKEN, --token-file');
    vi.stubEnv('DATA_IMPORT_API_KEY', 'k');
    expect((await run('call', 'imports.all', 'S')).err).toContain('DATA_IMPORT_API_KEY needs --graphql-url');
    vi.stubEnv('DATA_IMPORT_BASE_URL', undefined);
    expect((await run('call', 'imports.all', 'S')).err).toContain('no service: give --base-url');
  });
});
