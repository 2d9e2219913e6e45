/** A process without contact to the ledger sends nothing: measured by a clock that never jumps, and by one that advances during suspension. */
import { describe, expect, test } from 'vitest';
import { createFence } from '../../../src/migration/record/preconditions/contact-with-ledger.js';

const OPEN_FOR_MS = 15_000;

function open() {
  const now = { monotonic: 0, wall: 1_000_000 };
  let closed = 0;
  const clocks = { monotonic: () => now.monotonic, wall: () => now.wall };
  const fence = createFence(
    () => OPEN_FOR_MS,
    clocks,
    () => closed++,
  );
  return { fence, now, closed: () => closed };
}

describe('a fence', () => {
  test('is open for 15 s after the last contact began, and aborts its signal when it closes', () => {
    const { fence, now, closed } = open();
    const before = fence.signal();
    now.monotonic += 15_000;
    now.wall += 15_000;
    expect([fence.isOpen(), before.aborted]).toEqual([true, false]);
    now.monotonic += 1;
    expect([fence.isOpen(), fence.isOpen(), before.aborted, closed()]).toEqual([false, false, true, 1]);
  });

  test.each(['monotonic', 'wall'] as const)('closes by only the %s clock', (clock) => {
    const { fence, now } = open();
    now[clock] += 15_001;
    expect(fence.isOpen()).toBe(false);
  });

  test('counts from the moment at which the contact began, not from its answer', () => {
    const { fence, now } = open();
    const answered = fence.contact();
    now.monotonic += 10_000;
    answered();
    now.monotonic += 5001;
    expect(fence.isOpen()).toBe(false);
  });

  test('aborts the calls in flight when an answer comes after a standstill, and is open again with a new signal', () => {
    const { fence, now, closed } = open();
    const before = fence.signal();
    const answered = fence.contact();
    now.wall += 60_000;
    answered();
    expect([before.aborted, closed()]).toEqual([true, 1]);
    expect(fence.signal()).not.toBe(before);
    // That answer is as old as the standstill: the next one opens it for good.
    expect(fence.isOpen()).toBe(false);
    fence.contact()();
    expect([fence.isOpen(), fence.signal().aborted]).toEqual([true, false]);
  });
});
