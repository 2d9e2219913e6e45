/** What a member has to tell of, gathered until it is told. */
import { troubleOf } from '../pace/processing.js';
import { endedAs } from '../pace/signs.js';
import type { CompactEvent, MemberReport } from './board.js';

export interface Gathered {
  add(sign: CompactEvent): void;
  answered(
    answer: { status: number | undefined; latencyMs: number },
    told: { isProcessing: boolean; now: number },
  ): void;
  /** An answer to a call that processes is not understood. */
  notUnderstood(now: number): void;
  /** The share of the limit is used up. */
  full(): void;
  /** undefined where nothing has happened since it was last taken. */
  take(now: number): MemberReport | undefined;
}

const MOST_NUMBERS = 50;
/** Of one record, and of one code: what a platform answers may be anything. */
const MOST_CODES = 20;
const MOST_CHARACTERS = 100;

export function gatherReports(): Gathered {
  let report = empty();
  let troubles: { leftAt: number; why: string }[] = [];
  let hasHappened = false;
  return {
    add(sign) {
      hasHappened = true;
      addSign(report.events, sign);
    },
    answered({ status, latencyMs }, { isProcessing, now }) {
      hasHappened = true;
      report.requests++;
      if (status === 429) report.throttled++;
      if (!isProcessing) return;
      report.answers++;
      const why = troubleOf(status);
      if (why !== undefined && troubles.length < MOST_NUMBERS) troubles.push({ leftAt: now - latencyMs, why });
      if (status === 201 && report.latenciesMs.length < MOST_NUMBERS) report.latenciesMs.push(Math.round(latencyMs));
    },
    notUnderstood(now) {
      hasHappened = true;
      report.answers++;
      if (troubles.length < MOST_NUMBERS) troubles.push({ leftAt: now, why: 'not understood' });
    },
    full() {
      report.isFull = true;
    },
    take(now) {
      if (!hasHappened) return undefined;
      const ago = ({ leftAt }: { leftAt: number }) => Math.max(0, Math.round(now - leftAt));
      const taken = { ...report, troubles: troubles.map((one): [number, string] => [ago(one), one.why]) };
      report = empty();
      troubles = [];
      hasHappened = false;
      return taken;
    },
  };
}

function empty(): MemberReport {
  return { answers: 0, latenciesMs: [], troubles: [], isFull: false, requests: 0, throttled: 0, events: [] };
}

/** Of what says the same as before it, the number alone grows. */
function addSign(events: CompactEvent[], sign: CompactEvent): void {
  switch (sign[0]) {
    case 'answered': {
      const same = events.findLast(([is, call]) => is === 'failed' || (is === 'answered' && call === sign[1]));
      if (same?.[0] === 'answered') same[2] += sign[2];
      else events.push(['answered', sign[1], sign[2]]);
      return;
    }
    case 'passed': {
      const same = events.find((event) => event[0] === 'passed' && event[1] === sign[1]);
      if (same?.[0] === 'passed') same[2] += sign[2];
      else events.push(['passed', sign[1], sign[2]]);
      return;
    }
    case 'ended':
      events.push(endedAs(sign[1], sign[2].slice(0, MOST_CODES).map(cut), sign[3]));
      return;
    case 'failed':
      events.push(['failed', sign[1], cut(sign[2]), sign[3], cut(sign[4]), cut(sign[5]), sign[6]]);
      return;
    case 'otherAccount':
      events.push(['otherAccount', sign[1], cut(sign[2]), cut(sign[3])]);
  }
}

function cut(text: string): string {
  return text.slice(0, MOST_CHARACTERS);
}
