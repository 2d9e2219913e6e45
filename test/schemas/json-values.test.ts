/** Payloads are JSON: no value becomes null, and a value that JSON cannot represent is refused at its path. */
import { describe, expect, it } from 'vitest';
import { accountSchema, contractTermSchema, notesPayloadSchema, populatePayloadSchema } from '../../schemas/index.js';
import { domesticAccount } from '../examples/account.js';
import { attrsAndCodes, withValue } from './change.js';

class Size {
  width = 1;
}

describe('C9 an optional field that is not wanted is not in the JSON', () => {
  it('leaves undefined out at every level', () => {
    const payload = accountSchema.parse({
      external_account_number: 'ACC-0009',
      import_supplier: 'SANDBOX_SUPPLIER',
      account_type: undefined,
      business: { siret: undefined, details: undefined },
      last_billed_to_date: undefined,
      customers: [{ landline: undefined, email: 'camille.exemple@example.com', customer_preferences: undefined }],
      supply_addresses: [{ supply_points: [{ consent_data: { ELEC_CURVES: undefined, ELEC_INDEXES: true } }] }],
      notes: [{ body: 'Called.', created_at: undefined }],
      metadata: [{ key: 'legacy', value: { score: undefined, rank: 1 } }],
    });

    expect(JSON.stringify(payload)).toBe(
      '{"external_account_number":"ACC-0009","import_supplier":"SANDBOX_SUPPLIER","business":{},' +
        '"customers":[{"email":"camille.exemple@example.com"}],' +
        '"supply_addresses":[{"supply_points":[{"consent_data":{"ELEC_INDEXES":true}}]}],' +
        '"notes":[{"body":"Called."}],"metadata":[{"key":"legacy","value":{"rank":1}}]}',
    );
  });

  it.each([
    ['customers', 'customers.1'],
    ['supply_addresses', 'supply_addresses.0'],
    ['statements', 'statements.0'],
    ['notes', 'notes.0'],
    ['metadata', 'metadata.0'],
  ])('refuses undefined in the array %s, where JSON would make it null', (_, attr) => {
    expect(attrsAndCodes(accountSchema, withValue(domesticAccount, attr, undefined))).toEqual([
      { attr, code: 'required' },
    ]);
  });

  it('refuses undefined among ids, and a hole', () => {
    expect(attrsAndCodes(populatePayloadSchema, { prm_ids: ['01234567890123', undefined] })).toEqual([
      { attr: 'prm_ids.1', code: 'required' },
    ]);
    const withHole = ['01234567890123'];
    withHole[2] = '09876543210987';
    expect(attrsAndCodes(populatePayloadSchema, { prm_ids: withHole })).toEqual([
      { attr: 'prm_ids.1', code: 'required' },
    ]);
  });

  it('refuses undefined among notes, and as an entry that must be a string', () => {
    expect(
      attrsAndCodes(notesPayloadSchema, {
        import_supplier: 'SANDBOX_SUPPLIER',
        external_account_number: 'ACC-0001',
        notes: [undefined],
      }),
    ).toEqual([{ attr: 'notes.0', code: 'required' }]);
    expect(
      attrsAndCodes(contractTermSchema, { term_type: 'CONTRACT_METADATA', metadata: { broker: undefined } }),
    ).toEqual([{ attr: 'metadata.broker', code: 'required' }]);
  });
});

describe('metadata takes any JSON object', () => {
  it.each([
    ['empty', {}],
    [
      'of all kinds',
      {
        text: '',
        number: -1.5,
        yes: true,
        none: null,
        list: [1, 'a', null, [], {}],
        object: { a: {}, left_out: undefined },
      },
    ],
    ['without a prototype', Object.assign(Object.create(null), { a: 1 })],
    ['with an instance of a class with fields only', { size: new Size() }],
    ['that holds one object twice', ((twice) => ({ first: twice, second: twice }))({ a: 1 })],
  ])('%s', (_, value) => {
    const account = withMetadata(value);

    expect(attrsAndCodes(accountSchema, account)).toEqual([]);
    expect(accountSchema.parse(account).metadata?.[0]?.value).toEqual(value);
  });

  class Point {
    x = 1;
    toJSON() {
      return 'elsewhere';
    }
  }
  const knot: Record<string, unknown> = { name: 'knot' };
  knot['parent'] = { child: knot };
  const cycle: unknown[] = [];
  cycle.push(cycle);

  it.each([
    ['NaN', { score: Number.NaN }, 'score'],
    ['Infinity', { score: Number.NEGATIVE_INFINITY }, 'score'],
    ['a Date', { when: new Date(0) }, 'when'],
    ['a function', { call: () => 1 }, 'call'],
    ['a symbol', { mark: Symbol('mark') }, 'mark'],
    ['a bigint', { big: 1n }, 'big'],
    ['a Map', { map: new Map() }, 'map'],
    ['an instance of a class with toJSON', { point: new Point() }, 'point'],
    ['inherited fields', { point: Object.create({ x: 1 }) }, 'point'],
    ['undefined in an array', { list: [1, undefined] }, 'list.1'],
    ['NaN deep inside', { a: { b: [{ c: Number.NaN }] } }, 'a.b.0.c'],
    ['a cycle through objects', { knot }, 'knot.parent.child'],
    ['a cycle through an array', { cycle }, 'cycle.0'],
  ])('refuses %s, where it stands', (_, value, attr) => {
    expect(attrsAndCodes(accountSchema, withMetadata(value))).toEqual([
      { attr: `metadata.0.value.${attr}`, code: 'invalid_json_value' },
    ]);
  });

  it('refuses each of several', () => {
    expect(attrsAndCodes(accountSchema, withMetadata({ a: Number.NaN, b: 1, c: [undefined, 2n] }))).toEqual([
      { attr: 'metadata.0.value.a', code: 'invalid_json_value' },
      { attr: 'metadata.0.value.c.0', code: 'invalid_json_value' },
      { attr: 'metadata.0.value.c.1', code: 'invalid_json_value' },
    ]);
  });

  it.each([
    ['an array', [], 'invalid_type'],
    ['a string', 'OLDCRM', 'invalid_type'],
    ['a Date', new Date(0), 'invalid_type'],
    ['null', null, 'null'],
  ])('refuses %s in place of the object', (_, value, code) => {
    expect(attrsAndCodes(accountSchema, withMetadata(value))).toEqual([{ attr: 'metadata.0.value', code }]);
  });
});

describe('items of time_series_specification_schedules, whose shape is not shown', () => {
  const term = (item: unknown) => ({
    term_type: 'RATE_GROUP_ELIGIBILITY',
    time_series_specification_schedules: [item],
  });

  it.each([
    ['an object', { a: 1 }],
    ['a string', 'SPEC-1'],
    ['a number', 1],
    ['null', null],
    ['an array', []],
  ])('may be %s', (_, item) => {
    expect(attrsAndCodes(contractTermSchema, term(item))).toEqual([]);
  });

  it('must be JSON', () => {
    expect(attrsAndCodes(contractTermSchema, term(undefined))).toEqual([
      { attr: 'time_series_specification_schedules.0', code: 'invalid_json_value' },
    ]);
    expect(attrsAndCodes(contractTermSchema, term({ at: new Date(0) }))).toEqual([
      { attr: 'time_series_specification_schedules.0.at', code: 'invalid_json_value' },
    ]);
  });
});

function withMetadata(value: unknown) {
  return {
    external_account_number: 'ACC-0009',
    import_supplier: 'SANDBOX_SUPPLIER',
    metadata: [{ key: 'legacy', value }],
  };
}

it('metadata nested deeper than the stack allows is a finding, not a crash', () => {
  let value: object = {};
  for (let level = 0; level < 20_000; level++) value = { value };

  const [finding] = attrsAndCodes(accountSchema, withMetadata(value));
  expect(finding?.code).toBe('invalid_json_value');
});

it('an object with its own toJSON is refused', () => {
  expect(attrsAndCodes(accountSchema, withMetadata({ amount: { toJSON: () => 5 } }))).toEqual([
    { attr: 'metadata.0.value.amount', code: 'invalid_json_value' },
  ]);
});
