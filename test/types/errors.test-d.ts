/** The types of errors (issue 20, D4): the name narrows to the class, and editors complete known codes. */
import {
  type ApiError,
  DataImportError,
  type ErrorCode,
  isDataImportError,
  isKnownStatus,
  type KnownErrorCode,
  type RateLimitError,
  type ValidationError,
} from 'data-import-sdk';
import { describe, expectTypeOf, it } from 'vitest';
import type { AccountTransferStatus } from '../../schemas/index.js';

describe('the name of an error', () => {
  it('is a literal on each class', () => {
    expectTypeOf<ValidationError['name']>().toEqualTypeOf<'ValidationError'>();
    expectTypeOf<RateLimitError['name']>().toEqualTypeOf<'RateLimitError'>();
    expectTypeOf<ApiError['name']>().not.toEqualTypeOf<string>();
    expectTypeOf<DataImportError['name']>().not.toEqualTypeOf<string>();
  });

  it('narrows a value that a guard has recognised', () => {
    const read = (error: unknown): string | number | undefined => {
      if (!isDataImportError(error)) return undefined;
      switch (error.name) {
        case 'AlreadyImportedError':
          return error.serviceAccountNumber;
        case 'TransactionImportError':
          return error.transactionId;
        case 'OutcomeUnknownError':
          return error.howToResolve;
        case 'RateLimitError':
          return error.retryAfterMs;
        case 'ApiError':
        case 'AuthenticationError':
        case 'NotFoundError':
        case 'ServerError':
        case 'ValidationError':
          return error.status;
        case 'ConnectionError':
          return error.code;
        case 'TimeoutError':
          return error.limit;
        case 'InvalidPayloadError':
        case 'ResponseMismatchError':
        case 'AbortedError':
        case 'TokenError':
          return error.message;
        default:
          // Fifteen, and no other.
          return expectTypeOf(error).toEqualTypeOf<never>() as never;
      }
    };
    expectTypeOf(read).toBeFunction();
    expectTypeOf(isDataImportError).toBeCallableWith(new Error('x'));
    expectTypeOf<DataImportError>().toExtend<Error>();
    expectTypeOf(DataImportError).toBeObject();
  });

  it('does not compile where it is misspelt', () => {
    const read = (error: ApiError) => {
      // @ts-expect-error ValidatonError
      return error.name === 'ValidatonError';
    };
    expectTypeOf(read).toBeFunction();
  });
});

describe('the code of an error', () => {
  it('completes known codes, and takes any other', () => {
    expectTypeOf<DataImportError['code']>().toEqualTypeOf<ErrorCode>();
    expectTypeOf<ErrorCode>().not.toEqualTypeOf<string>();
    expectTypeOf<Extract<ErrorCode, 'account_failed_validation'>>().toEqualTypeOf<'account_failed_validation'>();
    expectTypeOf<'invalid_phone_number'>().toExtend<KnownErrorCode>();
    expectTypeOf<Parameters<ApiError['hasCode']>[0]>().toEqualTypeOf<ErrorCode>();
    expectTypeOf<string>().toExtend<ErrorCode>();
  });
});

it('isKnownStatus narrows to the five of the specification', () => {
  const read = (answer: AccountTransferStatus): string => {
    if (!isKnownStatus(answer.status)) return answer.status;
    expectTypeOf(answer.status).toEqualTypeOf<'UNKNOWN' | 'PENDING' | 'IN_PROGRESS' | 'REJECTED' | 'COMPLETED'>();
    return answer.status;
  };
  expectTypeOf(read).toBeFunction();
});
