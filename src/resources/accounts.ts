/** Exports `Accounts`, the methods of `client.accounts`: validate, stage, process and dry-run accounts. */
import { type AccountTransferStatus, existingAccount } from '../../schemas/import-status.js';
import type { Account, StageAnswer, ValidatedAccount } from '../../schemas/payloads/account.js';
import type { ProcessAnswer, ProcessPayload } from '../../schemas/payloads/process.js';
import { AlreadyImportedError, ValidationError } from '../errors/api-errors.js';
import { ResponseMismatchError } from '../errors/client-errors.js';
import { isDryRunSuccess } from '../errors/decode.js';
import { saysNoImport } from '../errors/from-answer.js';
import { answersOfErrors, type CallResult, type Settlement } from '../http/call/call-types.js';
import type { CallOptions } from '../options.js';
import { droppedPaths } from '../validation/dropped-fields.js';
import type { Finding } from '../validation/findings.js';
import { addFact, type CallPromise } from './call-promise.js';
import { created, type Requester } from './check-and-send.js';
import { pathOf } from './imports.js';

/** Result of `accounts.validate`: the validated data, as the service sent them. */
export type ValidateResult = ValidatedAccount & {
  /**
   * Paths of the payload that are missing or empty in the answer, because the service dropped them. Empty if the service does not
   * echo the data at all. Not enumerable.
   */
  readonly droppedPaths: readonly string[];
};

/** Result of `accounts.stage`: the answer, as the service sent it. */
export type StageResult = StageAnswer & {
  /** `created`: staged for the first time. `updated`: the data replaced those of an earlier staging. Not enumerable. */
  readonly callOutcome: 'created' | 'updated';
};

/** Payload of `accounts.process`. */
export type ProcessRequest = Omit<ProcessPayload, 'dry_run'> & { dry_run?: false | undefined };

/** Payload of `accounts.dryRun`. */
export type DryRunRequest = Omit<ProcessPayload, 'dry_run'> & { dry_run?: true | undefined };

/** Result of `accounts.process`: the answer, as the service sent it. */
export type ProcessResult = ProcessAnswer & {
  /**
   * `created`: the service confirmed it. `confirmed`: an earlier request of this call got no answer, and the service then reported
   * that the account exists. The body is then that of the status query or of the refusal. Not enumerable.
   */
  readonly callOutcome: 'created' | 'confirmed';
};

/** Result of `accounts.dryRun`: the body of the documented 400, as the service sent it. */
export interface DryRunResult {
  /** Always true: otherwise the call rejects. Not enumerable. */
  readonly wouldImport: true;
}

/** `client.accounts`: accounts before and during their import (spec: Account import). */
export interface Accounts {
  /**
   * Lets the service check an account without storing it. Resolves with the validated data; `droppedPaths` has the fields that the
   * service left out. Rejects with `ValidationError` for invalid data. Some deployments reject an imported account with
   * `AlreadyImportedError`. (Spec: Account import.)
   */
  validate(payload: Account, options?: CallOptions): CallPromise<ValidateResult>;

  /**
   * Stores the data of an account, in place of all that was staged for it before. Rejects with `ValidationError` if the data are
   * invalid, the account is imported or marked to skip, or the supplier is Paused or Complete. (Spec: Account import.)
   */
  stage(payload: Account, options?: CallOptions): CallPromise<StageResult>;

  /**
   * Creates an account from the staged data. Rejects with `AlreadyImportedError` if it was imported before, and with
   * `RateLimitError` after too many 429. If a request gets no answer or a 500, the client asks the service for the status of the
   * account, and repeats the request only if no account was created. Without a usable status: `OutcomeUnknownError`.
   * (Spec: Process rules.)
   */
  process(payload: ProcessRequest, options?: CallOptions): CallPromise<ProcessResult>;

  /**
   * Checks whether processing would succeed, without creating the account. Resolves if it would, and rejects with the error of
   * processing if not. (Spec: Process rules.)
   */
  dryRun(payload: DryRunRequest, options?: CallOptions): CallPromise<DryRunResult>;
}

/** Returns the methods of `client.accounts`. */
export function createAccounts(request: Requester): Accounts {
  return {
    validate(payload, options) {
      const suspicions = (echo: ValidatedAccount, sent: () => unknown) =>
        droppedPaths(sent(), echo).map((attr) => ({ code: 'dropped_by_service', attr }));
      const conclude = async (answer: Promise<CallResult<unknown>>, sent: () => unknown) => {
        const result = (await answer) as CallResult<ValidateResult>;
        addFact(result.data, 'droppedPaths', droppedPaths(sent(), result.data));
        return result;
      };
      return request<ValidateResult>('accounts.validate', { payload, suspicions, conclude }, options);
    },

    stage(payload, options) {
      const outcome = (status: number) => (status === 201 ? 'created' : 'updated');
      return request<StageResult>('accounts.stage', { payload, outcome }, options);
    },

    process(payload, options) {
      const findings = wrongDryRun(
        payload,
        true,
        'accounts.process creates the account. To only check that, call accounts.dryRun.',
      );
      const settlement = settlementByStatus(request, payload);
      return request('accounts.process', { payload, settlement, findings, outcome: created }, options);
    },

    dryRun(payload, options) {
      const findings = wrongDryRun(
        payload,
        false,
        'accounts.dryRun creates no account. To create it, call accounts.process.',
      );
      const dryRun = { label: DRY_RUN, payload: { ...payload, dry_run: true }, findings, conclude: dryRunResult };
      return request<DryRunResult>('accounts.process', dryRun, options);
    },
  };
}

function settlementByStatus(request: Requester, payload: ProcessRequest): Settlement<ProcessResult> {
  const path = pathOf(payload);
  return {
    ask: async (limits) => {
      try {
        const call = request<AccountTransferStatus>('imports.status', { path }, limits);
        const answer = await call.withResponse();
        const account = existingAccount(answer.data);
        if (account === undefined) return undefined;
        if (account.number === null) return 'underWay';
        // Typed as the result already: `outcome` adds the fact.
        const data = answer.data as ProcessAnswer as ProcessResult;
        return { ...answer, data, text: await (await call.asResponse()).text() };
      } catch (error) {
        if (saysNoImport(error)) return undefined;
        throw error;
      }
    },
    // A number in another form is no result: the status query has it as text.
    confirms: (error) =>
      (error instanceof AlreadyImportedError &&
        (error.body as Partial<ProcessAnswer> | undefined)?.service_account_number === error.serviceAccountNumber) ||
      undefined,
  };
}

const DRY_RUN = 'accounts.dryRun';

/** Converts the documented 400 of a successful dry run to a result. Rejects for every other answer. */
async function dryRunResult(answer: Promise<CallResult<unknown>>): Promise<CallResult<DryRunResult>> {
  let result: CallResult<unknown>;
  try {
    result = await answer;
  } catch (error) {
    if (!(error instanceof ValidationError) || !isDryRunSuccess(error.body)) throw error;
    const { status, headers, attempts, requestId } = error;
    const text = answersOfErrors.get(error)?.text;
    // The text of a body that is no object can have no property.
    const data = (typeof error.body === 'object' ? error.body : {}) as DryRunResult;
    addFact(data, 'wouldImport', true);
    return { data, status, headers, attempts, requestId, text };
  }
  const mismatch = 'a dry run never succeeds by its status; an account may have been created';
  throw new ResponseMismatchError({ ...result, operation: DRY_RUN, body: result.data, mismatch });
}

function wrongDryRun(payload: unknown, wrong: boolean, detail: string): Finding[] {
  if ((payload as { dry_run?: unknown } | undefined)?.dry_run !== wrong) return [];
  return [{ detail, code: 'invalid_choice', attr: 'dry_run', severity: 'error' }];
}
