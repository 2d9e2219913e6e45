/** Every payload of the document: what it holds, what it refuses, and how a refusal is addressed. */
import { describe, expect, it } from 'vitest';
import {
  accountSchema,
  businessPayloadSchema,
  businessPaymentInstructionSchema,
  historicalStatementsPayloadSchema,
  notesPayloadSchema,
  paymentInstructionSchema,
  populatePayloadSchema,
  processPayloadSchema,
  transactionsPayloadSchema,
} from '../../schemas/index.js';
import { businessAccount, domesticAccount } from '../examples/account.js';
import { business } from '../examples/business.js';
import { historicalStatements } from '../examples/historical-statements.js';
import { notes } from '../examples/notes.js';
import { businessPaymentInstruction, paymentInstruction } from '../examples/payment-instructions.js';
import { populate } from '../examples/populate.js';
import { dryRun, process } from '../examples/process.js';
import { transactions } from '../examples/transactions.js';
import { attrsAndCodes, valueAt, without, withValue } from './change.js';
import { documentedPayloads } from './documented-payloads.js';

describe('a full payload is valid and is returned unchanged', () => {
  it.each([
    ['E4 domestic account', accountSchema, domesticAccount],
    ['E4 BUSINESS account', accountSchema, businessAccount],
    ['E2 business with all nine terms', businessPayloadSchema, business],
    ['E7 notes', notesPayloadSchema, notes],
    ['E8 transactions of all five types', transactionsPayloadSchema, transactions],
    ['E9 historical statements', historicalStatementsPayloadSchema, historicalStatements],
    ['E10 payment instruction of an account', paymentInstructionSchema, paymentInstruction],
    ['E3 payment instruction of a business', businessPaymentInstructionSchema, businessPaymentInstruction],
    ['E1 populate', populatePayloadSchema, populate],
    ['E6 process', processPayloadSchema, process],
    ['E6 dry run', processPayloadSchema, dryRun],
  ])('%s', (_, schema, payload) => {
    const before = structuredClone(payload);

    expect(schema.parse(payload)).toEqual(before);
    expect(payload).toEqual(before);
  });
});

describe.each(documentedPayloads)('$name', ({ schema, example, fields, closed, free, required }) => {
  it('is valid with every documented field at once', () => {
    expect(attrsAndCodes(schema, example)).toEqual([]);
  });

  it.each(fields)('C3 refuses a wrong value at %s', (attr, wrong, code) => {
    expect(attrsAndCodes(schema, withValue(example, attr, wrong))).toEqual([{ attr, code }]);
  });

  const patterned = fields.filter(([, , code]) =>
    ['invalid_date', 'invalid_datetime', 'invalid_phone_number'].includes(code),
  );
  it.each(patterned)('C3 refuses a number at %s, as something that is no string', (attr) => {
    expect(attrsAndCodes(schema, withValue(example, attr, 20240229))).toEqual([{ attr, code: 'invalid_type' }]);
  });

  it.each(fields.map(([attr]) => attr))('C9 refuses null at %s', (attr) => {
    expect(attrsAndCodes(schema, withValue(example, attr, null))).toEqual([{ attr, code: 'null' }]);
  });

  it.each(closed)('C3 refuses each undocumented field in the object at "%s" with its own finding', (attr) => {
    const prefix = attr === '' ? '' : `${attr}.`;
    const object = { ...(valueAt(example, attr) as object), undocumented: 'x', also_undocumented: null };

    expect(attrsAndCodes(schema, withValue(example, attr, object))).toEqual([
      { attr: `${prefix}undocumented`, code: 'unknown_field' },
      { attr: `${prefix}also_undocumented`, code: 'unknown_field' },
    ]);
  });

  it.each(closed)('C3 refuses null, an array and a string in place of the object at "%s"', (attr) => {
    expect(attrsAndCodes(schema, withValue(example, attr, null))).toEqual([{ attr, code: 'null' }]);
    expect(attrsAndCodes(schema, withValue(example, attr, []))).toEqual([{ attr, code: 'invalid_type' }]);
    expect(attrsAndCodes(schema, withValue(example, attr, 'text'))).toEqual([{ attr, code: 'invalid_type' }]);
  });

  it('U9 requires the fields that the rules or the shape require', () => {
    for (const attr of required) {
      expect(attrsAndCodes(schema, without(example, attr))).toEqual([{ attr, code: 'required' }]);
      expect(attrsAndCodes(schema, withValue(example, attr, undefined))).toEqual([{ attr, code: 'required' }]);
    }
  });

  const optional = fields.map(([attr]) => attr).filter((attr) => !required.includes(attr) && !/\.\d+$/.test(attr));
  it.each(optional)('U9 does not require %s', (attr) => {
    expect(attrsAndCodes(schema, without(example, attr))).toEqual([]);
  });
  // An entry of free string values cannot be undefined: it is omitted instead.
  it.each(optional.filter((attr) => !attr.includes('.metadata.')))('C9 takes undefined for %s', (attr) => {
    expect(attrsAndCodes(schema, withValue(example, attr, undefined))).toEqual([]);
  });

  it('requires nothing but what is listed, all optional fields left out at once', () => {
    const least = optional.toSorted((a, b) => b.length - a.length).reduce(without, example);

    // A note keeps its documents only where something else needs them: see the rule about notes.
    expect(attrsAndCodes(schema, least).filter(({ attr }) => !/^notes\.\d+$/.test(attr))).toEqual([]);
  });

  it('has all the documented fields in the example, and no other', () => {
    const named = new Set(fields.map(([attr]) => attr.replaceAll(/\.\d+(?=\.|$)/g, '[]')));

    expect(fieldsIn(example, free)).toEqual([...named].filter((field) => !field.endsWith('[]')).sort());
  });
});

describe('no coercion', () => {
  it.each([
    ['a number in a string', 'transactions.0.amount', '12.5', 'invalid_type'],
    ['a number that is no number', 'transactions.0.amount', Number.NaN, 'invalid_type'],
    ['an endless number', 'transactions.0.amount', Number.POSITIVE_INFINITY, 'invalid_type'],
    ['a bigint', 'transactions.0.amount', 12n, 'invalid_type'],
    ['a Date for a date', 'transactions.0.transaction_date', new Date('2024-03-01'), 'invalid_type'],
    ['a type in small letters', 'transactions.0.type', 'charge', 'invalid_choice'],
  ])('refuses %s', (_, attr, value, code) => {
    expect(attrsAndCodes(transactionsPayloadSchema, withValue(transactions, attr, value))).toEqual([{ attr, code }]);
  });

  it('keeps spaces, capitals and empty strings', () => {
    const payload = { ...process, operations_team_name: '  Équipe A ', external_account_number: '' };

    expect(processPayloadSchema.parse(payload)).toEqual({
      external_account_number: '',
      import_supplier_code: 'SANDBOX_SUPPLIER',
      operations_team_name: '  Équipe A ',
    });
  });

  it('rejects an integer that JSON cannot represent exactly', () => {
    const attr = 'supply_addresses.0.supply_points.0.billing_frequency';

    expect(attrsAndCodes(accountSchema, withValue(domesticAccount, attr, 9007199254740991))).toEqual([]);
    expect(attrsAndCodes(accountSchema, withValue(domesticAccount, attr, 9007199254740992))).toEqual([
      { attr, code: 'invalid_type' },
    ]);
  });
});

describe('every fault of a payload is found at once', () => {
  it('C3 one finding for each offending field, in their own words', () => {
    const payload = {
      import_supplier: 1,
      customers: [
        { landline: 'none', mobil: '+33612345678' },
        { date_of_birth: '2023-02-29', email: null },
      ],
      supply_addresses: [{ supply_points: [{ supply_type: 'WATER', agreements: [{ agreed_at: 'yesterday' }] }] }],
      notes: [{ is_pinned: 1 }],
      suply_addresses: [],
    };

    expect(attrsAndCodes(accountSchema, payload).toSorted((a, b) => (a.attr < b.attr ? -1 : 1))).toEqual([
      { attr: 'customers.0.landline', code: 'invalid_phone_number' },
      { attr: 'customers.0.mobil', code: 'unknown_field' },
      { attr: 'customers.1.date_of_birth', code: 'invalid_date' },
      { attr: 'customers.1.email', code: 'null' },
      { attr: 'external_account_number', code: 'required' },
      { attr: 'import_supplier', code: 'invalid_type' },
      { attr: 'notes.0', code: 'required' },
      { attr: 'notes.0.is_pinned', code: 'invalid_type' },
      { attr: 'suply_addresses', code: 'unknown_field' },
      { attr: 'supply_addresses.0.supply_points.0.agreements.0.agreed_at', code: 'invalid_datetime' },
      { attr: 'supply_addresses.0.supply_points.0.supply_type', code: 'invalid_choice' },
    ]);
  });
});

/** Names of the fields of a payload, array indexes written as []. What a free object of any JSON holds is no field. */
function fieldsIn(payload: unknown, free: readonly string[]): string[] {
  const fields = new Set<string>();
  const walk = (value: unknown, attr: string) => {
    if (typeof value !== 'object' || value === null || (free.includes(attr) && attr.endsWith('.value'))) return;
    for (const [key, child] of Object.entries(value)) {
      const inner = attr ? `${attr}.${key}` : key;
      if (!Array.isArray(value)) fields.add(inner.replaceAll(/\.\d+(?=\.|$)/g, '[]'));
      walk(child, inner);
    }
  };
  walk(payload, '');
  return [...fields].sort();
}
