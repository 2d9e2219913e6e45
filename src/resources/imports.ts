import type {
  AccountImportProcess,
  AccountImportStatus,
  AccountTransferStatus,
  ImportedAccountImportProcess,
} from '../../schemas/import-status.js';
import type { OperationName } from '../../schemas/operations.js';
import type { CallPromise } from '../call-promise.js';
import { AbortedError, TimeoutError } from '../errors/no-answer-errors.js';
import { Deadline } from '../http/time/deadline.js';
import { sleep } from '../http/time/delay.js';
import type { PathValues } from '../http/transport/address.js';
import { type CallOptions, type ClientSettings, checkCallOptions } from '../options.js';
import type { ListStreamer, Requester } from './request.js';

/** The two codes of an account import. */
export interface AccountImport {
  /** Code of the import supplier. */
  import_supplier_code: string;
  /** The caller's identifier of the account. */
  external_account_number: string;
}

/** Of `imports.waitFor`. `deadlineMs` is for the whole wait, the other options of a call for each status query. */
export interface WaitForOptions extends CallOptions {
  /** The statuses that end the wait, or a function that says whether an answer ends it. */
  until: readonly AccountImportStatus[] | ((answer: AccountTransferStatus) => boolean);
  /**
   * Milliseconds between the answer to a status query and the next query.
   * @default 5000
   */
  intervalMs?: number | undefined;
}

/** What `waitFor` needs of its client. */
type WaitingSettings = Pick<ClientSettings, 'deadlineMs'> & { host: string };

export function createWaiting({ deadlineMs, base }: ClientSettings): WaitingSettings {
  return { deadlineMs, host: base.host };
}

/** `client.imports`: how imports stand (document: Status queries). */
export class Imports {
  readonly #request: Requester;
  readonly #stream: ListStreamer;
  readonly #waiting: WaitingSettings;

  /** @internal */
  constructor(request: Requester, stream: ListStreamer, waiting: WaitingSettings) {
    this.#request = request;
    this.#stream = stream;
    this.#waiting = waiting;
  }

  /**
   * The state of one account import. `UNKNOWN` with an empty number: staged, no account yet. `NotFoundError`: never
   * staged. (Document: Account import status.)
   *
   * @example
   * const { status } = await client.imports.status({ import_supplier_code: 'ACME', external_account_number: 'A-1' });
   */
  status(account: AccountImport, options?: CallOptions): CallPromise<AccountTransferStatus> {
    return this.#request('imports.status', { path: pathOf(account) }, options);
  }

  /**
   * Asks for the status again and again until it is one that is waited for, and gives that answer.
   *
   * Rejects as `status` does, with `TimeoutError` where `deadlineMs` (by default that of the client) has passed, and with
   * `AbortedError` where the signal aborts. The API specification shows no transitions between statuses: name `REJECTED` too, or a
   * rejected import is waited for until the deadline. (Document: Account import status.)
   *
   * @example
   * const { status } = await client.imports.waitFor(
   *   { import_supplier_code: 'ACME', external_account_number: 'A-1' },
   *   { until: ['COMPLETED', 'REJECTED'], deadlineMs: 3_600_000 },
   * );
   */
  async waitFor(account: AccountImport, options: WaitForOptions): Promise<AccountTransferStatus> {
    const { until, intervalMs = 5000, ...call } = Object(options) as WaitForOptions;
    checkWait(until, intervalMs);
    checkCallOptions(call);
    const deadlineMs = call.deadlineMs ?? this.#waiting.deadlineMs;
    const deadline = new Deadline(deadlineMs, call.signal);
    const facts = {
      operation: 'imports.waitFor',
      host: this.#waiting.host,
      attempts: 0,
      sent: false,
      repeatable: true,
    };
    const isEnd = typeof until === 'function' ? until : ({ status }: AccountTransferStatus) => until.includes(status);
    const path = pathOf(account);
    try {
      for (;;) {
        const limits = { ...call, deadlineMs: Math.max(1, deadline.remainingMs()) };
        const answer = await this.#request<AccountTransferStatus>('imports.status', { path }, limits);
        if (isEnd(answer)) return answer;
        facts.attempts++;
        facts.sent = true;
        await sleep(intervalMs, deadline.cancellation);
        if (deadline.ended === 'aborted') {
          throw new AbortedError({ ...facts, outcomeUnknown: false, cause: call.signal?.reason });
        }
        if (deadline.ended === 'deadline') {
          throw new TimeoutError({
            ...facts,
            limit: 'deadlineMs',
            limitMs: Math.round(deadlineMs),
            missing: 'status that ends the wait',
          });
        }
      }
    } finally {
      deadline.dispose();
    }
  }

  /**
   * All staged and imported accounts of a supplier, in one answer. Where there are none: an empty list, also of a 204, or
   * `NotFoundError`, as the deployment has it (U4). A list larger than `maxAnswerBytes` is a `ResponseMismatchError`: read
   * it with `streamAll`. (Document: Status queries.)
   */
  all(importSupplierCode: string, options?: CallOptions): CallPromise<AccountImportProcess[]> {
    return this.#list('imports.all', importSupplierCode, options);
  }

  /** The accounts of a supplier that are staged and not imported; as `all`. (Document: Status queries.) */
  pending(importSupplierCode: string, options?: CallOptions): CallPromise<AccountImportProcess[]> {
    return this.#list('imports.pending', importSupplierCode, options);
  }

  /**
   * The imported accounts of a supplier. The API specification does not show this body: where a deployment answers with none,
   * the result is `undefined`, which does not mean that nothing was imported; and where with JSON that is no such list, it
   * comes as it is, so look with `Array.isArray` first. (Document: Status queries.)
   */
  imported(importSupplierCode: string, options?: CallOptions): CallPromise<ImportedAccountImportProcess[] | undefined> {
    return this.#list('imports.imported', importSupplierCode, options);
  }

  /**
   * The entries of `all`, one by one as they come: of a list of any length, of which only a small part is in memory.
   *
   * Rejects as `all` does, also in the middle: `ConnectionError` where the connection breaks before the list is complete,
   * `TimeoutError` where no further entry comes for `timeoutMs`, `ResponseMismatchError` with the index of an entry that is
   * not in the documented shape or larger than `maxAnswerBytes`. What came before is then a part of the list. Retries, and
   * `deadlineMs`, are for what comes before the first entry. A loop that ends early ends the request.
   *
   * @example
   * for await (const { external_account_number } of client.imports.streamAll('ACME')) console.log(external_account_number);
   */
  streamAll(importSupplierCode: string, options?: CallOptions): AsyncGenerator<AccountImportProcess, void, undefined> {
    return this.#stream('imports.all', { import_supplier_code: importSupplierCode }, options);
  }

  /** The entries of `pending`, as `streamAll` gives those of `all`. */
  streamPending(
    importSupplierCode: string,
    options?: CallOptions,
  ): AsyncGenerator<AccountImportProcess, void, undefined> {
    return this.#stream('imports.pending', { import_supplier_code: importSupplierCode }, options);
  }

  #list<T>(name: OperationName, importSupplierCode: string, options: CallOptions | undefined): CallPromise<T> {
    return this.#request(name, { path: { import_supplier_code: importSupplierCode } }, options);
  }
}

/** From callers without types anything may come: what is missing is a finding of the path. */
function pathOf(account: AccountImport): PathValues {
  const { import_supplier_code, external_account_number } = Object(account) as AccountImport;
  return { import_supplier_code, external_account_number };
}

function checkWait(until: unknown, intervalMs: unknown): void {
  if (typeof until !== 'function' && !(Array.isArray(until) && until.length > 0)) {
    throw new TypeError("until: expected a list of statuses, such as ['COMPLETED', 'REJECTED'], or a function");
  }
  if (typeof intervalMs !== 'number' || !(intervalMs >= 0 && Number.isFinite(intervalMs))) {
    throw new TypeError('intervalMs: expected a number of milliseconds from 0 up');
  }
}
