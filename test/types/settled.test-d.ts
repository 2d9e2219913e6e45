/** The result of a method whose lost answer may be settled by a refusal narrows by its outcome. */
import type { DataImportClient, OrResolved, ResolvedResult } from 'data-import-sdk';
import { expectTypeOf, it } from 'vitest';

interface Answer {
  reference: string;
  [field: string]: unknown;
}

it('outcome tells a settled result from the documented answer', () => {
  const read = (result: OrResolved<Answer>): unknown => {
    if (result.outcome === 'settled') {
      expectTypeOf(result).toExtend<ResolvedResult>();
      expectTypeOf(result.answer).toEqualTypeOf<unknown>();
      expectTypeOf(result.reference).toEqualTypeOf<undefined>();
      return result.answer;
    }
    expectTypeOf(result.outcome).toEqualTypeOf<undefined>();
    expectTypeOf(result.reference).toEqualTypeOf<string>();
    return result.reference;
  };
  expectTypeOf(read).toBeFunction();
});

it('a field of the answer can be read at once, and may be missing', () => {
  expectTypeOf<OrResolved<Answer>['reference']>().toEqualTypeOf<string | undefined>();
});

it('three methods have such results', () => {
  type Result<Method extends (...parameters: never[]) => PromiseLike<unknown>> = Awaited<ReturnType<Method>>;
  type Outcome<Method extends (...parameters: never[]) => PromiseLike<{ outcome?: unknown }>> =
    Result<Method>['outcome'];
  expectTypeOf<Outcome<DataImportClient['paymentInstructions']['create']>>().toEqualTypeOf<'settled' | undefined>();
  expectTypeOf<Outcome<DataImportClient['historicalStatements']['create']>>().toEqualTypeOf<'settled' | undefined>();
  expectTypeOf<Outcome<DataImportClient['businesses']['createPaymentInstruction']>>().toEqualTypeOf<
    'settled' | undefined
  >();
});
