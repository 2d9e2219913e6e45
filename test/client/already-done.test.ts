/** A refusal of what the service has already, after a lost answer or a failure, is our own success (issue 3). */
import { DataImportClient, type DataImportClientOptions } from 'data-import-sdk';
import { describe, expect, it } from 'vitest';
import { ALREADY_DONE } from '../../src/http/call/policy.js';
import { calls } from '../helpers/calls.js';
import { clientOf, errorOf } from '../helpers/client-of.js';
import { answer, html, misbehavingServer, type Reaction, resetAfterReading } from '../helpers/misbehaving-server.js';

type Name = 'historicalStatements.create' | 'paymentInstructions.create' | 'businesses.createPaymentInstruction';

/** The codes that the client knows without the option. */
const known: [Name, string][] = [
  ['historicalStatements.create', 'historical_statement_already_exists'],
  ['paymentInstructions.create', 'already_has_active_instruction'],
  ['businesses.createPaymentInstruction', 'already_has_active_instruction'],
];

async function call(name: Name, reactions: Reaction[], options: Partial<DataImportClientOptions> = {}) {
  const server = await misbehavingServer({ [calls[name].path]: reactions });
  return { server, send: () => calls[name].send(clientOf(server, options), {}) };
}

it('the table has the codes of FACTS.md', () => {
  expect(ALREADY_DONE).toEqual({
    'historicalStatements.create': ['historical_statement_already_exists'],
    'paymentInstructions.create': ['already_has_active_instruction'],
    'businesses.createPaymentInstruction': ['already_has_active_instruction'],
  });
});

describe.each(known)('%s, refused with %s', (name, code) => {
  const body = { detail: 'It is there.', code };

  it('after a 500 is confirmed, with the body of the refusal', async () => {
    const { server, send } = await call(name, [answer(500, { detail: 'Failed.' }), answer(400, body)]);
    expect(await send()).toMatchObject({ ...body, callOutcome: 'confirmed' });
    expect(server.requests).toHaveLength(2);
  });

  it('after a lost answer is confirmed, if the call may send again', async () => {
    const server = await misbehavingServer({ [calls[name].path]: [resetAfterReading, answer(400, body)] });
    expect(await calls[name].send(clientOf(server), { retryUnknownOutcome: true })).toMatchObject({
      ...body,
      callOutcome: 'confirmed',
    });
  });

  it('after a lost answer is confirmed, if the client has the codes of the deployment', async () => {
    const alreadyDone = { [name]: ['another_code'] };
    const { server, send } = await call(name, [resetAfterReading, answer(400, body)], { advanced: { alreadyDone } });
    expect(await send()).toMatchObject({ ...body, callOutcome: 'confirmed' });
    expect(server.requests).toHaveLength(2);
  });

  it('among the errors of the answer is confirmed too', async () => {
    const listed = { code: 'failed', errors: [{ detail: 'It is there.', code, attr: 'statements.0' }] };
    const { send } = await call(name, [answer(500, { detail: 'Failed.' }), answer(400, listed)]);
    expect(await send()).toMatchObject({ ...listed, callOutcome: 'confirmed' });
  });

  it('at the first attempt is a ValidationError: another program created it', async () => {
    const { server, send } = await call(name, [answer(400, body)], { advanced: { alreadyDone: { [name]: [code] } } });
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
    const { send } = await call(name, [answer(500, { detail: 'Failed.' }), answer(400, { code: 'vendor_unknown' })]);
    expect(await errorOf(send())).toMatchObject({ name: 'ValidationError', code: 'vendor_unknown' });
  });
});

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
    [calls['paymentInstructions.create'].path]: [
      answer(500, { detail: 'Failed.' }),
      answer(400, { code: 'already_has_active_instruction' }, { 'x-request-id': 'req-2' }),
    ],
  });
  const client = clientOf(server);
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
  const { send } = await call('paymentInstructions.create', [answer(500, { detail: 'Failed.' }), answer(201, body)]);
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
