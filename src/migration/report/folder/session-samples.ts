/** Exports `appendSession`: rate and limit over all sessions of a run, with few enough points for one page. */
import { halved, type Sample } from '../../throttle/samples.js';

/** The samples of each session, in the order of the sessions. */
export type SessionSamples = readonly (readonly Sample[])[];

const MOST_POINTS = 1000;

/** Returns the sessions with another one. If there are too many points, halves the points of the session with the most. */
export function appendSession(before: SessionSamples, samples: readonly Sample[]): SessionSamples {
  const sessions = [...before, samples].filter((session) => session.length > 0);
  let points = sessions.reduce((sum, session) => sum + session.length, 0);
  while (points > MOST_POINTS) {
    const longest = sessions.reduce(
      (most, session, index) => (session.length > (sessions[most]?.length ?? 0) ? index : most),
      0,
    );
    const session = sessions[longest] ?? [];
    // If every session has only one point, the first sessions are dropped.
    const left = session.length > 1 ? halved(session, merged) : [];
    sessions.splice(longest, 1, ...(left.length > 0 ? [left] : []));
    points += left.length - session.length;
  }
  return sessions;
}

function merged(sample: Sample, next: Sample): Sample {
  return {
    ...{ at: sample.at, rate: (sample.rate + next.rate) / 2, concurrency: next.concurrency },
    ...{ throttled: sample.throttled + next.throttled, failed: sample.failed + next.failed },
  };
}
