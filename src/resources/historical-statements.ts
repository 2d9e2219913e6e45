/** Exports `HistoricalStatements`, the method of `client.historicalStatements`. */
import type {
  HistoricalStatementsAnswer,
  HistoricalStatementsPayload,
} from '../../schemas/payloads/historical-statement.js';
import type { CallOptions } from '../options.js';
import type { CallPromise } from './call-promise.js';
import type { OrResolved, Requester } from './request.js';

/** `client.historicalStatements`: statements of imported accounts (spec: Historical statements). */
export class HistoricalStatements {
  readonly #request: Requester;

  /** @internal */
  constructor(request: Requester) {
    this.#request = request;
  }

  /**
   * Adds statements that were issued before the account moved. Resolves with the answer: the validated data, a list unchanged, or
   * `{}` for an empty body. Rejects with `ValidationError` or `NotFoundError` if the account is not imported (U14), and with
   * `OutcomeUnknownError` if the request gets no answer. (Spec: Historical statements; both 200 and 201 are success.)
   */
  create(
    payload: HistoricalStatementsPayload,
    options?: CallOptions,
  ): CallPromise<OrResolved<HistoricalStatementsAnswer>> {
    return this.#request<OrResolved<HistoricalStatementsAnswer> | undefined>(
      'historicalStatements.create',
      { payload },
      options,
    ).map(({ data }) => data ?? {});
  }
}
