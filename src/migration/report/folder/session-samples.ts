/** Exports `appendSession`: rate and limit over all sessions of a run, with few enough points for one page. */

/** Rate, limit and 429 answers at one time. */
export interface ThrottleSample {
  /** Milliseconds since 1970. */
  at: number;
  /** Ended records per second. */
  rate: number;
  /** Limit of `process` calls in flight. */
  concurrency: number;
  /** Number of 429 answers since the previous sample. */
  throttled: number;
}

/** The samples of each session, in the order of the sessions. */
export type SessionSamples = readonly (readonly ThrottleSample[])[];

const MOST_POINTS = 1000;

/** Returns the sessions with another one. If there are too many points, halves the points of the session with the most. */
export function appendSession(before: SessionSamples, samples: readonly ThrottleSample[]): SessionSamples {
  const sessions = [...before, samples].filter((session) => session.length > 0);
  let points = sessions.reduce((sum, session) => sum + session.length, 0);
  while (points > MOST_POINTS) {
    const longest = sessions.reduce(
      (most, session, index) => (session.length > (sessions[most]?.length ?? 0) ? index : most),
      0,
    );
    const session = sessions[longest] ?? [];
    // If every session has only one point, the first sessions are dropped.
    const left = session.length > 1 ? halved(session) : [];
    sessions.splice(longest, 1, ...(left.length > 0 ? [left] : []));
    points += left.length - session.length;
  }
  return sessions;
}

/** Returns the session with each two points merged into one. */
function halved(session: readonly ThrottleSample[]): ThrottleSample[] {
  return session.flatMap((sample, index) => {
    if (index % 2 === 1) return [];
    const next = session[index + 1];
    if (next === undefined) return [sample];
    const { at, rate, throttled } = sample;
    return [{ at, rate: (rate + next.rate) / 2, concurrency: next.concurrency, throttled: throttled + next.throttled }];
  });
}
