/** One pace for a fleet: each member takes its share, and what one is told holds for all. */
import { describe, expect, test } from 'vitest';
import { fleetOfPaces } from './fleet-of-paces.js';

describe('the limit of processing is shared', () => {
  test('by those who are there, and nobody starts more than its share', async () => {
    const { join, clock } = fleetOfPaces({ limit: { now: 8, why: '429 at 9, holding below' } });
    const members = ['m1', 'm2', 'm3'].map((id) => join(id));
    for (const { ask } of members) ask('process', 'a', 'b', 'c', 'd');
    expect(members.map(({ left }) => left)).toEqual([[], [], []]);
    await clock.advance(0);
    expect(members.map(({ left }) => left.length)).toEqual([3, 3, 2]);
  });
});

describe('a 429', () => {
  test('at one member: no other starts a call while it is waited out', async () => {
    const { join, clock } = fleetOfPaces({ limit: { now: 8, why: '429 at 9, holding below' } });
    const members = ['m1', 'm2', 'm3'].map((id) => join(id));
    await clock.advance(1000);
    members[0]?.refused(2000);
    await clock.advance(0);
    for (const { ask } of members) ask('notes', 'a');
    await clock.advance(1999);
    expect(members.map(({ left }) => left)).toEqual([[], [], []]);
    await clock.advance(1);
    expect(members.map(({ left }) => left)).toEqual([['a 3000'], ['a 3000'], ['a 3000']]);
    expect(members.map(({ cooledDown }) => cooledDown)).toEqual([[], [2000], [2000]]);
  });
});
