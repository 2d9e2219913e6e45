/** The accounts, path and headers of the requests, the same for every contestant. */
import type { Account } from 'data-import-sdk';
import { sampleRecords } from 'data-import-sdk/migration';

/** Calls in flight in the measurements of the whole path and of the runner. */
export const IN_FLIGHT = 64;
export const TEAM = 'TEAM';
export const TOKEN = 'bench-token';
export const PATH = '/v1/data-import/account-import-process/create-or-update/';
export const PROCESS_PATH = '/v1/data-import/account-import-process/process/';
export const HEADERS = {
  authorization: `Token ${TOKEN}`,
  accept: 'application/json',
  'content-type': 'application/json',
};

/** Stages one account. */
export type Stage = (account: Account) => Promise<unknown>;

/** Domestic sample accounts, about 3 KB each; an account of a business would need its business first. */
export function sampleAccounts(seed: number): Account[] {
  return [...sampleRecords({ accounts: 2000, mistakes: 0, supplier: 'BENCH', seed })]
    .map(({ line }): { account?: Account } => JSON.parse(line))
    .flatMap(({ account }) => (account === undefined || 'business' in account ? [] : [account]));
}
