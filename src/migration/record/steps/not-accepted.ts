/** Exports the checks whether the service refuses a request because of address, import supplier or team, and not because of the record. */
import { type ApiError, ValidationError } from '../../../errors/api-errors.js';
import type { Step } from '../../ledger/ledger.js';

/** Steps that name nothing which the service may not have: the API specification has no 404 for them. */
const FIRST_STEPS: ReadonlySet<Step> = new Set(['populate', 'create', 'validate', 'stage']);

/** Not found, method not allowed, gone: the answers of a server that has something else at this path. */
const NO_PATH: ReadonlySet<number> = new Set([404, 405, 410]);

/** Returns whether the address has no such path. If the service has accepted other records, it means this record all the same. */
export function isOfAddress({ status, errors }: ApiError, step: Step): boolean {
  return NO_PATH.has(status) && FIRST_STEPS.has(step) && errors.every(({ attr }) => attr === '');
}

/**
 * What the service does not accept: the supplier, which is Paused or Complete, or has another code; or the team. undefined if
 * it found anything else wrong: then other records may be accepted.
 */
export function notAcceptedBy(error: ApiError): 'supplier' | 'team' | undefined {
  if (!(error instanceof ValidationError)) return undefined;
  const code = notAcceptedCode(error);
  if (code !== undefined) return OF_CODE.get(code);
  const [first, ...others] = error.errors;
  const of = first && OF_ATTR.get(first.attr);
  return others.every(({ attr }) => OF_ATTR.get(attr) === of) ? of : undefined;
}

/** Returns the code of such a refusal, at any place in the body; undefined if there is none. */
export function notAcceptedCode({ body }: ApiError): string | undefined {
  const found = (value: unknown, depth: number): string | undefined => {
    if (typeof value === 'string') return OF_CODE.has(value) ? value : undefined;
    if (typeof value !== 'object' || value === null || depth > MOST_DEPTH) return undefined;
    for (const part of Object.values(value)) {
      const code = found(part, depth + 1);
      if (code !== undefined) return code;
    }
    return undefined;
  };
  return found(body, 0);
}

/** Deepest nesting that is searched. */
const MOST_DEPTH = 8;

const OF_CODE: ReadonlyMap<string, 'supplier' | 'team'> = new Map([
  ['import_supplier_not_ongoing', 'supplier'],
  ['import_supplier_not_found', 'supplier'],
  ['operations_team_not_found', 'team'],
]);

/** Fields of the supplier, whose name differs between payloads, and of the team. */
const OF_ATTR: ReadonlyMap<string, 'supplier' | 'team'> = new Map([
  ['import_supplier', 'supplier'],
  ['import_supplier_code', 'supplier'],
  ['operations_team_name', 'team'],
]);
