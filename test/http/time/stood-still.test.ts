/** A process that stood still, as with SIGSTOP: its timers are due before it reads the answers that came meanwhile. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { DataImportClient } from '../../../src/client.js';
import { TimeoutError } from '../../../src/errors/no-answer-errors.js';

const TIMEOUT_MS = 60_000;
const TEN_MINUTES_MS = 600_000;

/** A call in flight, whose answer came while the process was suspended for ten minutes. */
function underWay(limits: { timeoutMs: number; deadlineMs: number }) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let nowMs = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  onTestFinished(() => clock.mockRestore());
  let answer = () => {};
  const client = new DataImportClient({
    baseUrl: 'http://localhost:1',
    token: 'token-of-tests',
    maxRetries: 0,
    ...limits,
    fetch: (_, { signal }) =>
      new Promise((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
        answer = () => resolve(Response.json({ status: 'PENDING', service_account_number: 'S-1' }));
      }),
  });
  const call = client.imports.status({ import_supplier_code: 'NORTH', external_account_number: 'A-1' }).then(
    ({ service_account_number }) => service_account_number,
    (error: unknown) => error,
  );
  return {
    call,
    answer: () => answer(),
    /** Only the timers that are due now fire: those that they set wait for their time. */
    async goOn(afterMs: number) {
      nowMs = afterMs;
      await vi.advanceTimersByTimeAsync(TIMEOUT_MS);
    },
  };
}

test.each([
  { limit: 'timeoutMs', limits: { timeoutMs: TIMEOUT_MS, deadlineMs: 10 * TEN_MINUTES_MS } },
  { limit: 'deadlineMs', limits: { timeoutMs: 10 * TEN_MINUTES_MS, deadlineMs: TIMEOUT_MS } },
])('an answer that came meanwhile is read, although $limit has passed', async ({ limits }) => {
  const { call, answer, goOn } = underWay(limits);
  await vi.advanceTimersByTimeAsync(0);
  await goOn(TEN_MINUTES_MS);
  answer();
  expect(await call).toBe('S-1');
});

test('a call without an answer ends a second later', async () => {
  const { call, goOn } = underWay({ timeoutMs: TIMEOUT_MS, deadlineMs: 10 * TEN_MINUTES_MS });
  await vi.advanceTimersByTimeAsync(0);
  await goOn(TEN_MINUTES_MS);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await call).toBeInstanceOf(TimeoutError);
});

test('a timer that is only a little late ends the call at once', async () => {
  const { call, goOn } = underWay({ timeoutMs: TIMEOUT_MS, deadlineMs: 10 * TEN_MINUTES_MS });
  await vi.advanceTimersByTimeAsync(0);
  await goOn(TIMEOUT_MS + 900);
  expect(await call).toBeInstanceOf(TimeoutError);
});
