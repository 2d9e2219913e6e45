/** How long a request without an answer counts as still running, and when "there is no account" may be believed (U30, U31). */
import { describe, expect, it } from 'vitest';
import { InFlight } from '../../../src/http/limits/in-flight.js';

describe('U30 the quiet time of a request without an answer', () => {
  it('is the grace if that is longer than the time limit of the call', () => {
    expect(new InFlight(60_000, 10_000).quietTimeMs()).toBe(60_000);
  });

  it('is the time limit of the call if that is longer than the grace', () => {
    const inFlight = new InFlight(60_000, 10_000);
    expect(inFlight.quietTimeMs(300_000)).toBe(300_000);
    expect(inFlight.quietTimeMs(1_500)).toBe(60_000);
  });

  it('is three times the slowest answer of process if that is longest', () => {
    const inFlight = new InFlight(60_000, 60_000);
    inFlight.observe(25_000);
    inFlight.observe(400);
    expect(inFlight.quietTimeMs()).toBe(75_000);
  });

  it('has no term of a call without a time limit', () => {
    expect(new InFlight(60_000, Number.POSITIVE_INFINITY).quietTimeMs()).toBe(60_000);
  });
});

describe('U30 questions about a request that was lost at 1,000 ms, with a grace of 60 s', () => {
  const questionsOf = () => new InFlight(60_000, 1_000).questions(1_000);

  it('are sent at doubling intervals, the last one right after the quiet time', () => {
    const questions = questionsOf();
    const gaps: number[] = [];
    let now = 1_000;
    while (now < 61_000) {
      const next = questions.nextAt(now);
      gaps.push(next - now);
      now = next;
      questions.failed();
    }
    expect(now).toBe(61_000);
    for (const [index, most] of [1_000, 2_000, 4_000, 8_000, 16_000].entries()) {
      expect(gaps[index]).toBeGreaterThanOrEqual(most / 2);
      expect(gaps[index]).toBeLessThanOrEqual(most);
    }
  });

  it('are not sent in a loop if the service stops answering after the first "no"', () => {
    const questions = questionsOf();
    expect(questions.answeredNo(61_000)).toBe(false);
    questions.failed();
    expect(questions.nextAt(70_000)).toBeGreaterThan(71_000);
  });

  it('two answers without an account before the quiet time is over are not believed', () => {
    const questions = questionsOf();
    expect(questions.answeredNo(2_000)).toBe(false);
    expect(questions.answeredNo(60_999)).toBe(false);
    expect(questions.answeredNo(61_000)).toBe(true);
  });

  it('a first answer after the quiet time is confirmed by a second one 5 s later', () => {
    const questions = questionsOf();
    expect(questions.answeredNo(70_000)).toBe(false);
    expect(questions.nextAt(70_000)).toBe(75_000);
    expect(questions.answeredNo(74_999)).toBe(false);
    expect(questions.answeredNo(75_000)).toBe(true);
  });
});
