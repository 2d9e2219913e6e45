/** The JSON Schemas that are shipped say what the Zod schemas say, as far as JSON Schema can. */
import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { payloadJsonSchemas } from '../../schemas/index.js';
import { answerSchemas, payloadSchemas } from '../../schemas/json-schema.js';
import { businessAccount, domesticAccount } from '../examples/account.js';
import { business } from '../examples/business.js';
import { historicalStatements } from '../examples/historical-statements.js';
import { notes } from '../examples/notes.js';
import { businessPaymentInstruction, paymentInstruction } from '../examples/payment-instructions.js';
import { populate } from '../examples/populate.js';
import { dryRun, process } from '../examples/process.js';
import { transactions } from '../examples/transactions.js';
import { valueAt, without, withValue } from './change.js';
import { documentedPayloads } from './documented-payloads.js';

const schemas = payloadJsonSchemas();
const ajv = new Ajv2020({ allErrors: true });
addFormats.default(ajv);
ajv.addSchema(Object.values(schemas) as AnySchemaObject[]);

/** Whether the JSON Schema of that name accepts the payload as JSON. */
function takes(name: string, payload: unknown): boolean {
  return ajv.validate(`urn:data-import-sdk:${name}`, JSON.parse(JSON.stringify(payload))) === true;
}

it('there is one for every payload, and each is a valid schema of draft 2020-12', () => {
  expect(Object.keys(schemas).sort()).toEqual([
    ...['Account', 'BusinessPayload', 'BusinessPaymentInstruction', 'Contract', 'ContractTerm', 'Customer'],
    ...['HistoricalStatement', 'HistoricalStatementsPayload', 'Note', 'NotesPayload', 'PaymentInstruction'],
    ...['PopulatePayload', 'ProcessPayload', 'SupplyAddress', 'SupplyPoint', 'Transaction', 'TransactionsPayload'],
  ]);
  for (const [name, schema] of Object.entries(schemas)) {
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: `urn:data-import-sdk:${name}`,
    });
    expect(ajv.validateSchema(schema as AnySchemaObject), name).toBe(true);
  }
});

describe('takes every full payload', () => {
  it.each([
    ['Account', domesticAccount],
    ['Account', businessAccount],
    ['BusinessPayload', business],
    ['NotesPayload', notes],
    ['TransactionsPayload', transactions],
    ['HistoricalStatementsPayload', historicalStatements],
    ['PaymentInstruction', paymentInstruction],
    ['BusinessPaymentInstruction', businessPaymentInstruction],
    ['PopulatePayload', populate],
    ['ProcessPayload', process],
    ['ProcessPayload', dryRun],
  ])('%s', (name, payload) => {
    expect(takes(name, payload)).toBe(true);
  });
});

describe.each(documentedPayloads)('$name', ({ name, example, fields, closed, required }) => {
  it.each(fields)('refuses a wrong value at %s', (attr, wrong) => {
    expect(takes(name, withValue(example, attr, wrong))).toBe(false);
  });

  it.each(fields)('refuses null at %s', (attr) => {
    expect(takes(name, withValue(example, attr, null))).toBe(false);
  });

  it.each(closed)('refuses an undocumented field in the object at "%s"', (attr) => {
    const object = { ...(valueAt(example, attr) as object), undocumented: 'x' };

    expect(takes(name, withValue(example, attr, object))).toBe(false);
  });

  it('requires only the fields that the rules or the shape require', () => {
    for (const attr of required) expect(takes(name, without(example, attr)), attr).toBe(false);
    for (const [attr] of fields) {
      if (!required.includes(attr) && !/\.\d+$/.test(attr))
        expect(takes(name, without(example, attr)), attr).toBe(true);
    }
  });
});

describe('C4 rules that JSON Schema can express are in it', () => {
  it('a note has a body or document_paths', () => {
    expect(takes('Note', { body: 'Called.' })).toBe(true);
    expect(takes('Note', { document_paths: [] })).toBe(true);
    expect(takes('Note', {})).toBe(false);
    expect(takes('Note', { is_pinned: true })).toBe(false);
    expect(takes('NotesPayload', { ...notes, notes: [{ body: 'Called.' }, { is_pinned: true }] })).toBe(false);
    expect(takes('Account', { ...domesticAccount, notes: [{ created_at: '2024-01-01T00:00:00Z' }] })).toBe(false);
  });

  it('a term has the fields of its term_type', () => {
    expect(takes('ContractTerm', { term_type: 'DELAYER_DAYS', days: 30 })).toBe(true);
    expect(takes('ContractTerm', { term_type: 'DELAYER_DAYS', amount: 30 })).toBe(false);
    expect(takes('ContractTerm', { term_type: 'BROKER' })).toBe(false);
    expect(takes('ContractTerm', { days: 30 })).toBe(false);
  });

  it('C5 a date is a real one', () => {
    expect(takes('Customer', { date_of_birth: '2024-02-29' })).toBe(true);
    for (const date of ['2023-02-29', '1900-02-29', '2024-13-01', '20240101', '2024-01-01T00:00:00Z', '']) {
      expect(takes('Customer', { date_of_birth: date }), date).toBe(false);
    }
  });

  it('C5 a datetime has seconds and an offset', () => {
    for (const created_at of ['2024-01-01T10:00:00Z', '2024-01-01T10:00:00.25+02:00']) {
      expect(takes('Note', { body: '', created_at }), created_at).toBe(true);
    }
    for (const created_at of ['2024-01-01T10:00Z', '2024-01-01T10:00:00', '2023-02-29T10:00:00Z', '2024-01-01']) {
      expect(takes('Note', { body: '', created_at }), created_at).toBe(false);
    }
  });

  it('E4 a landline may be empty and a mobile may not', () => {
    expect(takes('Customer', { landline: '', mobile: '+33 6 12 34 56 78' })).toBe(true);
    expect(takes('Customer', { landline: 'none' })).toBe(false);
    expect(takes('Customer', { mobile: '' })).toBe(false);
    expect(takes('Customer', { mobile: '0612345678' })).toBe(false);
  });

  it('U7 the known values of an open enumeration are examples, those of a closed one are all', () => {
    expect(schemas['PaymentInstruction']).toMatchObject({
      properties: { type: { type: 'string', examples: ['CARD'] } },
    });
    expect(schemas['PaymentInstruction']).not.toHaveProperty('properties.type.enum');
    expect(schemas['SupplyPoint']).toMatchObject({
      properties: { supply_type: { type: 'string', enum: ['ELECTRICITY', 'GAS'] } },
    });
  });
});

describe('Zod and JSON Schema agree on every payload that differs from an example in one place', () => {
  const values = [null, '', 'text', 0, -1, 1.5, true, [], {}, ['text'], [{}], [null], '2024-02-29', 'CHARGE'];

  it.each(documentedPayloads)('$name', { tags: 'long' }, ({ name, schema, example, fields, closed }) => {
    const places = [...fields.map(([attr]) => attr), ...closed];
    const disagreements = places.flatMap((attr) =>
      values
        .map((value) => withValue(example, attr, value))
        .filter((payload) => schema.safeParse(payload).success !== takes(name, payload))
        .map((payload) => `${attr}: ${JSON.stringify(valueAt(payload, attr))}`),
    );

    expect(disagreements).toEqual([]);
  });
});

describe('C4 rules that JSON Schema cannot express are listed', () => {
  it('every rule beyond types, patterns and formats is in this list', () => {
    expect(rulesThatVanish(payloadSchemas)).toEqual([
      // Any JSON value: whatever comes as JSON is one, so nothing is lost.
      'Account.metadata[].value{}: custom',
      // Any JSON value, as above.
      'ContractTerm.time_series_specification_schedules[]: custom',
      // A body or document_paths: said by `anyOf` in the schema's meta.
      'Note: custom',
    ]);
  });

  it('an integer beyond 2^53 is refused only by Zod: JSON has no such bound, JavaScript has', () => {
    const point = { billing_frequency: 2 ** 60 };

    expect(payloadSchemas['SupplyPoint']?.safeParse(point).success).toBe(false);
    expect(takes('SupplyPoint', point)).toBe(true);
  });

  it('every rule of an answer beyond types, patterns and formats is in this list', () => {
    expect(rulesThatVanish(answerSchemas)).toEqual([
      // Not empty: said by `minLength` in the schema's meta.
      'ProcessAnswer.service_account_number: custom',
    ]);
    expect(z.toJSONSchema(answerSchemas['ProcessAnswer'] as z.ZodType)).toMatchObject({
      properties: { service_account_number: { type: 'string', minLength: 1 } },
    });
  });
});

/** Where a schema checks by a function, or is of a kind that JSON Schema does not know. Named schemas are not entered twice. */
function rulesThatVanish(named: Readonly<Record<string, z.ZodType>>): string[] {
  const found = new Set<string>();
  const names = new Map<unknown, string>(Object.entries(named).map(([name, schema]) => [schema, name]));

  const visit = (type: z.core.$ZodType, at: string, entered: boolean) => {
    if (!entered && names.has(type)) return;
    const def = (type as z.core.$ZodTypes)._zod.def;
    for (const check of def.checks ?? []) {
      if (['string_format', 'number_format', 'min_length'].includes(check._zod.def.check)) continue;
      found.add(`${at}: ${check._zod.def.check}`);
    }
    const inside = (type: z.core.$ZodType, step: string) => visit(type, `${at}${step}`, false);
    switch (def.type) {
      case 'object':
        for (const [key, field] of Object.entries(def.shape)) inside(field, `.${key}`);
        break;
      case 'array':
        inside(def.element, '[]');
        break;
      case 'record':
        inside(def.keyType, '');
        inside(def.valueType, '{}');
        break;
      case 'union':
        for (const option of def.options) inside(option, '');
        break;
      case 'optional':
      case 'nullable':
        inside(def.innerType, '');
        break;
      case 'string':
      case 'number':
      case 'boolean':
      case 'enum':
      case 'literal':
      case 'unknown':
        break;
      default:
        found.add(`${at}: ${def.type}`);
    }
  };
  for (const [name, schema] of Object.entries(named)) visit(schema, name, true);
  return [...found].sort();
}
