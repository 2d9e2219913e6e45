/** Exports `HistoricalStatements`, the method of `client.historicalStatements`. */
import type {
  HistoricalStatementsAnswer,
  HistoricalStatementsPayload,
} from '../../schemas/payloads/historical-statement.js';
import type { CallResult } from '../http/call/call-types.js';
import type { CallOptions } from '../options.js';
import type { CallPromise, WriteResult } from './call-promise.js';
import { created, type Requester } from './check-and-send.js';
import { suspicionsOfStatements } from './suspicions.js';

/** `client.historicalStatements`: statements of imported accounts (spec: Historical statements). */
export interface HistoricalStatements {
  /**
   * Adds statements that were issued before the account moved. Resolves with the answer: the validated data, a list unchanged, or
   * `{}` for an empty body. Rejects with `ValidationError` or `NotFoundError` if the account is not imported (U14), and with
   * `OutcomeUnknownError` if the request gets no answer. (Spec: Historical statements; both 200 and 201 are success.)
   */
  create(
    payload: HistoricalStatementsPayload,
    options?: CallOptions,
  ): CallPromise<WriteResult<HistoricalStatementsAnswer>>;
}

/** Returns the method of `client.historicalStatements`. */
export function createHistoricalStatements(request: Requester): HistoricalStatements {
  return {
    create: (payload, options) =>
      request<WriteResult<HistoricalStatementsAnswer>>(
        'historicalStatements.create',
        { payload, outcome: created, suspicions: suspicionsOfStatements, conclude: withBody },
        options,
      ),
  };
}

/** Gives an answer with an empty body an object as its body. */
async function withBody<T>(answer: Promise<CallResult<unknown>>): Promise<CallResult<T>> {
  const result = await answer;
  return { ...result, data: (result.data ?? {}) as T };
}
