/**
 * Items that come some at a time, one after another. A generator would wait three times for each; this waits for none.
 * As with a generator, several may ask at the same time, and each item goes to one of them.
 */
export function oneByOne<Item>(batches: AsyncGenerator<Item[]>): AsyncIterableIterator<Item> {
  let batch: Item[] = [];
  let next = 0;
  let hasEnded = false;
  /** One for all who wait: a second batch would replace the first. */
  let fetching: Promise<void> | undefined;

  async function fetchBatch(): Promise<void> {
    try {
      const { done, value } = await batches.next();
      if (done === true) hasEnded = true;
      else [batch, next] = [value, 0];
    } finally {
      fetching = undefined;
    }
  }

  async function nextOfBatch(): Promise<IteratorResult<Item>> {
    for (;;) {
      if (hasEnded) return { done: true, value: undefined };
      fetching ??= fetchBatch();
      await fetching;
      // Those who asked before may have taken all of it.
      const value = batch[next];
      if (value !== undefined) {
        next++;
        return { done: false, value };
      }
    }
  }

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next() {
      const value = batch[next];
      if (value === undefined) return nextOfBatch();
      next++;
      return Promise.resolve({ done: false, value });
    },
    async return() {
      batch = [];
      hasEnded = true;
      await batches.return(undefined);
      return { done: true, value: undefined };
    },
  };
}
