import type { OperationName } from '../../schemas/operations.js';
import type {
  AccountImportProcess,
  AccountTransferStatus,
  ImportedAccountImportProcess,
} from '../../schemas/status.js';
import type { CallPromise } from '../call-promise.js';
import type { CallOptions } from '../options.js';
import type { ListStreamer, Requester } from './request.js';

/** `client.imports`: how imports stand (document: Status queries). */
export class Imports {
  readonly #request: Requester;
  readonly #stream: ListStreamer;

  /** @internal */
  constructor(request: Requester, stream: ListStreamer) {
    this.#request = request;
    this.#stream = stream;
  }

  /**
   * The state of one account import. `UNKNOWN` with an empty number: staged, no account yet. `NotFoundError`: never
   * staged. (Document: Account import status.)
   */
  status(
    importSupplierCode: string,
    externalAccountNumber: string,
    options?: CallOptions,
  ): CallPromise<AccountTransferStatus> {
    const path = { import_supplier_code: importSupplierCode, external_account_number: externalAccountNumber };
    return this.#request('imports.status', { path }, options);
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
   * The imported accounts of a supplier. The document does not show this body: where a deployment answers with none,
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
