/** A payload with errors never reaches the network (issue 2, section 2; DESIGN 4). */
import type {
  CallOptions,
  DataImportClient,
  DataImportClientOptions,
  InvalidPayloadError,
  Logger,
} from 'data-import-sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { businessPaymentInstruction } from '../examples/payment-instructions.js';
import { account, type CallName, calls, processPayload, sendAs } from '../helpers/calls.js';
import { clientOf, errorOf } from '../helpers/client-of.js';
import { answer, misbehavingServer } from '../helpers/misbehaving-server.js';

/** Each of the nine payloads, with one thing wrong. */
const wrongPayloads: [name: CallName, payload: object, attr: string, code: string][] = [
  ['supplyPoints.populate', { prm_ids: ['1', 2] }, 'prm_ids.1', 'invalid_type'],
  ['businesses.create', { import_supplier_code: 'ACME' }, 'external_business_identifier', 'required'],
  [
    'businesses.createPaymentInstruction',
    { ...businessPaymentInstruction, accounts: [{}] },
    'accounts.0.external_account_number',
    'required',
  ],
  [
    'accounts.validate',
    { ...account, customers: [{ landline: 'home' }] },
    'customers.0.landline',
    'invalid_phone_number',
  ],
  ['accounts.stage', { ...account, last_billed_to_date: '2023-02-29' }, 'last_billed_to_date', 'invalid_date'],
  ['accounts.process', { ...processPayload, import_supplier: 'X' }, 'import_supplier', 'unknown_field'],
  ['accounts.dryRun', { ...processPayload, import_supplier_code: undefined }, 'import_supplier_code', 'required'],
  ['notes.create', { ...account, notes: [{ body: 'x' }, {}] }, 'notes.1', 'required'],
  ['transactions.create', { ...account, transactions: [{ type: 'FEE' }] }, 'transactions.0.type', 'invalid_choice'],
  [
    'historicalStatements.create',
    { ...account, statements: [{ gross_amount: '1' }] },
    'statements.0.gross_amount',
    'invalid_type',
  ],
  ['paymentInstructions.create', { ...account, vendor: 'V' }, 'reference', 'required'],
];

describe.each(wrongPayloads)('%s', (name, payload, attr, code) => {
  const { path } = calls[name];
  const send = (client: DataImportClient, options?: CallOptions) => sendAs(name, client, payload, options);

  it('is refused with attr and code, and the server gets no request', async () => {
    const server = await misbehavingServer({ [path]: answer(418) });

    const error = await errorOf<InvalidPayloadError>(send(clientOf(server)));

    expect(error).toMatchObject({
      name: 'InvalidPayloadError',
      code: 'invalid_payload',
      nextAction: 'fixPayload',
      attempts: 0,
    });
    expect(error.errors).toMatchObject([{ attr, code, severity: 'error', detail: expect.any(String) }]);
    expect(error.at(attr)).toHaveLength(1);
    expect(error.at('elsewhere')).toEqual([]);
    expect(error.hasCode(code)).toBe(true);
    expect(error.hasCode('another')).toBe(false);
    expect(JSON.stringify(error.tree())).toContain(code);
    const hint = attr === 'import_supplier' ? ' (did you mean `import_supplier_code`?)' : '';
    expect(error.message.startsWith(`${error.operation}: invalid_payload, ${attr} ${code}${hint}`)).toBe(true);
    expect(error.message).toMatch(/[^.]\. Nothing was sent: fix the payload\. \[invalid-payload-error\]$/);
    expect(server.requests).toEqual([]);
  });

  it.each([
    ['of the client', { validate: false }, {}],
    ['of the call', {}, { validate: false }],
    ['of the call before that of the client', { validate: true }, { validate: false }],
  ])('validate: false %s sends it as it is', async (_, ofClient, ofCall) => {
    const server = await misbehavingServer({ [path]: answer(400, { code: 'no' }) });
    const error = await errorOf(send(clientOf(server, ofClient), ofCall));
    expect(error).toMatchObject({ name: 'ValidationError', code: 'no' });
    expect(server.requests).toHaveLength(1);
  });

  it('validate: true of the call overrides that of the client', async () => {
    const server = await misbehavingServer({ [path]: answer(418) });
    const error = await errorOf(send(clientOf(server, { validate: false }), { validate: true }));
    expect(error.name).toBe('InvalidPayloadError');
    expect(server.requests).toEqual([]);
  });
});

it.each([
  [
    'a cycle',
    () => {
      const payload: Record<string, unknown> = { ...account };
      payload['self'] = payload;
      return payload;
    },
  ],
  ['a BigInt', () => ({ ...account, number: 1n })],
])('validate: false and %s, which JSON cannot say: still nothing is sent', async (_, make) => {
  const server = await misbehavingServer({});
  const error = await errorOf<InvalidPayloadError>(
    clientOf(server).accounts.stage(make() as never, { validate: false }),
  );
  expect(error).toMatchObject({ name: 'InvalidPayloadError', errors: [{ code: 'invalid_json_value', attr: '' }] });
  expect(error.message).toBe(
    'accounts.stage: invalid_payload, the payload itself: invalid_json_value: The payload cannot be written as JSON: it contains a cycle or a BigInt. Nothing was sent: fix the payload. [invalid-payload-error]',
  );
  expect(server.requests).toEqual([]);
});

it('no payload at all is refused like any other', async () => {
  const server = await misbehavingServer({});
  const client = clientOf(server);
  for (const call of [
    client.accounts.stage(undefined as never),
    client.accounts.process(null as never),
    client.notes.create([] as never),
  ]) {
    expect((await errorOf(call)).name).toBe('InvalidPayloadError');
  }
  expect(server.requests).toEqual([]);
});

describe('warning', () => {
  const suspicious = { ...account, account_type: 'PROFESSIONAL', notes: [{ body: '' }] };
  const STAGE = calls['accounts.stage'].path;
  const stage = async (options: Partial<DataImportClientOptions>, payload: object = suspicious) => {
    const lines: unknown[][] = [];
    const logger: Logger = { debug: () => {}, warn: (...line) => void lines.push(line) };
    const server = await misbehavingServer({ [STAGE]: answer(201, account) });
    const client = clientOf(server, { logger, ...options });
    onTestFinished(() => client.close());
    return { lines, server, call: client.accounts.stage(payload as never) };
  };

  it('log, the default: the logger gets each warning without values, and the payload is sent', async () => {
    const { lines, server, call } = await stage({});
    await call;
    const callId = expect.any(Number);
    expect(lines).toEqual([
      [{ callId, operation: 'accounts.stage', code: 'empty_note', attr: 'notes.0' }, 'data-import warning'],
      [{ callId, operation: 'accounts.stage', code: 'value_never_seen', attr: 'account_type' }, 'data-import warning'],
    ]);
    expect(server.requests).toHaveLength(1);
  });

  it('log, without a logger: the payload is sent', async () => {
    const { call } = await stage({ logger: undefined });
    expect((await call).callOutcome).toBe('created');
  });

  it('ignore: the logger gets no warning', async () => {
    const { lines, call } = await stage({ advanced: { warnings: 'ignore' } });
    await call;
    expect(lines).toEqual([]);
  });

  it('reject: a warning blocks, with its severity', async () => {
    const { lines, server, call } = await stage({ advanced: { warnings: 'reject' } });
    const error = await errorOf<InvalidPayloadError>(call);
    expect(error.errors.map(({ attr, code, severity }) => [attr, code, severity])).toEqual([
      ['notes.0', 'empty_note', 'warning'],
      ['account_type', 'value_never_seen', 'warning'],
    ]);
    expect(lines).toEqual([]);
    expect(server.requests).toEqual([]);
  });

  it('with an error only the error blocks, and the logger gets no warning', async () => {
    const { lines, call } = await stage({}, { ...suspicious, odd: 1 });
    expect((await errorOf<InvalidPayloadError>(call)).errors.map(({ code }) => code)).toEqual(['unknown_field']);
    expect(lines).toEqual([]);
  });

  it('reject has no effect if validate is false', async () => {
    const { call } = await stage({ advanced: { warnings: 'reject' }, validate: false });
    expect((await call).callOutcome).toBe('created');
  });
});

describe('a profile', () => {
  const profile = { required: { Account: ['billing_postcode'] }, fields: { Account: { agreed: 'string' as const } } };

  it('refuses payloads that the deployment is known to refuse', async () => {
    const server = await misbehavingServer({});
    expect((await errorOf(clientOf(server, { profile }).accounts.stage(account))).message).toBe(
      'accounts.stage: invalid_payload, billing_postcode required: Required by the profile. Nothing was sent: fix the payload. [invalid-payload-error]',
    );
    expect(server.requests).toEqual([]);
  });

  it('sends agreed fields unchanged', async () => {
    const server = await misbehavingServer({ [calls['accounts.stage'].path]: answer(201, account) });
    const payload = { ...account, billing_postcode: '69003', agreed: 'yes' };
    await clientOf(server, { profile }).accounts.stage(payload);
    expect(server.requests[0]?.body).toBe(JSON.stringify(payload));
  });
});
