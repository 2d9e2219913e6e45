/** What a write has done is a discriminant of its result. */
import type { BusinessPaymentInstructionAnswer, DataImportClient, WithResponse, WriteResult } from 'data-import-sdk';
import { expectTypeOf, it } from 'vitest';

interface Answer {
  reference: string;
}

type Result<Method extends (...parameters: never[]) => PromiseLike<unknown>> = Awaited<ReturnType<Method>>;

it('created has the documented fields, confirmed may lack them', () => {
  const read = (result: WriteResult<Answer>): unknown => {
    if (result.callOutcome === 'confirmed') {
      expectTypeOf(result.reference).toEqualTypeOf<string | undefined>();
      return result;
    }
    expectTypeOf(result.callOutcome).toEqualTypeOf<'created'>();
    expectTypeOf(result.reference).toEqualTypeOf<string>();
    return result.reference;
  };
  expectTypeOf(read).toBeFunction();
});

it('every write has it, with the values that it can have', () => {
  type Outcome<Method extends (...parameters: never[]) => PromiseLike<{ callOutcome: unknown }>> =
    Result<Method>['callOutcome'];
  expectTypeOf<Outcome<DataImportClient['accounts']['stage']>>().toEqualTypeOf<'created' | 'updated'>();
  expectTypeOf<Outcome<DataImportClient['accounts']['process']>>().toEqualTypeOf<'created' | 'confirmed'>();
  expectTypeOf<Outcome<DataImportClient['businesses']['create']>>().toEqualTypeOf<'created'>();
  expectTypeOf<Outcome<DataImportClient['supplyPoints']['populate']>>().toEqualTypeOf<'created'>();
  expectTypeOf<Outcome<DataImportClient['paymentInstructions']['create']>>().toEqualTypeOf<'created' | 'confirmed'>();
  expectTypeOf<Outcome<DataImportClient['historicalStatements']['create']>>().toEqualTypeOf<'created' | 'confirmed'>();
  expectTypeOf<Result<DataImportClient['businesses']['createPaymentInstruction']>>().toEqualTypeOf<
    WriteResult<BusinessPaymentInstructionAnswer>
  >();
});

it('withResponse has it in addition to the body', () => {
  expectTypeOf<WithResponse<WriteResult<Answer>>['callOutcome']>().toEqualTypeOf<'created' | 'confirmed'>();
  expectTypeOf<WithResponse<Answer[]>['callOutcome']>().toEqualTypeOf<undefined>();
});
