/** Exports `streamEntries`, which yields the entries of a list while the answer arrives, for lists that do not fit into memory. */

import { ResponseMismatchError } from '../../errors/client-errors.js';
import { AbortedError, ConnectionError, TimeoutError } from '../../errors/no-answer-errors.js';
import { onAbort } from '../time/abort.js';
import { Cancellation } from '../time/cancellation.js';
import { startTimeout } from '../time/delay.js';
import { entryMismatch, partIn } from '../transport/answer.js';
import { UnreadableBodyError } from '../transport/content-coding.js';
import { type BodyReader, TransportFailure } from '../transport/wire.js';
import { Call } from './call.js';
import type { CallContext, CallLimits, CallRequest } from './call-types.js';
import { ListCutter, NotAListError } from './list-cutter.js';

/** No chunk arrived in time. */
const TOO_LATE = new Error('timeout');

/**
 * Until the answer begins, rejects as the call. After that, rejects with `ConnectionError` if the connection breaks or the list is
 * incomplete, with `ResponseMismatchError` for an invalid entry, and with `TimeoutError` if no entry arrives for `timeoutMs`.
 */
export async function* streamEntries<T>(
  context: CallContext,
  request: CallRequest<unknown>,
  limits: CallLimits,
): AsyncGenerator<T, void, undefined> {
  const call = { ...request, isStreamed: true } as CallRequest<BodyReader>;
  const { data: reader, status, headers, attempts, requestId } = await new Call(context, call, limits).run();
  const { signal, timeoutMs } = limits;
  const facts = { operation: request.label, attempts, host: context.base.host, sent: true, repeatable: true };
  const mismatch = (what: string, body: unknown) =>
    new ResponseMismatchError({ ...facts, status, body, mismatch: what, requestId });
  const cutter = new ListCutter(context.maxAnswerBytes);
  const wait = new Cancellation();
  const stopListening = signal && onAbort(signal, () => wait.cancel(signal.reason));
  if (signal?.aborted) wait.cancel(signal.reason);
  let index = 0;
  let leftMs = timeoutMs;
  try {
    const part = partIn({ status, headers }, request.operation);
    if (part !== undefined) throw new NotAListError(part, undefined);
    for (;;) {
      const startedAt = performance.now();
      const chunk = await readWithin(reader, cutter.unfinishedBytes, leftMs, wait);
      // A chunk that completes no entry, such as white space, does not restart the time.
      leftMs -= performance.now() - startedAt;
      if (chunk === undefined) break;
      for (const text of cutter.add(chunk)) {
        yield parse<T>(text, index, request, mismatch);
        index++;
        leftMs = timeoutMs;
      }
    }
    if (status !== 204 || index > 0) cutter.end();
  } catch (error) {
    if (wait.isCancelled) throw new AbortedError({ ...facts, outcomeUnknown: false, cause: wait.reason });
    if (error === TOO_LATE)
      throw new TimeoutError({ ...facts, limit: 'timeoutMs', limitMs: timeoutMs, missing: 'further entry' });
    if (error instanceof TransportFailure) {
      throw new ConnectionError({ ...facts, reason: error.reason, connected: true, cause: error.cause });
    }
    if (error instanceof UnreadableBodyError) throw mismatch(error.message, undefined);
    if (!(error instanceof NotAListError)) throw error;
    if (error.isIncomplete) {
      throw new ConnectionError({ ...facts, reason: 'INCOMPLETE_LIST', connected: true, cause: undefined });
    }
    throw mismatch(error.message, error.text);
  } finally {
    stopListening?.();
    reader.cancel();
  }
}

function parse<T>(
  text: string,
  index: number,
  { operation }: CallRequest<unknown>,
  mismatch: (what: string, body: unknown) => Error,
): T {
  let entry: unknown;
  try {
    entry = JSON.parse(text);
  } catch {
    throw mismatch(`${index}: not JSON`, text.slice(0, 1000));
  }
  const what = entryMismatch(operation, entry, index);
  if (what !== undefined) throw mismatch(what, entry);
  return entry as T;
}

/** `kept`: bytes of earlier chunks that are in memory. */
async function readWithin(
  reader: BodyReader,
  kept: number,
  ms: number,
  wait: Cancellation,
): Promise<Uint8Array | undefined> {
  if (ms <= 0) throw TOO_LATE;
  const stopTimer = startTimeout(ms, () => wait.cancelCurrent(TOO_LATE));
  try {
    const mayRead = reader.keep(kept);
    return await wait.race(mayRead === undefined ? reader.read() : mayRead.then(() => reader.read()));
  } finally {
    stopTimer();
  }
}
