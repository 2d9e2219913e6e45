/** Exports `Callbacks`, which calls functions of the caller that a run does not wait for. */

/** A function that throws, and one whose promise rejects, end the run in the same way: what has begun ends, then the run rejects. */
export class Callbacks {
  /** Promises of functions that have not settled. */
  readonly #open = new Set<Promise<void>>();
  #hasFailed = false;
  #fail: (error: unknown) => void = () => {};
  /** Rejects with the first error; otherwise it never settles. */
  readonly failed = new Promise<never>((_, reject) => {
    this.#fail = (error) => {
      this.#hasFailed = true;
      reject(error);
    };
  });

  constructor() {
    this.failed.catch(() => {});
  }

  /** Returns the function, which throws nothing. */
  watched<Values extends unknown[]>(
    callback: ((...values: Values) => unknown) | undefined,
  ): ((...values: Values) => void) | undefined {
    return (
      callback &&
      ((...values) => {
        try {
          const result = callback(...values) as PromiseLike<unknown> | undefined;
          if (typeof result?.then === 'function') this.#watch(Promise.resolve(result));
        } catch (error) {
          this.#fail(error);
        }
      })
    );
  }

  hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Resolves when the promises of all functions have settled. Rejects with the first error. */
  async settled(): Promise<void> {
    await Promise.all(this.#open);
    if (this.#hasFailed) await this.failed;
  }

  #watch(result: Promise<unknown>): void {
    const open = result
      .then(() => {}, this.#fail)
      .finally(() => {
        this.#open.delete(open);
      });
    this.#open.add(open);
  }
}
