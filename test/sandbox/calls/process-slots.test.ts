import { describe, expect, test } from 'vitest';
import { failed } from '../support/refusals.js';
import { account, openSandbox, PROCESS, posted, processing, STAGE } from '../support/requests.js';

describe('E6 concurrency limit', () => {
  const LIMITED = failed(
    429,
    'concurrency_limit_exceeded',
    'Too many accounts are being processed. Retry after others finish.',
  );

  test('E6 process: over the limit is 429, nothing changed, and it succeeds after another has finished', async () => {
    const { post, sandbox, unchanged } = openSandbox({ settings: { processConcurrency: 1 } });
    await post(STAGE, account('A-1'));
    await post(STAGE, account('A-2'));
    const hold = sandbox.holdProcessing();
    const first = post(PROCESS, processing('A-1'));
    await hold.waiting();
    expect(await unchanged(() => post(PROCESS, processing('A-2')))).toEqual(LIMITED);
    expect(await unchanged(() => post(PROCESS, processing('A-2', { dry_run: true })))).toEqual(LIMITED);
    hold.release();
    expect((await first).status).toBe(201);
    expect((await post(PROCESS, processing('A-2'))).status).toBe(201);
  });

  test('E6 process: as many as the limit run at the same time', async () => {
    const { post, sandbox } = openSandbox({ settings: { processConcurrency: 2 } });
    for (const number of ['A-1', 'A-2', 'A-3']) await post(STAGE, account(number));
    const hold = sandbox.holdProcessing();
    const running = [post(PROCESS, processing('A-1')), post(PROCESS, processing('A-2'))];
    await hold.waiting(2);
    await hold.waiting(1);
    expect((await post(PROCESS, processing('A-3'))).status).toBe(429);
    hold.release();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([201, 201]);
  });

  test('E6 process: a call that failed has finished too', async () => {
    const { post } = openSandbox({ settings: { processConcurrency: 1 } });
    await post(STAGE, account('A-1'));
    expect((await post(PROCESS, processing('A-2'))).status).toBe(400);
    expect((await post(PROCESS, processing('A-1'))).status).toBe(201);
  });

  test('E6 process: the shape is checked before the limit, the limit before all else (U11)', async () => {
    const { post, sandbox } = openSandbox({ settings: { processConcurrency: 1 } });
    await post(STAGE, account('A-1'));
    const hold = sandbox.holdProcessing();
    const first = post(PROCESS, processing('A-1'));
    await hold.waiting();
    expect((await post(PROCESS, {})).status).toBe(400);
    expect((await post(PROCESS, processing('nothing staged'))).status).toBe(429);
    hold.release();
    await first;
  });

  test('E6 process: without a limit there is never a 429', async () => {
    const { post, sandbox } = openSandbox();
    const numbers = Array.from({ length: 50 }, (_, index) => `A-${index}`);
    for (const number of numbers) await post(STAGE, account(number));
    const hold = sandbox.holdProcessing();
    const all = numbers.map((number) => post(PROCESS, processing(number)));
    await hold.waiting(50);
    hold.release();
    expect(new Set((await Promise.all(all)).map(({ status }) => status))).toEqual(new Set([201]));
  });

  test.each([
    [null, null],
    [0, '0'],
    [7, '7'],
  ])('E6 process: with the setting %j the 429 says Retry-After %j (U28)', async (retryAfterSeconds, header) => {
    const { post, request, sandbox } = openSandbox({ settings: { processConcurrency: 1, retryAfterSeconds } });
    await post(STAGE, account('A-1'));
    const hold = sandbox.holdProcessing();
    const first = post(PROCESS, processing('A-1'));
    await hold.waiting();
    const response = await request(PROCESS, posted(sandbox, processing('A-1')));
    expect([response.status, response.headers.get('Retry-After')]).toEqual([429, header]);
    hold.release();
    await first;
  });
});
