/** Exports `createSeries`: rate, limit, 429 answers and failed calls of a run over time, for plots, with at most 1,000 points. */

/** A point of the plots. */
export interface Sample {
  /** Start of its time span, in milliseconds since 1970. */
  at: number;
  /** Ended records per second. */
  rate: number;
  /** The limit of `process` at its end. */
  concurrency: number;
  /** Number of 429 answers. */
  throttled: number;
  /** Number of calls without a usable answer: no answer, or 5xx. */
  failed: number;
}

const MOST_POINTS = 1000;

/** Returns the points with each two merged into one. */
export function halved<One>(points: readonly One[], merge: (point: One, next: One) => One): One[] {
  return points.flatMap((point, index) => {
    const next = points[index + 1];
    return index % 2 === 1 ? [] : [next === undefined ? point : merge(point, next)];
  });
}

export type Series = ReturnType<typeof createSeries>;

interface Point {
  at: number;
  ended: number;
  throttled: number;
  failed: number;
  concurrency: number;
}

export function createSeries(startedAt: number) {
  let points: Point[] = [];
  let widthMs = 1000;

  /** Merges each two points into one, so that all have the same time span. */
  const thin = (): void => {
    widthMs *= 2;
    points = halved(points, (point, next) => ({
      ...{ at: point.at, ended: point.ended + next.ended, concurrency: next.concurrency },
      ...{ throttled: point.throttled + next.throttled, failed: point.failed + next.failed },
    }));
  };

  return {
    /** Adds counts at this time. */
    add(
      now: number,
      { ended = 0, throttled = 0, failed = 0 }: { ended?: number; throttled?: number; failed?: number },
      concurrency: number,
    ): void {
      const index = () => Math.max(0, Math.floor((now - startedAt) / widthMs), points.length - 1);
      while (index() >= MOST_POINTS) thin();
      while (points.length <= index()) {
        const last = points.at(-1)?.concurrency ?? concurrency;
        points.push({ at: startedAt + points.length * widthMs, ended: 0, throttled: 0, failed: 0, concurrency: last });
      }
      const point = points.at(-1);
      if (point === undefined) return;
      point.ended += ended;
      point.throttled += throttled;
      point.failed += failed;
      point.concurrency = concurrency;
    },
    samples: () =>
      points.map(({ at, ended, throttled, failed, concurrency }) => ({
        at,
        rate: (ended * 1000) / widthMs,
        concurrency,
        throttled,
        failed,
      })),
  };
}
