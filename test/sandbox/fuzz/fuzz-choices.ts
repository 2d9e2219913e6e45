/** Settings and faults drawn by lot: each setting from its values, as src/sandbox/settings/settings.ts lists them. */
import fc from 'fast-check';
import type { FaultRule, FaultTarget, SandboxSettings } from '../../../src/sandbox/index.js';

const VALUES: { readonly [Name in keyof SandboxSettings]: readonly SandboxSettings[Name][] } = {
  missingSlash: ['not-found', 'redirect'],
  authScope: ['all', 'business-payment-instruction'],
  authScheme: ['Token', 'Bearer', 'bare', 'any'],
  unauthorizedBody: ['code', 'detail', 'empty'],
  historicalStatementStatus: [201, 200],
  unmatchedList: ['empty', 'not-found'],
  importedList: ['entries', 'no-body'],
  unknownFields: ['refuse', 'drop', 'keep'],
  unlistedValues: ['accept', 'refuse'],
  switchSchedule: [null, { inProgressAfterSeconds: 0, endAfterSeconds: 0, rejectedShare: 0.5 }],
  profile: [
    null,
    {
      required: { Account: ['customers.*.email'] },
      values: { TransactionsPayload: { 'transactions.*.type': ['CHARGE'] } },
    },
  ],
  refusedUnlessOngoing: [['process'], [], ['validate', 'process', 'business', 'post-import']],
  processChecks: [
    ['imported', 'supplier', 'staged', 'team'],
    ['team', 'staged', 'supplier', 'imported'],
  ],
  errorBodies: ['documented', 'nested'],
  dryRunMessage: ['detail', 'non_field_errors', 'list'],
  errorCodes: [{}, { account_not_staged: 'not_found', required: '__proto__' }],
  missingBusinessContract: ['stage-and-process', 'process', 'never'],
  accountNotFound: [400, 404],
  transactionIdentity: ['transaction_id', 'item'],
  failingBatchKeeps: ['none', 'prefix'],
  transactionDataStatus: ['none', 'success'],
  movedDate: ['nearest', 'today'],
  notesWithoutBody: ['compare-paths', 'always-new'],
  stagedNotes: ['kept', 'dropped'],
  unpinAt: ['stored', 'unpins'],
  missingDocuments: ['accept', 'refuse'],
  businessAgain: ['refuse', 'same-id'],
  businessInstructionNotFound: [400, 404],
  businessInstructionAccounts: ['optional', 'required'],
  businessInstructionStaged: ['accept', 'refuse'],
  vendorFailureBody: ['documented', 'error_detail'],
  skippedAccounts: ['listed', 'hidden'],
  populateEmpty: ['accept', 'refuse'],
  populateDuplicates: ['twice', 'once', 'refuse'],
  batchIdForm: ['uuid-like', 'digits'],
  accountNumberForm: ['digits', 'lettered'],
  timeZone: ['UTC', 'Pacific/Kiritimati', 'Etc/GMT+12', 'Europe/Paris'],
  listOrder: ['staging', 'account-number'],
  tokenLifetimeSeconds: [null, 1],
  graphqlPath: ['/v1/graphql/', '/graph'],
  tokenMutation: ['obtainToken', 'giveToken'],
  apiKeyVariable: ['input.apiKey', 'key'],
  retryAfterSeconds: [null, 0, 7],
  dryRunCounts: [true, false],
  processDurationMs: [0, 5, [1, 60_000]],
  processRace: ['allow', 'wait', 'lock'],
  statusWhileProcessing: ['UNKNOWN', 'PENDING', 'IN_PROGRESS'],
  itemDurationMs: [0, { min: 1, max: 2 }],
  itemRace: ['allow', 'wait', 'lock'],
  stageDurationMs: [0, 5],
  businessDurationMs: [0, 5],
  businessRace: ['allow', 'wait', 'lock'],
  lostRequests: ['complete', 'stop'],
  itemEntries: ['each', 'added-only'],
  processConcurrency: [null, 1],
  latencyMs: [0, [1, 60_000]],
  lookupsPerSecond: [10, 0.001],
};

/** Any values of all settings. */
export const settings = fc.record(
  Object.fromEntries(Object.entries(VALUES).map(([name, values]) => [name, fc.constantFrom<unknown[]>(...values)])),
) as fc.Arbitrary<Partial<SandboxSettings>>;

const match = fc.record(
  {
    operation: fc.constantFrom<FaultTarget | FaultTarget[]>(
      ...(['accounts.stage', 'accounts.process', 'token'] as const),
      ['notes.create', 'imports.all'],
    ),
    account: fc.constantFrom('0001', 'A-2'),
  },
  { requiredKeys: [] },
);

const when = fc.oneof(
  fc.constantFrom('every' as const, 'first' as const),
  fc.record({ nth: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ every: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ probability: fc.constantFrom(0, 0.3, 1) }),
);

const headers = fc.constantFrom({ 'Retry-After': '1' }, { 'Content-Type': 'text/html' }, { 'X-A': 'b' });

const effect: fc.Arbitrary<FaultRule['effect']> = fc.oneof(
  fc.constantFrom('drop' as const, 'malformed' as const),
  fc.record({ latencyMs: fc.constantFrom(0, 1, 60_000) }),
  fc.record({ status: fc.constantFrom(204, 205, 304), headers }, { requiredKeys: ['status'] }),
  fc.record(
    {
      status: fc.constantFrom(200, 400, 403, 429, 500, 502, 503, 599),
      body: fc.constantFrom<unknown[]>('<html></html>', '', null, { detail: 'x', code: 'y' }, []),
      headers,
    },
    { requiredKeys: ['status'] },
  ),
);

const fault: fc.Arbitrary<FaultRule> = fc.record(
  {
    match,
    when,
    effect,
    phase: fc.constantFrom('before', 'during', 'afterCommit'),
    times: fc.integer({ min: 1, max: 3 }),
  },
  { requiredKeys: ['effect'] },
);

/** Up to three rules. */
export const faults: fc.Arbitrary<FaultRule[]> = fc.array(fault, { maxLength: 3 });
