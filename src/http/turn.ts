/**
 * Places for requests under way; who finds none waits in line. Written here because p-limit makes four promises for
 * each call, and took 4 of the 12 us that a call cost beyond its request (decision 10).
 */
import type { Wait } from './wait.js';

interface Waiting {
  /** undefined once it has left. */
  enter: (() => void) | undefined;
  behind: Waiting | undefined;
}

export class Places {
  #free: number;
  #first: Waiting | undefined;
  #last: Waiting | undefined;

  constructor(count: number) {
    this.#free = count;
  }

  /** Takes a place: at once where one is free, else when it is this call's turn. Rejects where the wait ends before. */
  take(wait: Wait): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free--;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { enter: undefined, behind: undefined };
      const leave = (reason: unknown) => {
        waiting.enter = undefined;
        reject(reason);
      };
      waiting.enter = () => {
        wait.finish(leave);
        resolve();
      };
      if (this.#last === undefined) this.#first = waiting;
      else this.#last.behind = waiting;
      this.#last = waiting;
      wait.begin(leave);
    });
  }

  /** Gives a place back, to whoever is first in line. */
  give(): void {
    while (this.#first !== undefined) {
      const { enter, behind } = this.#first;
      this.#first = behind;
      if (behind === undefined) this.#last = undefined;
      if (enter === undefined) continue;
      enter();
      return;
    }
    this.#free++;
  }
}
