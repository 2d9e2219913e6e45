/** How the pace of a run went, over all its sessions: few enough points for one page, however long and often it runs. */

/** One moment of the run's pace. */
export interface ThrottleSample {
  /** Milliseconds since 1970. */
  at: number;
  /** Records ended a second. */
  rate: number;
  /** Calls of process that were allowed at the same time. */
  concurrency: number;
  /** Answers 429 since the sample before. */
  throttled: number;
}

/** The samples of each session, in the order of the sessions. */
export type SessionSamples = readonly (readonly ThrottleSample[])[];

const MOST_POINTS = 1000;

/** The sessions with one more, and its samples. Where that is too much, the session with the most points becomes coarser. */
export function appendSession(before: SessionSamples, samples: readonly ThrottleSample[]): SessionSamples {
  const sessions = [...before, samples].filter((session) => session.length > 0);
  let points = sessions.reduce((sum, session) => sum + session.length, 0);
  while (points > MOST_POINTS) {
    const longest = sessions.reduce(
      (most, session, index) => (session.length > (sessions[most]?.length ?? 0) ? index : most),
      0,
    );
    const session = sessions[longest] ?? [];
    // Of sessions that are a point each the first ones are given up.
    const left = session.length > 1 ? halved(session) : [];
    sessions.splice(longest, 1, ...(left.length > 0 ? [left] : []));
    points += left.length - session.length;
  }
  return sessions;
}

/** Two points become one. */
function halved(session: readonly ThrottleSample[]): ThrottleSample[] {
  return session.flatMap((sample, index) => {
    if (index % 2 === 1) return [];
    const next = session[index + 1];
    if (next === undefined) return [sample];
    const { at, rate, throttled } = sample;
    return [{ at, rate: (rate + next.rate) / 2, concurrency: next.concurrency, throttled: throttled + next.throttled }];
  });
}
