/** A dispatcher that answers immediately without a network, so that the CPU time of a call is measurable to the microsecond. */

import type { Account } from 'data-import-sdk';
import pLimit from 'p-limit';
import pRetry from 'p-retry';
import { Dispatcher } from 'undici';
import { HEADERS, PATH, type Stage } from './accounts.js';

const NUMBER = /"external_account_number":"[^"]*"/;

export class Answering extends Dispatcher {
  override dispatch({ body }: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const staged = Buffer.from(`{"import_supplier":"BENCH",${NUMBER.exec(String(body))?.[0]}}`);
    const headers = { 'content-type': 'application/json', 'content-length': String(staged.length) };
    queueMicrotask(() => {
      const controller = { aborted: false, abort() {}, pause() {}, resume() {} } as never;
      handler.onRequestStart?.(controller, {});
      handler.onResponseStart?.(controller, 201, headers);
      handler.onResponseData?.(controller, staged);
      handler.onResponseEnd?.(controller, {});
    });
    return true;
  }
}

/** Dispatch, and JSON in both directions. */
export function bareDispatch(dispatcher: Dispatcher): Stage {
  return (account) => dispatched(dispatcher, account);
}

const ATTEMPT_MS = 60_000;
const CALL_MS = 300_000;

/** The same with a concurrency limit, retries, and a deadline for each attempt and for the call. */
export function dispatchWithIdiom(dispatcher: Dispatcher, concurrency: number): Stage {
  const limit = pLimit(concurrency);
  return (account) => {
    const call = AbortSignal.timeout(CALL_MS);
    return limit(() =>
      pRetry(
        () => {
          const signal = AbortSignal.any([call, AbortSignal.timeout(ATTEMPT_MS)]);
          signal.throwIfAborted();
          return dispatched(dispatcher, account);
        },
        { retries: 3, signal: call },
      ),
    );
  };
}

function dispatched(dispatcher: Dispatcher, account: Account): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    dispatcher.dispatch(
      { origin: '', method: 'POST', path: PATH, headers: HEADERS, body: JSON.stringify(account) },
      {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData: (_, chunk) => void chunks.push(chunk),
        onResponseEnd: () => resolve(JSON.parse(Buffer.concat(chunks).toString())),
        onResponseError: (_, error) => reject(error),
      },
    );
  });
}
