/** Events per second: the mean of the last ten full seconds, or of those since the start. */
const SECONDS = 10;

export interface Rate {
  add(now: number, count?: number): void;
  perSecond(now: number): number;
}

export function createRate(startedAt: number): Rate {
  const counts = new Map<number, number>();
  const secondOf = (now: number) => Math.floor((now - startedAt) / 1000);
  return {
    add(now, count = 1) {
      const second = secondOf(now);
      counts.set(second, (counts.get(second) ?? 0) + count);
      for (const old of counts.keys()) if (old < second - SECONDS) counts.delete(old);
    },
    perSecond(now) {
      const second = secondOf(now);
      const seconds = Math.min(SECONDS, second);
      if (seconds < 1) return 0;
      const within = [...counts].filter(([at]) => at < second && at >= second - seconds);
      return within.reduce((sum, [, count]) => sum + count, 0) / seconds;
    },
  };
}
