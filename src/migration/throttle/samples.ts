/** How a run went over time, for plots: at most 1,000 points, whatever it lasts. */

/** A point of the plots. */
export interface Sample {
  /** Beginning of the time that it stands for, milliseconds since 1970. */
  at: number;
  /** Records that ended, a second. */
  rate: number;
  /** The limit of processing at its end. */
  concurrency: number;
  /** Answers 429. */
  throttled: number;
}

const MOST_POINTS = 1000;

export interface Series {
  /** Something is counted, or time has passed. */
  add(now: number, counts: { ended?: number; throttled?: number }, concurrency: number): void;
  samples(): readonly Sample[];
}

interface Point {
  at: number;
  ended: number;
  throttled: number;
  concurrency: number;
}

export function createSeries(startedAt: number): Series {
  let points: Point[] = [];
  let widthMs = 1000;

  /** Two points become one, again and again, so that all stand for the same time. */
  const thin = (): void => {
    widthMs *= 2;
    points = points.flatMap((point, index) => {
      if (index % 2 === 1) return [];
      const next = points[index + 1];
      if (next === undefined) return [point];
      const { ended, throttled, concurrency } = next;
      return [{ at: point.at, ended: point.ended + ended, throttled: point.throttled + throttled, concurrency }];
    });
  };

  return {
    add(now, { ended = 0, throttled = 0 }, concurrency) {
      const index = () => Math.max(0, Math.floor((now - startedAt) / widthMs), points.length - 1);
      while (index() >= MOST_POINTS) thin();
      while (points.length <= index()) {
        const last = points.at(-1)?.concurrency ?? concurrency;
        points.push({ at: startedAt + points.length * widthMs, ended: 0, throttled: 0, concurrency: last });
      }
      const point = points.at(-1);
      if (point === undefined) return;
      point.ended += ended;
      point.throttled += throttled;
      point.concurrency = concurrency;
    },
    samples: () =>
      points.map(({ at, ended, throttled, concurrency }) => ({
        at,
        rate: (ended * 1000) / widthMs,
        concurrency,
        throttled,
      })),
  };
}
