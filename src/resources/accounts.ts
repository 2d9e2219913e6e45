/** Exports `Accounts`, the methods of `client.accounts`: validate, stage, process and dry-run accounts. */
import { type AccountTransferStatus, existingAccount } from '../../schemas/import-status.js';
import type { Account, StageAnswer, ValidatedAccount } from '../../schemas/payloads/account.js';
import type { ProcessAnswer, ProcessPayload } from '../../schemas/payloads/process.js';
import type { AlreadyImportedError } from '../errors/api-errors.js';
import { ResponseMismatchError } from '../errors/client-errors.js';
import { isDryRunSuccess } from '../errors/decode.js';
import { isAlreadyImportedError, isNotFoundError, isValidationError } from '../errors/guards.js';
import type { CallResult, Settlement } from '../http/call/call-types.js';
import type { CallOptions } from '../options.js';
import { droppedPaths } from '../validation/dropped-fields.js';
import type { Finding } from '../validation/findings.js';
import type { CallPromise } from './call-promise.js';
import type { Requester } from './request.js';
import { suspicionsOfAccount } from './suspicions.js';

/** Result of `accounts.validate`: the validated data. */
export type ValidateResult = ValidatedAccount & {
  /**
   * Paths of the payload that are missing in the answer, because the service dropped them. Empty if the service does not echo
   * the data at all. Not enumerable.
   */
  readonly dropped: readonly string[];
};

/** Result of `accounts.stage`. */
export interface StageResult extends StageAnswer {
  /** Import supplier code. */
  import_supplier: string;
  /** `created`: staged for the first time. `updated`: the data replaced those of an earlier staging. */
  outcome: 'created' | 'updated';
}

/** Payload of `accounts.process`. */
export type ProcessRequest = Omit<ProcessPayload, 'dry_run'> & { dry_run?: false | undefined };

/** Payload of `accounts.dryRun`. */
export type DryRunRequest = Omit<ProcessPayload, 'dry_run'> & { dry_run?: true | undefined };

/** Result of `accounts.process`. */
export interface ProcessResult extends ProcessAnswer {
  /**
   * `created`: the service confirmed it. `alreadyImported`: an earlier request of this call got no answer, and the service then
   * reported that the account exists.
   */
  outcome: 'created' | 'alreadyImported';
}

/** Result of `accounts.dryRun`. */
export interface DryRunResult {
  /** Always true: otherwise the call rejects. */
  wouldImport: true;
}

/** `client.accounts`: accounts before and during their import (spec: Account import). */
export class Accounts {
  readonly #request: Requester;

  /** @internal */
  constructor(request: Requester) {
    this.#request = request;
  }

  /**
   * Lets the service check an account without storing it. Resolves with the validated data; `dropped` has the fields that the
   * service left out. Rejects with `ValidationError` for invalid data. Some deployments reject an imported account with
   * `AlreadyImportedError`. (Spec: Account import.)
   */
  validate(payload: Account, options?: CallOptions): CallPromise<ValidateResult> {
    // Copied before the request: the caller may change the object before the answer arrives.
    const sent = copyOf(payload);
    const suspicions = (echo: ValidatedAccount) =>
      droppedPaths(sent, echo).map((attr) => ({ code: 'dropped_by_service', attr }));
    return this.#request<ValidatedAccount>('accounts.validate', { payload, suspicions }, options).map(({ data }) =>
      // Not enumerable, so that the answer of the service is unchanged.
      Object.defineProperty(data as ValidateResult, 'dropped', { value: droppedPaths(sent, data), enumerable: false }),
    );
  }

  /**
   * Stores the data of an account, in place of all that was staged for it before. Rejects with `ValidationError` if the data are
   * invalid, the account is imported or marked to skip, or the supplier is Paused or Complete. (Spec: Account import.)
   */
  stage(payload: Account, options?: CallOptions): CallPromise<StageResult> {
    const sent = payload?.import_supplier;
    const suspicions = suspicionsOfAccount(sent, payload?.external_account_number);
    return this.#request<StageAnswer>('accounts.stage', { payload, suspicions }, options).map(({ data, status }) =>
      // Changes the parsed body in place: a copy takes ten times as long.
      Object.assign(data, {
        // Deployments differ in the name of this field.
        import_supplier: data.import_supplier ?? String(data['import_supplier_code'] ?? sent),
        outcome: status === 201 ? ('created' as const) : ('updated' as const),
      }),
    );
  }

  /**
   * Creates an account from the staged data. Rejects with `AlreadyImportedError` if it was imported before, and with
   * `ConcurrencyLimitError` after too many 429. If a request gets no answer, the client asks the service for the status of the
   * account, and repeats the request only if no account was created. If the status query fails: `OutcomeUnknownError`.
   * (Spec: Process rules.)
   */
  process(payload: ProcessRequest, options?: CallOptions): CallPromise<ProcessResult> {
    const settlement = this.#settlement(payload);
    const suspicions = suspicionsOfAccount(payload?.import_supplier_code, payload?.external_account_number);
    const findings = wrongDryRun(
      payload,
      true,
      'accounts.process creates the account. To only check that, call accounts.dryRun.',
    );
    const request = { payload, settlement, findings, suspicions };
    return this.#request<ProcessAnswer>('accounts.process', request, options).map(({ data, settled }) =>
      Object.assign(data, { outcome: settled ? ('alreadyImported' as const) : ('created' as const) }),
    );
  }

  /**
   * Checks whether processing would succeed, without creating the account. Resolves if it would, and rejects with the error of
   * processing if not. (Spec: Process rules.)
   */
  dryRun(payload: DryRunRequest, options?: CallOptions): CallPromise<DryRunResult> {
    const findings = wrongDryRun(
      payload,
      false,
      'accounts.dryRun creates no account. To create it, call accounts.process.',
    );
    const request = { label: DRY_RUN, payload: { ...payload, dry_run: true }, findings, conclude: dryRunResult };
    return this.#request<DryRunResult>('accounts.process', request, options);
  }

  #settlement(payload: ProcessRequest): Settlement<ProcessAnswer> {
    const path = {
      import_supplier_code: payload?.import_supplier_code,
      external_account_number: payload?.external_account_number,
    };
    return {
      ask: async (limits) => {
        try {
          const answer = await this.#request<AccountTransferStatus>('imports.status', { path }, limits).withResponse();
          const account = existingAccount(answer.data);
          if (account === undefined) return undefined;
          return account.number === null ? 'underWay' : { ...answer, data: { service_account_number: account.number } };
        } catch (error) {
          if (isNotFoundError(error)) return undefined;
          throw error;
        }
      },
      recognise: (error) =>
        isAlreadyImportedError(error)
          ? { service_account_number: (error as AlreadyImportedError).serviceAccountNumber }
          : undefined,
    };
  }
}

/** Returns a copy of the payload as JSON represents it; undefined if it cannot be written as JSON. */
function copyOf(payload: Account): Account | undefined {
  try {
    return JSON.parse(JSON.stringify(payload));
  } catch {
    return undefined;
  }
}

const DRY_RUN = 'accounts.dryRun';

/** Converts the documented 400 of a successful dry run to a result. Rejects for every other answer. */
function dryRunResult(answer: Promise<CallResult<unknown>>): Promise<CallResult<DryRunResult>> {
  return answer.then(
    (result) => {
      const mismatch = 'a dry run never succeeds by its status; an account may have been created';
      throw new ResponseMismatchError({ ...result, operation: DRY_RUN, body: result.data, mismatch });
    },
    (error: unknown) => {
      if (!isValidationError(error) || !isDryRunSuccess(error.body)) throw error;
      return {
        data: { wouldImport: true },
        status: error.status,
        headers: error.headers,
        attempts: error.attempts,
        requestId: error.requestId,
      };
    },
  );
}

function wrongDryRun(payload: unknown, wrong: boolean, detail: string): Finding[] {
  if ((payload as { dry_run?: unknown } | undefined)?.dry_run !== wrong) return [];
  return [{ detail, code: 'invalid_choice', attr: 'dry_run', severity: 'error' }];
}
