/** A refusal of what the service has already, after a lost answer or a failure, is our own success (issue 3). */
import { type CallOptions, DataImportClient, type DataImportClientOptions } from 'data-import-sdk';
import { describe, expect, it } from 'vitest';
import { historicalStatements } from '../examples/historical-statements.js';
import { calls } from '../helpers/calls.js';
import { clientOf, errorOf } from '../helpers/client-of.js';
import { answer, html, misbehavingServer, type Reaction, resetAfterReading } from '../helpers/misbehaving-server.js';

type Name = 'historicalStatements.create' | 'paymentInstructions.create' | 'businesses.createPaymentInstruction';

/** A code for each method: one that the client knows without the option, and those of a deployment. */
const codes: [Name, string, string[]][] = [
  ['historicalStatements.create', 'historical_statement_already_exists', []],
  ['paymentInstructions.create', 'instruction_exists', ['instruction_exists']],
  ['businesses.createPaymentInstruction', 'instruction_exists', ['instruction_exists']],
];
const failure = answer(500, { detail: 'Failed.' });
const [statement] = historicalStatements.statements;

/** A call with one statement or payment instruction. */
async function call(name: Name, reactions: Reaction[], options: Partial<DataImportClientOptions> = {}) {
  const server = await misbehavingServer({ [calls[name].path]: reactions });
  const client = clientOf(server, options);
  const send = (limits: CallOptions = {}) =>
    name === 'historicalStatements.create'
      ? client.historicalStatements.create(statements(1), limits)
      : calls[name].send(client, limits);
  return { server, send };
}

const statements = (count: number) => ({
  ...historicalStatements,
  statements: Array.from({ length: count }, (_, index) => ({ ...statement, statement_id: `S-${index}` })),
});

describe.each(codes)('%s, refused with %s', (name, code, listed) => {
  const body = { detail: 'It is there.', code };
  const options = (...more: string[]) => ({ advanced: { alreadyDone: { [name]: [...listed, ...more] } } });

  it('after a 500 is confirmed, with the body of the refusal', async () => {
    const { server, send } = await call(name, [failure, answer(400, body)], listed.length > 0 ? options() : {});
    expect(await send()).toMatchObject({ ...body, callOutcome: 'confirmed' });
    expect(server.requests).toHaveLength(2);
  });

  it('after a lost answer is confirmed, if the call may send again', async () => {
    const { send } = await call(name, [resetAfterReading, answer(400, body)], listed.length > 0 ? options() : {});
    expect(await send({ retryUnknownOutcome: true })).toMatchObject({ ...body, callOutcome: 'confirmed' });
  });

  it('after a lost answer is confirmed, if the client has the codes of the deployment', async () => {
    const { server, send } = await call(name, [resetAfterReading, answer(400, body)], options('another_code'));
    expect(await send()).toMatchObject({ ...body, callOutcome: 'confirmed' });
    expect(server.requests).toHaveLength(2);
  });

  it('among the errors of the answer is confirmed too', async () => {
    const list = { code: 'failed', errors: [{ detail: 'It is there.', code, attr: 'statements.0' }] };
    const { send } = await call(name, [failure, answer(400, list)], options());
    expect(await send()).toMatchObject({ ...list, callOutcome: 'confirmed' });
  });

  it.each([
    ['code', { code, errors: [{ detail: 'No.', code: 'invalid_choice', attr: 'vendor' }] }],
    [
      'errors',
      {
        code: 'failed',
        errors: [
          { detail: 'It is there.', code, attr: 'statements.0' },
          { detail: 'No.', code: 'invalid_choice', attr: 'statements.0.number' },
        ],
      },
    ],
  ])('in the %s, beside an error of another kind, is unknown: another object may exist', async (_, list) => {
    const { server, send } = await call(name, [failure, answer(400, list)], options());
    expect(await errorOf(send())).toMatchObject({ name: 'OutcomeUnknownError', nextAction: 'resolve' });
    expect(server.requests).toHaveLength(2);
  });

  it('at the first attempt is a ValidationError: another program created it', async () => {
    const { server, send } = await call(name, [answer(400, body)], options(code));
    expect(await errorOf(send())).toMatchObject({ name: 'ValidationError', code, attempts: 1 });
    expect(server.requests).toHaveLength(1);
  });

  it('after a 429, which had no effect, is a ValidationError', async () => {
    const { send } = await call(name, [answer(429), answer(400, body)]);
    expect(await errorOf(send())).toMatchObject({ name: 'ValidationError', code, attempts: 2 });
  });

  it('after a lost answer without permission to repeat is unknown, without a lookup', async () => {
    const { server, send } = await call(name, [resetAfterReading, answer(400, body)]);
    expect(await errorOf(send())).toMatchObject({ name: 'OutcomeUnknownError', nextAction: 'resolve' });
    expect(server.requests).toHaveLength(1);
  });

  it('with another code after a 500 is a ValidationError', async () => {
    const { send } = await call(name, [failure, answer(400, { code: 'vendor_unknown' })], options());
    expect(await errorOf(send())).toMatchObject({ name: 'ValidationError', code: 'vendor_unknown' });
  });
});

describe('two statements', () => {
  const item = (attr: string) => ({ detail: 'x', code: 'historical_statement_already_exists', attr });

  it.each([
    ['the first', { code: 'validation_failed', errors: [item('statements.0.statement_id')] }],
    ['the second', { code: 'validation_failed', errors: [item('statements.1')] }],
    ['the list', { code: 'validation_failed', errors: [item('statements')] }],
    ['neither', { code: 'historical_statement_already_exists' }],
  ])('a refusal that names %s does not say that both are stored', async (_, body) => {
    const { path } = calls['historicalStatements.create'];
    const server = await misbehavingServer({ [path]: [failure, answer(400, body)] });
    expect(await errorOf(clientOf(server).historicalStatements.create(statements(2)))).toMatchObject({
      ...{ name: 'OutcomeUnknownError', nextAction: 'resolve', mayHaveSucceeded: true },
      howToResolve: 'Ask the operator whether the account has these statements before you add them again.',
    });
  });

  it('a refusal that names both is confirmed', async () => {
    const body = { code: 'validation_failed', errors: [item('statements.1'), item('statements.0.statement_id')] };
    const { path } = calls['historicalStatements.create'];
    const server = await misbehavingServer({ [path]: [failure, answer(400, body)] });
    expect(await clientOf(server).historicalStatements.create(statements(2))).toMatchObject({
      callOutcome: 'confirmed',
    });
  });
});

it.each(['paymentInstructions.create', 'businesses.createPaymentInstruction'] as const)(
  '%s: the active payment instruction may be an older one, also if the service repeats the reference',
  async (name) => {
    const body = { detail: 'x', code: 'already_has_active_instruction', reference: 'CARD-0001' };
    for (const refusal of [body, { ...body, reference: undefined }]) {
      const { server, send } = await call(name, [failure, answer(400, refusal)]);
      expect(await errorOf(send())).toMatchObject({ name: 'OutcomeUnknownError', nextAction: 'resolve' });
      expect(server.requests).toHaveLength(2);
    }
  },
);

it('codes from the options count in addition to the known ones', async () => {
  const alreadyDone = { 'historicalStatements.create': ['statement_exists', 'exists'] };
  const name = 'historicalStatements.create';
  const { send } = await call(name, [resetAfterReading, answer(400, { code: 'exists' })], {
    advanced: { alreadyDone },
  });
  expect(await send()).toMatchObject({ code: 'exists', callOutcome: 'confirmed' });
});

it('codes of one method do not apply to another', async () => {
  const alreadyDone = { 'historicalStatements.create': ['exists'] };
  const name = 'paymentInstructions.create';
  const { server, send } = await call(name, [resetAfterReading, answer(400, { code: 'exists' })], {
    advanced: { alreadyDone },
  });
  expect((await errorOf(send())).name).toBe('OutcomeUnknownError');
  expect(server.requests).toHaveLength(1);
});

it('with codes, a page of a gateway after a lost answer still is an unknown outcome', async () => {
  const alreadyDone = { 'paymentInstructions.create': ['exists'] };
  const { send } = await call('paymentInstructions.create', [resetAfterReading, html(400)], {
    advanced: { alreadyDone },
  });
  expect((await errorOf(send())).name).toBe('OutcomeUnknownError');
});

it('withResponse shows the answer that confirmed it', async () => {
  const server = await misbehavingServer({
    [calls['paymentInstructions.create'].path]: [failure, answer(400, { code: 'exists' }, { 'x-request-id': 'req-2' })],
  });
  const client = clientOf(server, { advanced: { alreadyDone: { 'paymentInstructions.create': ['exists'] } } });
  const payload = { import_supplier: 'ACME', external_account_number: 'A-1', vendor: 'V', reference: 'R' };
  expect(await client.paymentInstructions.create(payload).withResponse()).toMatchObject({
    data: { callOutcome: 'confirmed' },
    callOutcome: 'confirmed',
    status: 400,
    attempts: 2,
    requestId: 'req-2',
  });
});

it('an ordinary success is created', async () => {
  const body = { service_account_number: 'S-1', reference: 'CARD-0001' };
  const { send } = await call('paymentInstructions.create', [failure, answer(201, body)]);
  expect(await send()).toMatchObject({ ...body, callOutcome: 'created' });
});

describe('the option alreadyDone', () => {
  const make = (alreadyDone: unknown) => () =>
    new DataImportClient({
      baseUrl: 'https://api.example.com',
      token: 'T',
      advanced: { alreadyDone: alreadyDone as never },
    });

  it.each([
    null,
    'exists',
    { 'paymentInstructions.create': 'exists' },
    { 'paymentInstructions.create': [7] },
    { 'paymentInstruction.create': ['exists'] },
    { 'accounts.process': ['exists'] },
    { 'businesses.create': ['exists'] },
  ])('%j is refused by name', (alreadyDone) => {
    expect(make(alreadyDone)).toThrow(TypeError);
    expect(make(alreadyDone)).toThrow(
      /^advanced\.alreadyDone: expected an object of lists of codes, by method \(businesses\.createPaymentInstruction, historicalStatements\.create, paymentInstructions\.create\)/,
    );
  });

  it.each([undefined, {}, { 'paymentInstructions.create': [] }, { 'historicalStatements.create': ['exists'] }])(
    '%j is taken',
    (alreadyDone) => {
      expect(make(alreadyDone)).not.toThrow();
    },
  );
});
