import type {
  HistoricalStatementsAnswer,
  HistoricalStatementsPayload,
} from '../../schemas/payloads/historical-statement.js';
import type { CallPromise } from '../call-promise.js';
import type { CallOptions } from '../options.js';
import type { OrResolved, Requester } from './request.js';

/** `client.historicalStatements`: statements of imported accounts (document: Historical statements). */
export class HistoricalStatements {
  readonly #request: Requester;

  /** @internal */
  constructor(request: Requester) {
    this.#request = request;
  }

  /**
   * Adds statements that were issued before the account moved. Gives the validated data, as the service answers with them:
   * a list comes as it is, and no body as `{}`. `ValidationError` or `NotFoundError` where the account is not imported
   * (U14). After a lost answer: `OutcomeUnknownError`. (Document: Historical statements; both 200 and 201 are success.)
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
