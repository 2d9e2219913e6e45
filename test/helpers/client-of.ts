/** A client of a test server: short waits between retries, a short quiet time after a lost answer; closed when the test ends. */
import { DataImportClient, type DataImportClientOptions, type DataImportError } from 'data-import-sdk';
import { expect, onTestFinished } from 'vitest';

export function clientOf(server: { url: string }, options: Partial<DataImportClientOptions> = {}): DataImportClient {
  const client = new DataImportClient({
    baseUrl: server.url,
    token: 'test-token',
    // The quiet time is never shorter than the time limit of the call, where it has one.
    timeoutMs: Number.POSITIVE_INFINITY,
    ...options,
    advanced: { retryBaseMs: 1, inFlightGraceMs: 5, ...options.advanced },
  });
  // Not waited for: where a test fails a request may still hang, until its server closes.
  onTestFinished(() => void client.close());
  return client;
}

/** The error with which a call ends. Fails the test if the call succeeds, or ends with an error that is not ours. */
export async function errorOf<E extends DataImportError = DataImportError>(call: PromiseLike<unknown>): Promise<E> {
  const outcome = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  expect(outcome).toHaveProperty('error');
  const { error } = outcome as { error: E };
  expect(error).toHaveProperty('nextAction');
  return error;
}
