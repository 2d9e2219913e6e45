import type { OperationName } from '../../schemas/operations.js';
import type {
  AccountImportProcess,
  AccountTransferStatus,
  ImportedAccountImportProcess,
} from '../../schemas/status.js';
import type { CallPromise } from '../call-promise.js';
import type { CallOptions } from '../options.js';
import type { Requester } from './request.js';

/** `client.imports`: how imports stand (document: Status queries). */
export class Imports {
  readonly #request: Requester;

  /** @internal */
  constructor(request: Requester) {
    this.#request = request;
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
   * `NotFoundError`, as the deployment has it (U4). (Document: Status queries.)
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

  #list<T>(name: OperationName, importSupplierCode: string, options: CallOptions | undefined): CallPromise<T> {
    return this.#request(name, { path: { import_supplier_code: importSupplierCode } }, options);
  }
}
