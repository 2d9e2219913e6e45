/** The body of an answer is never changed: what the client adds is not enumerable (decision 0063). */
import { callPromise, NotFoundError, ValidationError } from 'data-import-sdk';
import { describe, expect, it } from 'vitest';
import { account, calls, processPayload } from '../helpers/calls.js';
import { clientOf, errorOf } from '../helpers/client-of.js';
import { answer, html, misbehavingServer, type Reaction, resetAfterReading } from '../helpers/misbehaving-server.js';

const PROCESS = calls['accounts.process'].path;
const STATUS = calls['imports.status'].path;
const STAGE = calls['accounts.stage'].path;

async function clientAnswering(script: Record<string, Reaction | Reaction[]>) {
  return clientOf(await misbehavingServer(script));
}

const ofThem = { outcome: 'theirs', callOutcome: 'theirs', droppedPaths: 'theirs', wouldImport: 'theirs' };

describe.each(Object.entries(calls))('%s', (_, { path, status, answer: body, send }) => {
  it('resolves with the body that the service sent', async () => {
    const client = await clientAnswering({ [path]: answer(status, body) });
    expect(JSON.stringify(await send(client, {}))).toBe(JSON.stringify(body));
  });

  it('resolves with the body of the service, whatever names its fields have', async () => {
    if (Array.isArray(body)) return;
    const more = { ...(body as object), ...ofThem };
    const client = await clientAnswering({ [path]: answer(status, more) });
    const result = await send(client, {});
    expect(JSON.stringify(result)).toBe(JSON.stringify(more));
    expect({ ...(result as object) }).toEqual(more);
  });
});

it.each([
  ['businesses.create', 'created'],
  ['businesses.createPaymentInstruction', 'created'],
  ['historicalStatements.create', 'created'],
  ['paymentInstructions.create', 'created'],
  ['supplyPoints.populate', 'created'],
  ['accounts.process', 'created'],
  ['accounts.stage', 'created'],
] as const)('%s has created it', async (name, callOutcome) => {
  const { path, answer: body, send } = calls[name];
  const client = await clientAnswering({ [path]: answer(201, body) });
  expect(await send(client, {})).toHaveProperty('callOutcome', callOutcome);
});

describe('accounts.process without an answer', () => {
  const status = { status: 'PENDING', service_account_number: 'S-0007', seen: true };

  it('is confirmed by the status query, and resolves with its body', async () => {
    const client = await clientAnswering({ [PROCESS]: resetAfterReading, [STATUS]: answer(200, status) });
    const { data, callOutcome } = await client.accounts.process(processPayload).withResponse();
    expect(JSON.stringify(data)).toBe(JSON.stringify(status));
    expect([data.callOutcome, callOutcome]).toEqual(['confirmed', 'confirmed']);
  });

  it('is confirmed by the refusal, and resolves with its body', async () => {
    const refusal = { external_account_number: 'A-1', service_account_number: 'S-0007', detail: 'It is there.' };
    const client = await clientAnswering({ [PROCESS]: [answer(500, {}), answer(400, refusal)], [STATUS]: answer(404) });
    const result = await client.accounts.process(processPayload);
    expect(JSON.stringify(result)).toBe(JSON.stringify(refusal));
    expect(result.callOutcome).toBe('confirmed');
  });

  it('is confirmed by asking, if the refusal has its number in another form', async () => {
    const refusal = { external_account_number: 'A-1', service_account_number: 7 };
    const script = { [PROCESS]: [answer(500, {}), answer(400, refusal)], [STATUS]: [answer(404), answer(200, status)] };
    const result = await (await clientAnswering(script)).accounts.process(processPayload);
    expect(JSON.stringify(result)).toBe(JSON.stringify(status));
    expect(result.callOutcome).toBe('confirmed');
  });

  it('has an unknown outcome, if neither has a number', async () => {
    const refusal = { external_account_number: 'A-1', service_account_number: 7 };
    const script = { [PROCESS]: [answer(500, {}), answer(400, refusal)], [STATUS]: answer(404) };
    const error = await errorOf((await clientAnswering(script)).accounts.process(processPayload));
    expect(error.name).toBe('OutcomeUnknownError');
  });
});

describe('a body with the names that the client uses', () => {
  it('does not pass for a confirmation: withResponse has the fact', async () => {
    const body = { reference: 'R', service_account_number: 'S-1', outcome: 'settled', callOutcome: 'confirmed' };
    const { path } = calls['paymentInstructions.create'];
    const client = await clientAnswering({ [path]: answer(201, body) });
    const payload = { ...account, vendor: 'V', reference: 'R', type: 'CARD' };
    expect(await client.paymentInstructions.create(payload)).toEqual(body);
    expect((await client.paymentInstructions.create(payload).withResponse()).callOutcome).toBe('created');
  });
});

describe('asResponse', () => {
  const text = ' {"external_account_number": "A-1",  "amount": 1.50}\n';
  const raw: Reaction = (_request, response) => {
    response.writeHead(201, { 'content-type': 'application/json', 'x-request-id': 'req-1' }).end(text);
  };

  it('has status, headers and the text of the service', async () => {
    const response = await (await clientAnswering({ [STAGE]: raw })).accounts.stage(account).asResponse();
    expect(response.status).toBe(201);
    expect(response.headers['x-request-id']).toBe('req-1');
    expect(await response.text()).toBe(text);
  });

  it('has the text of a body of another form', async () => {
    const client = await clientAnswering({ [STAGE]: html(200) });
    const call = client.accounts.stage(account);
    expect((await errorOf(call)).name).toBe('ResponseMismatchError');
    expect(await (await call.asResponse()).text()).toMatch(/^<html/);
  });

  it('has the 400 of a dry run that would succeed', async () => {
    const body = { detail: 'Account would successfully import. Rolled back due to Dry Run.' };
    const client = await clientAnswering({ [PROCESS]: answer(400, body) });
    const response = await client.accounts.dryRun(processPayload).asResponse();
    expect([response.status, await response.text()]).toEqual([400, JSON.stringify(body)]);
  });

  it('has the status query that confirmed a request', async () => {
    const status = { status: 'PENDING', service_account_number: 'S-0007' };
    const client = await clientAnswering({ [PROCESS]: resetAfterReading, [STATUS]: answer(200, status) });
    const response = await client.accounts.process(processPayload).asResponse();
    expect(await response.text()).toBe(JSON.stringify(status));
  });

  it('rejects as the call does', async () => {
    const client = await clientAnswering({ [STAGE]: answer(400, { code: 'x' }) });
    expect((await errorOf(client.accounts.stage(account).asResponse())).name).toBe('ValidationError');
  });

  it('rejects for a body that was too large to read: it has no text', async () => {
    const server = await misbehavingServer({ [STAGE]: raw });
    const call = clientOf(server, { advanced: { maxAnswerBytes: 5 } })
      .accounts.stage(account)
      .asResponse();
    expect((await errorOf(call)).name).toBe('ResponseMismatchError');
  });
});

it('a call without a handler is no silent failure: its rejection is reported to the process', async () => {
  const client = await clientAnswering({ [STAGE]: answer(400, { code: 'x' }) });
  const reported = new Promise((resolve) => {
    const others = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    process.once('unhandledRejection', (error) => {
      for (const listener of others) process.on('unhandledRejection', listener);
      resolve(error);
    });
  });
  client.accounts.stage(account);
  expect(await reported).toHaveProperty('name', 'ValidationError');
});

describe('callPromise, for test doubles', () => {
  it('resolves with the body, and has withResponse and asResponse', async () => {
    const call = callPromise({ external_account_number: 'A-1', callOutcome: 'created' as const }, { status: 201 });
    expect((await call).external_account_number).toBe('A-1');
    expect(await call.withResponse()).toMatchObject({ status: 201, headers: {}, callOutcome: 'created' });
    expect(await (await call.asResponse()).text()).toBe('{"external_account_number":"A-1"}');
  });

  it('hides what the client adds, as a result of the client does', async () => {
    const stage = await callPromise({ external_account_number: 'A-1', callOutcome: 'created' as const });
    expect([stage.callOutcome, { ...stage }]).toEqual(['created', { external_account_number: 'A-1' }]);
    expect(Object.keys(await callPromise({ wouldImport: true }))).toEqual([]);
  });

  it('rejects as the client does for the status of an error', async () => {
    const refused = callPromise(
      { customers: [{ landline: [{ code: 'invalid_phone_number', detail: 'No.' }] }] },
      { status: 400 },
    );
    const error = await refused.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ValidationError);
    expect((error as ValidationError).at('customers.0.landline')[0]?.code).toBe('invalid_phone_number');
    await expect(callPromise(undefined, { status: 404 })).rejects.toBeInstanceOf(NotFoundError);
    await expect(callPromise('<html>', { status: 503 })).rejects.toMatchObject({
      status: 503,
      nextAction: 'retryLater',
    });
    await expect(
      callPromise({ external_account_number: 'A-1', service_account_number: 'S-1' }, { status: 400 }),
    ).rejects.toMatchObject({ name: 'AlreadyImportedError', serviceAccountNumber: 'S-1' });
  });

  it('rejects as the promise that it is given', async () => {
    await expect(callPromise(Promise.reject(new Error('no'))).withResponse()).rejects.toThrow('no');
  });
});
