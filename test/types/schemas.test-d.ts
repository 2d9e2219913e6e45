/** The types of the Zod schemas: those of the interfaces, with the methods that work at run time; a drift between both does not compile. */
import { describe, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import { loose, strict } from '../../schemas/fields.js';
import type * as s from '../../schemas/index.js';
import {
  type AnswerSchemaOf,
  accountSchema,
  type businessPayloadSchema,
  type businessPaymentInstructionSchema,
  type contractSchema,
  contractTermSchema,
  customerSchema,
  type historicalStatementsPayloadSchema,
  noteSchema,
  notesAnswerSchema,
  type notesPayloadSchema,
  type operations,
  type paymentInstructionSchema,
  type populatePayloadSchema,
  type processAnswerSchema,
  processPayloadSchema,
  type SchemaOf,
  type stageAnswerSchema,
  supplyPointSchema,
  transactionSchema,
  type transactionsAnswerSchema,
  type transactionsPayloadSchema,
  type validatedAccountSchema,
} from '../../schemas/index.js';

describe('what a schema takes and returns is the interface', () => {
  it('for payloads', () => {
    expectTypeOf<z.output<typeof accountSchema>>().toEqualTypeOf<s.Account>();
    expectTypeOf<z.input<typeof accountSchema>>().toEqualTypeOf<s.Account>();
    expectTypeOf<z.input<typeof businessPayloadSchema>>().toEqualTypeOf<s.BusinessPayload>();
    expectTypeOf<z.input<typeof businessPaymentInstructionSchema>>().toEqualTypeOf<s.BusinessPaymentInstruction>();
    expectTypeOf<z.input<typeof contractSchema>>().toEqualTypeOf<s.Contract>();
    expectTypeOf<z.input<typeof contractTermSchema>>().toEqualTypeOf<s.ContractTerm>();
    expectTypeOf<z.output<typeof contractTermSchema>>().toEqualTypeOf<s.ContractTerm>();
    expectTypeOf<z.input<typeof historicalStatementsPayloadSchema>>().toEqualTypeOf<s.HistoricalStatementsPayload>();
    expectTypeOf<z.input<typeof noteSchema>>().toEqualTypeOf<s.Note>();
    expectTypeOf<z.output<typeof noteSchema>>().toEqualTypeOf<s.Note>();
    expectTypeOf<z.input<typeof notesPayloadSchema>>().toEqualTypeOf<s.NotesPayload>();
    expectTypeOf<z.input<typeof paymentInstructionSchema>>().toEqualTypeOf<s.PaymentInstruction>();
    expectTypeOf<z.input<typeof populatePayloadSchema>>().toEqualTypeOf<s.PopulatePayload>();
    expectTypeOf<z.input<typeof processPayloadSchema>>().toEqualTypeOf<s.ProcessPayload>();
    expectTypeOf<z.input<typeof transactionsPayloadSchema>>().toEqualTypeOf<s.TransactionsPayload>();
  });

  it('for answers, which may have undocumented fields', () => {
    expectTypeOf<z.output<typeof stageAnswerSchema>>().toEqualTypeOf<s.StageAnswer>();
    expectTypeOf<z.output<typeof transactionsAnswerSchema>>().toEqualTypeOf<s.TransactionsAnswer>();
    expectTypeOf<z.output<typeof notesAnswerSchema>>().toEqualTypeOf<s.NoteResult[]>();
    expectTypeOf<z.output<typeof validatedAccountSchema>>().toEqualTypeOf<s.ValidatedAccount>();
    expectTypeOf<{ service_account_number: string; batch: number }>().toExtend<z.input<typeof processAnswerSchema>>();
    // @ts-expect-error a misspelt field
    (answer: z.output<typeof processAnswerSchema>) => answer.service_accountnumber;
  });

  it('in the table of operations', () => {
    expectTypeOf<z.input<(typeof operations)['accounts.stage']['request']>>().toEqualTypeOf<s.Account>();
    expectTypeOf<z.input<(typeof operations)['notes.create']['request']>>().toEqualTypeOf<s.NotesPayload>();
    expectTypeOf<
      z.input<(typeof operations)['transactions.create']['request']>
    >().toEqualTypeOf<s.TransactionsPayload>();
    expectTypeOf<z.output<(typeof operations)['accounts.stage']['answers'][201][0]>>().toEqualTypeOf<s.StageAnswer>();
    expectTypeOf<(typeof operations)['accounts.stage']['method']>().toEqualTypeOf<'POST'>();
  });
});

describe('the methods of an object schema work', () => {
  it('shape, extend, pick, omit, partial and keyof', () => {
    expectTypeOf(accountSchema.shape.customers).toEqualTypeOf<
      z.ZodOptional<z.ZodType<readonly s.Customer[], readonly s.Customer[]>>
    >();
    expectTypeOf(accountSchema.shape.external_account_number.parse('A-1')).toEqualTypeOf<string>();
    const extended = accountSchema.extend({ loyalty_number: z.string() });
    expectTypeOf<z.output<typeof extended>['loyalty_number']>().toEqualTypeOf<string>();
    expectTypeOf<z.output<typeof extended>['customers']>().toEqualTypeOf<s.Account['customers']>();
    const picked = customerSchema.pick({ email: true });
    expectTypeOf<z.output<typeof picked>>().toEqualTypeOf<Pick<s.Customer, 'email'>>();
    const omitted = customerSchema.omit({ email: true });
    expectTypeOf<keyof z.output<typeof omitted>>().toEqualTypeOf<Exclude<keyof s.Customer, 'email'>>();
    const partial = processPayloadSchema.partial();
    expectTypeOf<z.output<typeof partial>['operations_team_name']>().toEqualTypeOf<string | undefined>();
    expectTypeOf(transactionSchema.keyof().options).toEqualTypeOf<(keyof s.Transaction)[]>();
    expectTypeOf(supplyPointSchema.shape.supply_type.unwrap().parse('GAS')).toEqualTypeOf<'ELECTRICITY' | 'GAS'>();
    // @ts-expect-error misspelt
    accountSchema.shape.costumers;
    // @ts-expect-error misspelt
    accountSchema.pick({ costumers: true });
  });

  it('options of the union of terms, and element of a list', () => {
    const [metadata] = contractTermSchema.options;
    expectTypeOf(metadata.shape.term_type.parse('CONTRACT_METADATA')).toEqualTypeOf<'CONTRACT_METADATA'>();
    expectTypeOf(notesAnswerSchema.element.shape.status).toExtend<z.ZodType<s.NoteResult['status']>>();
  });

  it('those that Zod refuses for a note, because of its rule for two fields, do not compile', () => {
    expectTypeOf(noteSchema.shape.body.parse('Called.')).toEqualTypeOf<string | undefined>();
    expectTypeOf(noteSchema.keyof().options).toEqualTypeOf<(keyof s.TextNote)[]>();
    // @ts-expect-error Zod throws
    noteSchema.pick({ body: true });
    // @ts-expect-error Zod throws
    noteSchema.omit({ body: true });
    // @ts-expect-error Zod throws
    noteSchema.partial();
  });
});

describe('a drift between interface and schema does not compile', () => {
  interface Meter {
    id: string;
    dials?: number | undefined;
    kind?: 'GAS' | 'ELECTRICITY' | undefined;
  }
  const text = z.string();
  const fields = { id: text, dials: z.number().optional(), kind: z.enum(['GAS', 'ELECTRICITY']).optional() };

  it('in a payload', () => {
    strict<Meter>(fields);
    // @ts-expect-error the schema lacks dials
    strict<Meter>({ id: text, kind: fields.kind });
    // @ts-expect-error the schema has a field more
    strict<Meter>({ ...fields, colour: text.optional() });
    // @ts-expect-error the schema has another type
    strict<Meter>({ ...fields, dials: text.optional() });
    // @ts-expect-error the schema takes any string
    strict<Meter>({ ...fields, kind: text.optional() });
    // @ts-expect-error optional in the schema, required in the interface
    strict<Meter>({ ...fields, id: text.optional() });
    // @ts-expect-error required in the schema, optional in the interface
    strict<Meter>({ ...fields, dials: z.number() });
    // @ts-expect-error null in the schema
    strict<Meter>({ ...fields, dials: z.number().nullish() });
  });

  it('in an answer', () => {
    loose<Meter>(fields);
    // @ts-expect-error the schema lacks dials
    loose<Meter>({ id: text, kind: fields.kind });
    // @ts-expect-error the schema has a field more
    loose<Meter>({ ...fields, colour: text.optional() });
  });

  it('also where the schema was made by Zod itself', () => {
    z.strictObject(fields) satisfies SchemaOf<Meter>;
    z.looseObject(fields) satisfies AnswerSchemaOf<Meter>;
    // @ts-expect-error the schema lacks dials
    z.strictObject({ id: text, kind: fields.kind }) satisfies SchemaOf<Meter>;
  });
});
