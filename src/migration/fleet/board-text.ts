/** Messages of a board as text that PostgreSQL's notifications can carry, and back. */
import type { FleetMessage, MemberReport } from './board.js';

/** PostgreSQL takes less than 8,000. */
const MOST_BYTES = 7900;

/** One, or several that say the same where it is a long report. */
export function textsOf(message: FleetMessage): string[] {
  const text = JSON.stringify(message);
  if (Buffer.byteLength(text) <= MOST_BYTES) return [text];
  // Of one event alone the codes are too long. That it happened is what counts.
  return message.is === 'report' ? halvesOf(message.report).flatMap((report) => textsOf({ ...message, report })) : [];
}

/** In the order in which it happened; the numbers are said once. */
function halvesOf(report: MemberReport): MemberReport[] {
  const { events } = report;
  const [only] = events;
  if (events.length <= 1) return only?.[0] === 'ended' ? [{ ...report, events: [['ended', only[1], []]] }] : [];
  const half = events.length >> 1;
  return [
    { ...report, events: events.slice(0, half) },
    {
      ...{ answers: 0, throttled: 0, latenciesMs: [], troubles: [], isFull: false, requests: 0 },
      events: events.slice(half),
    },
  ];
}

/** undefined for what is no message, or one of another version of this program. */
export function messageIn(text: string): FleetMessage | undefined {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isMessage(message) ? message : undefined;
}

function isMessage(message: unknown): message is FleetMessage {
  if (!isObject(message) || typeof message['from'] !== 'string') return false;
  if (message['is'] === 'cooldown') {
    return isCount(message['forMs']) && (message['scope'] === 'all' || message['scope'] === 'process');
  }
  return message['is'] === 'report' && isReport(message['report']);
}

function isReport(report: unknown): report is MemberReport {
  if (!isObject(report)) return false;
  const { answers, throttled, requests, latenciesMs, troubles, isFull, events } = report;
  return (
    [answers, throttled, requests].every(isCount) &&
    Array.isArray(latenciesMs) &&
    latenciesMs.every(isCount) &&
    Array.isArray(troubles) &&
    troubles.every((one) => Array.isArray(one) && isCount(one[0]) && typeof one[1] === 'string') &&
    typeof isFull === 'boolean' &&
    Array.isArray(events) &&
    events.every((event) => Array.isArray(event) && typeof event[0] === 'string')
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && Number.isFinite(value);
}
