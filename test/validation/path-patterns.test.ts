/** Patterns of profiles and of warning rules, and the places that they match. */
import { expect, it } from 'vitest';
import { select } from '../../src/validation/path-patterns.js';

const payload = {
  customers: [{ email: 'a' }, {}, null, 7],
  transactions: [
    { type: 'CHARGE', amount: 1 },
    { type: 'CREDIT' },
    { type: 'PAYMENT', amount: 3 },
    { amount: 4 },
    'CHARGE',
    null,
    { type: { toString: () => 'CHARGE' }, amount: 7 },
    { type: Object.create(null) },
    { type: Symbol('CHARGE') },
  ],
  consent_data: { ELEC_CURVES: true, GAS_INDEXES: false },
  flags: [{ on: true }, { on: 'true' }, { on: 1 }],
};
const placesOf = (pattern: string) => select(payload, pattern).map(({ attr, value }) => [attr, value]);

it.each<[string, unknown[]]>([
  ['', [['', payload]]],
  ['customers.0.email', [['customers.0.email', 'a']]],
  [
    'customers.*.email',
    [
      ['customers.0.email', 'a'],
      ['customers.1.email', undefined],
    ],
  ],
  [
    'consent_data.*',
    [
      ['consent_data.ELEC_CURVES', true],
      ['consent_data.GAS_INDEXES', false],
    ],
  ],
  [
    'transactions.*[type=CHARGE|CREDIT].amount',
    [
      ['transactions.0.amount', 1],
      ['transactions.1.amount', undefined],
    ],
  ],
  ['transactions.*[type=PAYMENT].amount', [['transactions.2.amount', 3]]],
  ['transactions.*[type=REFUND].amount', []],
  ['transactions.*[type=CHARGE|].amount', [['transactions.0.amount', 1]]],
  [
    'flags.*[on=true].on',
    [
      ['flags.0.on', true],
      ['flags.1.on', 'true'],
    ],
  ],
  ['nowhere', [['nowhere', undefined]]],
  ['nowhere.email', []],
  ['customers.email', [['customers.email', undefined]]],
  // What every object inherits is no field of the payload.
  ['constructor', [['constructor', undefined]]],
  ['consent_data.toString.name', []],
])('%s', (pattern, places) => {
  expect(placesOf(pattern)).toEqual(places);
});

it.each([undefined, null, 7, 'text', true])('%o has no places below it', (value) => {
  expect(select(value, 'customers')).toEqual([]);
  expect(select(value, '*')).toEqual([]);
});
