/** Exports `Imports`, the methods of `client.imports`: the state of one import, waiting for it, and the lists of a supplier. */
import type { AccountImportProcess, AccountImportStatus, AccountTransferStatus } from '../../schemas/import-status.js';
import type { OperationName } from '../../schemas/operations.js';
import { checkValue } from '../check-options.js';
import { presentable } from '../errors/items.js';
import { AbortedError, TimeoutError } from '../errors/no-answer-errors.js';
import type { CallContext } from '../http/call/call-types.js';
import { Deadline } from '../http/time/deadline.js';
import { sleep } from '../http/time/delay.js';
import type { PathValues } from '../http/transport/address.js';
import { type CallOptions, type ClientSettings, checkCallOptions } from '../options.js';
import type { CallPromise } from './call-promise.js';
import type { ListStreamer, Requester } from './check-and-send.js';

/** Identifies an account import. */
export interface AccountImport {
  /** Code of the import supplier. */
  import_supplier_code: string;
  /** The caller's identifier of the account. */
  external_account_number: string;
}

/** Options of `imports.waitFor`. `deadlineMs` limits the whole wait; the other call options apply to each status query. */
export interface WaitForOptions extends CallOptions {
  /** The statuses that end the wait, or a function that returns whether an answer ends it. */
  until: readonly AccountImportStatus[] | ((answer: AccountTransferStatus) => boolean);
  /**
   * Milliseconds between the answer to a status query and the next query.
   * @default 5000
   */
  intervalMs?: number | undefined;
}

/** The client settings that `waitFor` uses. */
type WaitingSettings = Pick<ClientSettings, 'deadlineMs' | 'base'> & Pick<CallContext, 'sleepers'>;

/** `client.imports`: the state of imports (spec: Status queries). */
export interface Imports {
  /**
   * Resolves with the state of one account import. `UNKNOWN` with an empty number: staged, but no account exists yet. Rejects with
   * `NotFoundError` if it was never staged. (Spec: Account import status.)
   *
   * @example
   * const { status } = await client.imports.status({ import_supplier_code: 'ACME', external_account_number: 'A-1' });
   */
  status(account: AccountImport, options?: CallOptions): CallPromise<AccountTransferStatus>;

  /**
   * Polls the status until `until` accepts it, and resolves with that answer.
   *
   * Rejects as `status`, with `TimeoutError` after `deadlineMs` (by default that of the client), and with `AbortedError` if the
   * signal aborts. Include `REJECTED` in `until`: otherwise the wait for a rejected import lasts until the deadline.
   * (Spec: Account import status.)
   *
   * @example
   * const { status } = await client.imports.waitFor(
   *   { import_supplier_code: 'ACME', external_account_number: 'A-1' },
   *   { until: ['COMPLETED', 'REJECTED'], deadlineMs: 3_600_000 },
   * );
   */
  waitFor(account: AccountImport, options: WaitForOptions): Promise<AccountTransferStatus>;

  /**
   * Resolves with all staged and imported accounts of a supplier. If there are none, a deployment answers with an empty list, a
   * 204 (here an empty list) or a 404 (`NotFoundError`) (U4). Rejects with `ResponseMismatchError` for a list larger than
   * `advanced.maxAnswerBytes`: read it with `streamAll`. (Spec: Status queries.)
   */
  all(importSupplierCode: string, options?: CallOptions): CallPromise<AccountImportProcess[]>;

  /** Resolves with the accounts of a supplier that are staged and not imported. Rejects as `all`. (Spec: Status queries.) */
  pending(importSupplierCode: string, options?: CallOptions): CallPromise<AccountImportProcess[]>;

  /**
   * Resolves with the imported accounts of a supplier. The API specification does not describe this body: any JSON is returned
   * unchanged, maybe a list of `ImportedAccountImportProcess`, which `Array.isArray` shows. An empty body gives undefined, which does
   * not mean that nothing was imported. (Spec: Status queries.)
   */
  imported(importSupplierCode: string, options?: CallOptions): CallPromise<unknown>;

  /**
   * Yields the entries of `all` while the answer arrives, so that a list of any length needs little memory.
   *
   * Rejects as `all`, also after some entries, which are then only a part of the list: with `ConnectionError` if the connection
   * breaks, with `TimeoutError` if no further entry arrives for `timeoutMs`, and with `ResponseMismatchError`, which has the index,
   * for an entry that is invalid or larger than `advanced.maxAnswerBytes`. Retries and `deadlineMs` apply until the first entry.
   * Leaving the loop early ends the request.
   *
   * @example
   * for await (const { external_account_number } of client.imports.streamAll('ACME')) console.log(external_account_number);
   */
  streamAll(importSupplierCode: string, options?: CallOptions): AsyncGenerator<AccountImportProcess, void, undefined>;

  /** Yields the entries of `pending`. Rejects as `streamAll`. */
  streamPending(
    importSupplierCode: string,
    options?: CallOptions,
  ): AsyncGenerator<AccountImportProcess, void, undefined>;
}

/** Returns the methods of `client.imports`. */
export function createImports(request: Requester, stream: ListStreamer, waiting: WaitingSettings): Imports {
  const list = <T>(name: OperationName, importSupplierCode: string, options: CallOptions | undefined): CallPromise<T> =>
    request(name, { path: { import_supplier_code: importSupplierCode } }, options);
  return {
    status: (account, options) => request('imports.status', { path: pathOf(account) }, options),
    waitFor: (account, options) => waitFor(request, waiting, account, options),
    all: (code, options) => list('imports.all', code, options),
    pending: (code, options) => list('imports.pending', code, options),
    imported: (code, options) => list('imports.imported', code, options),
    streamAll: (code, options) => stream('imports.all', 'imports.streamAll', { import_supplier_code: code }, options),
    streamPending: (code, options) =>
      stream('imports.pending', 'imports.streamPending', { import_supplier_code: code }, options),
  };
}

async function waitFor(
  request: Requester,
  waiting: WaitingSettings,
  account: AccountImport,
  options: WaitForOptions,
): Promise<AccountTransferStatus> {
  const { until, intervalMs = 5000, ...call } = Object(options) as WaitForOptions;
  checkValue('until', until);
  checkValue('intervalMs', intervalMs);
  checkCallOptions(call, 'imports.waitFor', ['until', 'intervalMs']);
  const deadlineMs = call.deadlineMs ?? waiting.deadlineMs;
  const deadline = new Deadline(deadlineMs, call.signal);
  const facts = {
    operation: 'imports.waitFor',
    host: waiting.base.host,
    attempts: 0,
    sent: false,
    repeatable: true,
  };
  const isEnd = typeof until === 'function' ? until : ({ status }: AccountTransferStatus) => until.includes(status);
  const path = pathOf(account);
  let last = '';
  try {
    for (;;) {
      const limits = { ...call, deadlineMs: Math.max(1, deadline.remainingMs()) };
      const query = request<AccountTransferStatus>('imports.status', { label: facts.operation, path }, limits);
      const answer = await query.catch((error: Partial<TimeoutError>) => {
        if (error.limit !== 'deadlineMs' && deadline.ended !== 'aborted') throw error;
        facts.attempts += error.attempts ?? 0;
      });
      facts.sent = true;
      if (answer) {
        facts.attempts++;
        if (await isEnd(answer)) return answer;
        last = ` (the last one: ${presentable(answer.status)})`;
        await sleep(intervalMs, deadline.cancellation, waiting.sleepers);
      }
      if (deadline.ended === 'aborted') {
        throw new AbortedError({ ...facts, outcomeUnknown: false, cause: call.signal?.reason });
      }
      if (!answer || deadline.ended === 'deadline') {
        const missing = `status that ends the wait${last}`;
        throw new TimeoutError({ ...facts, limit: 'deadlineMs', limitMs: Math.round(deadlineMs), missing });
      }
    }
  } finally {
    deadline.dispose();
  }
}

/** Returns the path parameters of a value of any type: callers may have no types. A missing one becomes a finding. */
export function pathOf(account: AccountImport): PathValues {
  const { import_supplier_code, external_account_number } = Object(account) as AccountImport;
  return { import_supplier_code, external_account_number };
}
