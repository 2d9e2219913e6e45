/** A canary imports the first records of an input (`--canary`): exports `firstOf`, its input, and `isCanary`, for a session of an earlier process. */

import type { Input } from '../input/source.js';
import type { RunFacts } from '../report/report.js';

/** Returns an input with the first records of another one. */
export function firstOf(input: Input, count: number): Input {
  return {
    async *[Symbol.asyncIterator]() {
      let read = 0;
      for await (const item of input) {
        yield item;
        if (++read >= count) return;
      }
    },
  };
}

/** Whether the last session was asked for a part of the input only. */
export function isCanary({ configuration }: Pick<RunFacts, 'configuration'>): boolean {
  return Number(configuration['canary'] ?? 0) > 0;
}
