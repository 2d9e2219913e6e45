/** Waiting for a status (issue 20, D5); statuses as in the document's "Account import status". */
import { DataImportClient, type WaitForOptions } from 'data-import-sdk';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { errorOf } from '../helpers/client-of.js';
import { scriptedFetch } from '../helpers/scripted-fetch.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const account = { import_supplier_code: 'ACME', external_account_number: 'A-1' };
const status = (word: string, number = 'S-1') => ({
  status: 200,
  body: { status: word, service_account_number: number },
});

function waiting(fetch: ReturnType<typeof scriptedFetch>, options: WaitForOptions) {
  const client = new DataImportClient({ baseUrl: 'https://api.example.com', token: 'T', fetch });
  const wait = client.imports.waitFor(account, options);
  wait.catch(() => {});
  return wait;
}

describe('imports.waitFor', () => {
  it('asks every 5 s until the status is one that is waited for', async () => {
    const fetch = scriptedFetch(status('UNKNOWN', ''), status('PENDING'), status('IN_PROGRESS'), status('COMPLETED'));

    const wait = waiting(fetch, { until: ['COMPLETED', 'REJECTED'] });
    await vi.advanceTimersByTimeAsync(60_000);

    expect(await wait).toEqual({ status: 'COMPLETED', service_account_number: 'S-1' });
    expect(fetch.times).toEqual([0, 5000, 10_000, 15_000]);
    expect(fetch.requests[0]?.url).toBe('https://api.example.com/v1/data-import/account-transfer-status/ACME/A-1/');
  });

  it('until may be a function, and intervalMs the pause', async () => {
    const fetch = scriptedFetch(status('UNKNOWN', ''), status('PENDING'));

    const wait = waiting(fetch, { until: (answer) => answer.service_account_number !== '', intervalMs: 200 });
    await vi.advanceTimersByTimeAsync(1000);

    expect(await wait).toMatchObject({ status: 'PENDING' });
    expect(fetch.times).toEqual([0, 200]);
  });

  it('ends with TimeoutError at the deadline, which is for the whole wait', async () => {
    const fetch = scriptedFetch(status('PENDING'));

    const wait = waiting(fetch, { until: ['COMPLETED'], deadlineMs: 12_000 });
    await vi.advanceTimersByTimeAsync(20_000);

    const error = await errorOf(wait);
    expect(error).toMatchObject({ name: 'TimeoutError', limit: 'deadlineMs', attempts: 3, nextAction: 'retryLater' });
    expect(error.message).toBe(
      'imports.waitFor: no status that ends the wait (the last one: PENDING) from api.example.com within 12000 ms (deadlineMs) after 3 attempts. ' +
        'It is safe to call again. [timeout-error]',
    );
  });

  const UNANSWERED = [
    {
      what: 'the deadline ends',
      options: { deadlineMs: 7000 },
      name: 'TimeoutError',
      message:
        'imports.waitFor: no status that ends the wait (the last one: PENDING) from api.example.com within 7000 ms (deadlineMs) after 2 attempts. It is safe to call again. [timeout-error]',
    },
    {
      what: 'the signal aborts',
      options: { deadlineMs: 60_000, signal: 7000 },
      name: 'AbortedError',
      message: 'imports.waitFor: aborted by its signal. It is safe to call again. [aborted-error]',
    },
  ];
  it.each(UNANSWERED)(
    'if $what during a query, the error is about the whole wait',
    async ({ options, name, message }) => {
      const controller = new AbortController();
      const { signal, deadlineMs } = { signal: undefined, ...options };
      if (signal !== undefined) setTimeout(() => controller.abort(), signal);
      const wait = waiting(scriptedFetch(status('PENDING'), 'hang'), {
        ...{ until: ['COMPLETED'], deadlineMs, signal: controller.signal },
      });
      await vi.advanceTimersByTimeAsync(20_000);
      expect(await errorOf(wait)).toMatchObject({ name, attempts: 2, message });
    },
  );

  it('ends with AbortedError when its signal aborts', async () => {
    const controller = new AbortController();
    const fetch = scriptedFetch(status('PENDING'));

    const wait = waiting(fetch, { until: ['COMPLETED'], signal: controller.signal });
    await vi.advanceTimersByTimeAsync(7000);
    controller.abort();

    expect(await errorOf(wait)).toMatchObject({ name: 'AbortedError', operation: 'imports.waitFor' });
    expect(fetch.times).toEqual([0, 5000]);
  });

  it('waits for a promise of `until`, as JavaScript may return one', async () => {
    const fetch = scriptedFetch(status('PENDING'), status('COMPLETED'));
    const until = async (answer: { status: string }) => answer.status === 'COMPLETED';
    const wait = waiting(fetch, { until: until as never });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await wait).toMatchObject({ status: 'COMPLETED' });
  });

  it('ends with NotFoundError if the account was never staged', async () => {
    const wait = waiting(scriptedFetch({ status: 404, body: { detail: 'Not found.' } }), { until: ['COMPLETED'] });
    expect(await errorOf(wait)).toMatchObject({ name: 'NotFoundError' });
  });

  it.each([
    [
      undefined,
      "until: expected a list of statuses, such as ['COMPLETED', 'REJECTED'], or a function, found undefined.",
    ],
    [
      { until: [] },
      "until: expected a list of statuses, such as ['COMPLETED', 'REJECTED'], or a function, found a list.",
    ],
    [
      { until: 'COMPLETED' },
      "until: expected a list of statuses, such as ['COMPLETED', 'REJECTED'], or a function, found string.",
    ],
    [{ until: ['COMPLETED'], intervalMs: -1 }, 'intervalMs: expected a number from 0 up, found -1.'],
  ])('%j is refused before anything is sent', async (options, message) => {
    const fetch = scriptedFetch(status('PENDING'));
    await expect(waiting(fetch, options as WaitForOptions)).rejects.toThrow(new TypeError(message));
    expect(fetch.requests).toEqual([]);
  });
});
