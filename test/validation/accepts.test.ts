/** The glance that spares zod: what it accepts of each kind of schema, and what it leaves to zod. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  dateSchema,
  datetimeSchema,
  integerSchema,
  jsonObjectSchema,
  jsonValueSchema,
  keyedStrings,
  openEnum,
  valuesThatAreNotJson,
} from '../../schemas/fields.js';
import { contractTermSchema } from '../../schemas/payloads/contract.js';
import { noteSchema } from '../../schemas/payloads/note.js';
import { landlineSchema } from '../../schemas/phone-numbers.js';
import { accepts } from '../../src/validation/accepts.js';
import { seed } from '../helpers/seed.js';

/** Compiled, it also leads from the number back to the name. */
enum Level {
  Low,
  High,
}

class Person {
  readonly name = 'Ada';
}

/** Named, so that a failure says which. */
const KINDS: readonly { kind: string; schema: z.ZodType; takes: readonly unknown[]; leaves: readonly unknown[] }[] = [
  { kind: 'a string', schema: z.string(), takes: ['', 'x'], leaves: [1, null, undefined, Object('x')] },
  { kind: 'a number', schema: z.number(), takes: [0, -1.5], leaves: ['1', Number.NaN, Number.POSITIVE_INFINITY, 1n] },
  { kind: 'an integer', schema: integerSchema, takes: [0, -7], leaves: [1.5, 2 ** 53, '1', Number.NaN] },
  { kind: 'a boolean', schema: z.boolean(), takes: [true, false], leaves: [0, 'true', null] },
  { kind: 'a date', schema: dateSchema, takes: ['2024-02-29'], leaves: ['2023-02-29', '2024-2-9', 20240229] },
  {
    kind: 'a datetime',
    schema: datetimeSchema,
    takes: ['2024-02-29T10:30:00Z', '2024-02-29T10:30:00+02:00'],
    leaves: ['2024-02-29T10:30:00', '2024-02-29', null],
  },
  { kind: 'a landline', schema: landlineSchema, takes: ['', '+33199003885'], leaves: ['12', '1e99', null] },
  { kind: 'an open enumeration', schema: openEnum(['A']), takes: ['A', 'B'], leaves: [1] },
  { kind: 'a closed one', schema: z.enum(['A', 'B']), takes: ['A'], leaves: ['C', 'toString', 0] },
  { kind: 'an enumeration of TypeScript', schema: z.enum(Level), takes: [0, 1], leaves: ['Low', 2] },
  { kind: 'a literal', schema: z.literal('A'), takes: ['A'], leaves: ['B', undefined] },
  { kind: 'what may be left out', schema: z.string().optional(), takes: ['x', undefined], leaves: [null, 1] },
  { kind: 'what may be null', schema: z.string().nullish(), takes: ['x', undefined, null], leaves: [1] },
  {
    kind: 'a list',
    schema: z.array(z.string()),
    takes: [[], ['x']],
    leaves: [[1], ['x', undefined], new Array(1), { length: 0 }, new (class extends Array {})()],
  },
  {
    kind: 'an object of these fields only',
    schema: z.strictObject({ name: z.string(), age: integerSchema.optional() }),
    takes: [
      ...[{ name: 'Ada' }, { name: 'Ada', age: undefined }, Object.assign(Object.create(null), { name: 'Ada' })],
      ...[new Person()],
    ],
    leaves: [
      ...[{}, { age: 1 }, { name: 'Ada', other: 1 }, { name: undefined }, [], null, 'Ada'],
      ...[
        Object.create({ name: 'Ada' }),
        Object.assign(new Map(), { name: 'Ada' }),
        JSON.parse('{"name":"Ada","__proto__":1}'),
        { toString: 1 },
      ],
    ],
  },
  {
    kind: 'an object of these fields at least',
    schema: z.looseObject({ name: z.string() }),
    takes: [{ name: 'Ada' }, { name: 'Ada', other: [{ x: null }] }],
    leaves: [{ other: 1 }, { name: 'Ada', other: new Date(0) }, { name: 'Ada', other: Number.NaN }],
  },
  {
    kind: 'an object with free names',
    schema: keyedStrings,
    takes: [{}, { a: 'x' }],
    leaves: [{ a: 1 }, { a: undefined }, [], JSON.parse('{"__proto__":"x"}'), new Map()],
  },
  {
    kind: 'any JSON',
    schema: jsonValueSchema,
    takes: [null, 'x', 1, true, [[]], { a: { b: undefined } }],
    leaves: [undefined, Number.NaN, 1n, new Date(0), [undefined], { toJSON: () => 1 }, { a: Symbol('a') }, () => 1],
  },
  { kind: 'any JSON object', schema: jsonObjectSchema, takes: [{ a: [1] }], leaves: [[], { a: [Number.NaN] }] },
  {
    kind: 'one of several, distinguished by a field',
    schema: contractTermSchema,
    takes: [{ term_type: 'DELAYER_DAYS', days: 3 }],
    leaves: [{ term_type: 'DELAYER_DAYS', amount: 3 }, { term_type: 'OTHER' }, { days: 3 }, 'DELAYER_DAYS'],
  },
  { kind: 'one of several', schema: z.union([z.string(), z.number()]), takes: ['x', 1], leaves: [true, null] },
  {
    kind: 'a rule in addition to the shape',
    schema: noteSchema,
    takes: [{ body: 'x' }, { document_paths: [{ document_path: '/a.pdf' }] }],
    leaves: [{}, { is_pinned: true }, { body: 1 }],
  },
  {
    kind: 'a check that only zod knows',
    schema: z.string().min(2),
    takes: ['ab'],
    leaves: ['a', 2],
  },
  {
    kind: 'a kind that only zod knows',
    schema: z.tuple([z.string()]),
    takes: [['a']],
    leaves: [[1], ['a', 'b']],
  },
  {
    kind: 'what zod makes from something else',
    schema: z.coerce.number(),
    takes: [1, '1'],
    leaves: ['x'],
  },
];

describe.each(KINDS)('$kind', ({ schema, takes, leaves }) => {
  it.each(takes.map((value) => [value]))('is accepted: %o', (value) => {
    expect(accepts(schema, value)).toBe(true);
    expect(schema.safeParse(value).success).toBe(true);
  });

  it.each(leaves.map((value) => [value]))('is left to zod: %o', (value) => {
    expect(accepts(schema, value)).toBe(false);
  });
});

it('objects that are deeper than any payload, or circular, are left to zod', () => {
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  expect(accepts(jsonValueSchema, circle)).toBe(false);
  let deep: unknown = 1;
  for (let level = 0; level < 200; level++) deep = [deep];
  expect(accepts(jsonValueSchema, deep)).toBe(false);
  expect(valuesThatAreNotJson(deep)).toEqual([]);
});

it('no kind accepts a value that zod refuses or that JSON does not carry', { tags: 'long' }, () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...KINDS),
      fc.anything({ withDate: true, withNullPrototype: true, withSparseArray: true, withBigInt: true }),
      ({ schema }, value) => {
        if (!accepts(schema, value)) return;
        expect(schema.safeParse(value).success).toBe(true);
        if (value !== undefined) expect(valuesThatAreNotJson(value)).toEqual([]);
      },
    ),
    { seed, numRuns: 5_000 },
  );
});
