/** Exports `Check`, the result of a preflight check, and helpers of the checks. */
/** The checks, in their order. */
export type CheckName = 'address' | 'token' | 'supplier' | 'team' | 'disk' | 'clock';

/** `cannotTell`: no harmless call shows it. */
export type CheckResult = 'ok' | 'warning' | 'failed' | 'cannotTell' | 'notChecked';

export interface Check {
  check: CheckName;
  result: CheckResult;
  /** The result in words. Contains no secrets and no value of a payload. */
  detail: string;
  /** What to do; empty if nothing. */
  remedy: string;
}

/** Returns a function that makes the result of this check. */
export function resultOf(check: CheckName) {
  return (result: CheckResult, detail: string, remedy = ''): Check => ({ check, result, detail, remedy });
}

/** Returns the first check that prevents a run; undefined if none does. */
export function obstacleIn(checks: readonly Check[]): Check | undefined {
  return checks.find(({ result }) => result === 'failed');
}

/** Options of each call of a check. Its time limit is that of the client, as a slow service is slow for a run too. */
export const ONE_CALL = { maxRetries: 1, maxThrottleWaitMs: 0 };

export const TOKEN_REMEDY = 'Check the token, --token-scheme and the API key.';

/** What to do if the service refuses a call because there are too many; an empty text for other statuses. */
export function remedyIfBusy(status: number | undefined): string {
  return status === 429 ? 'The service limits the number of calls: repeat this command in a minute.' : '';
}

/** Returns the code in parentheses; an empty text if it may be data. */
export function codeIn(code: string | undefined): string {
  return code === undefined || !/^[A-Za-z][\w.-]{0,99}$/.test(code) ? '' : ` (${code})`;
}
