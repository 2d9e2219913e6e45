/** A program is tested with doubles of the client, without a cast. */
import {
  type Accounts,
  type CallPromise,
  callPromise,
  type DataImportClient,
  type Imports,
  type Notes,
} from 'data-import-sdk';
import { expectTypeOf, it, vi } from 'vitest';

it('a method is a function of the test, a mock, or both', () => {
  const accounts: Accounts = {
    stage: ({ external_account_number }) => callPromise({ external_account_number, callOutcome: 'created' }),
    validate: vi.fn(),
    process: vi.fn().mockResolvedValue({ service_account_number: 'S-1', callOutcome: 'created' }),
    dryRun: () => callPromise({ wouldImport: true }),
  };
  const client: Pick<DataImportClient, 'accounts'> = { accounts };
  expectTypeOf(client).toExtend<{ accounts: Accounts }>();
});

it('a method can reject as for an answer of the service', () => {
  const stage = vi.fn<Accounts['stage']>(() => callPromise({ detail: 'No.' }, { status: 403 }));
  stage.mockReturnValueOnce(callPromise({ external_account_number: 'A-1', callOutcome: 'created' }));
  expectTypeOf(stage).toExtend<Accounts['stage']>();
});

it('a wrong body does not compile', () => {
  const done = () => callPromise({ external_account_number: 'A-1', callOutcome: 'done' as const });
  // @ts-expect-error there is no such outcome
  const stage: Accounts['stage'] = done;
  // @ts-expect-error the body is a list
  const create: Notes['create'] = () => callPromise({});
  expectTypeOf({ stage, create }).toBeObject();
});

it('a call is a promise', () => {
  expectTypeOf<CallPromise<string>>().toExtend<Promise<string>>();
  expectTypeOf<ReturnType<Imports['all']>>().toExtend<Promise<object[]>>();
});

it('the type of the client names only what programs use', () => {
  expectTypeOf<Exclude<keyof DataImportClient, symbol>>().toEqualTypeOf<
    | 'accounts'
    | 'baseUrl'
    | 'businesses'
    | 'close'
    | 'historicalStatements'
    | 'host'
    | 'imports'
    | 'notes'
    | 'on'
    | 'paymentInstructions'
    | 'pause'
    | 'request'
    | 'supplyPoints'
    | 'transactions'
    | 'withOptions'
  >();
});
