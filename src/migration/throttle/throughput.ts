/** `Throughput`: how fast a run is now, and how it was over time for the charts of the report. */
import type { ThrottleClock } from './clock.js';
import { createSeries, type Sample, type Series } from './samples.js';

export class Throughput {
  readonly #clock: ThrottleClock;
  readonly #limit: () => number;
  readonly #series: Series;
  readonly #records: Rate;
  readonly #requests: Rate;

  /** `limit`: the limit of calls that process, now. */
  constructor(clock: ThrottleClock, limit: () => number) {
    const startedAt = clock.now();
    this.#clock = clock;
    this.#limit = limit;
    this.#series = createSeries(startedAt);
    this.#records = new Rate(startedAt);
    this.#requests = new Rate(startedAt);
  }

  /** A record got its outcome. */
  recordEnded(): void {
    const now = this.#clock.now();
    this.#records.add(now);
    this.#series.add(now, { ended: 1 }, this.#limit());
  }

  /** A request ended. `status`: of its answer; undefined without one. */
  answered(status: number | undefined): void {
    this.answeredToOthers(1);
    const counts = { throttled: status === 429 ? 1 : 0, failed: status === undefined || status >= 500 ? 1 : 0 };
    this.#series.add(this.#clock.now(), counts, this.#limit());
  }

  /** Requests of other workers ended, which the charts leave out. */
  answeredToOthers(count: number): void {
    this.#requests.add(this.#clock.now(), count);
  }

  /** Records and requests per second. */
  rate(): { records: number; requests: number } {
    const now = this.#clock.now();
    return { records: this.#records.perSecond(now), requests: this.#requests.perSecond(now) };
  }

  samples(): readonly Sample[] {
    return this.#series.samples();
  }
}

const SECONDS = 10;

/** Events per second: the mean of the last ten full seconds, or of those since the start. */
class Rate {
  readonly #startedAt: number;
  readonly #counts = new Map<number, number>();

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  add(now: number, count = 1): void {
    const second = this.#secondOf(now);
    this.#counts.set(second, (this.#counts.get(second) ?? 0) + count);
    for (const old of this.#counts.keys()) if (old < second - SECONDS) this.#counts.delete(old);
  }

  perSecond(now: number): number {
    const second = this.#secondOf(now);
    const seconds = Math.min(SECONDS, second);
    if (seconds < 1) return 0;
    const within = [...this.#counts].filter(([at]) => at < second && at >= second - seconds);
    return within.reduce((sum, [, count]) => sum + count, 0) / seconds;
  }

  #secondOf(now: number): number {
    return Math.floor((now - this.#startedAt) / 1000);
  }
}
