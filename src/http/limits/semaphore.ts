/**
 * `Semaphore`: limits how many requests of a client are in flight. p-limit creates four promises for each call, which was
 * 4 of the 12 us that a call costs beyond its request (decision 10).
 */
import type { Cancellation } from '../time/cancellation.js';

interface Waiter {
  /** undefined once it was cancelled. */
  grant: (() => void) | undefined;
  next: Waiter | undefined;
}

export class Semaphore {
  #free: number;
  #first: Waiter | undefined;
  #last: Waiter | undefined;

  constructor(permits: number) {
    this.#free = permits;
  }

  /** Returns undefined if a permit is free, else a promise that resolves in order of arrival. Rejects if it is cancelled before. */
  acquire(cancellation: Cancellation): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free--;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { grant: undefined, next: undefined };
      const cancel = (reason: unknown) => {
        waiter.grant = undefined;
        reject(reason);
      };
      waiter.grant = () => {
        cancellation.offCancel(cancel);
        resolve();
      };
      if (this.#last === undefined) this.#first = waiter;
      else this.#last.next = waiter;
      this.#last = waiter;
      cancellation.onCancel(cancel);
    });
  }

  /** Lets all waiters through, when no request will be sent any more. */
  open(): void {
    while (this.#first !== undefined) this.release();
  }

  /** Passes the permit to the first waiter. */
  release(): void {
    while (this.#first !== undefined) {
      const { grant, next } = this.#first;
      this.#first = next;
      if (next === undefined) this.#last = undefined;
      if (grant === undefined) continue;
      grant();
      return;
    }
    this.#free++;
  }
}
