/** What a member knows of the records that it has. */
import { expect, test } from 'vitest';
import { createHeld } from '../../../src/migration/fleet/held.js';
import { record } from '../ledger/records.js';

const at = (version: number) => record('A-1', { version });
const keyAt = (version: number) => ({ supplier: 'SANDBOX_SUPPLIER', kind: 'account' as const, number: 'A-1', version });

test('a record is held from its claim until it has ended, or was given back as it is', () => {
  const held = createHeld();
  held.keep(at(2));
  held.written(at(3));
  expect(held.all()).toEqual([keyAt(3)]);
  held.drop(at(2));
  expect(held.has(at(1))).toBe(true);
  held.drop(at(3));
  expect(held.all()).toEqual([]);
  held.keep(at(5));
  held.written(record('A-1', { version: 6, end: 'created' }));
  expect(held.has(at(6))).toBe(false);
});

test('what somebody is told of an earlier claim leaves the later one as it is', () => {
  const held = createHeld();
  held.keep(at(7));
  held.written(record('A-1', { version: 4, end: 'created' }));
  held.drop(at(4));
  expect(held.all()).toEqual([keyAt(7)]);
});

test('the first claim is noted, and others are not until all of it is settled', () => {
  const held = createHeld();
  expect(held.settled()).toBe(0);
  const first = held.begin();
  expect(first).toBe(1);
  expect(held.settled()).toBeUndefined();
  held.keep(at(2));
  held.end(first);
  expect(held.settled()).toBeUndefined();
  expect(held.begin()).toBeUndefined();
  held.end(undefined);
  held.drop(at(2));
  expect(held.settled()).toBe(1);
  expect(held.begin()).toBe(2);
});

test('a claim of which nobody knows whether it was noted is noted again', () => {
  const held = createHeld();
  expect(held.begin()).toBe(1);
  held.end(undefined);
  expect(held.begin()).toBe(1);
});

test('of another member after a lost lease nothing is noted yet', () => {
  const held = createHeld();
  held.end(held.begin());
  held.keep(at(2));
  held.clear();
  expect(held.all()).toEqual([]);
  expect(held.begin()).toBe(2);
});
