/**
 * Exports `oneByOne`, which iterates over the items of batches. A generator would await three times per item; this does not await
 * within a batch. As with a generator, several callers may iterate at the same time, and each item goes to one of them.
 */
export function oneByOne<Item>(batches: AsyncGenerator<Item[]>): AsyncIterableIterator<Item> {
  let batch: Item[] = [];
  let next = 0;
  let hasEnded = false;
  /** The promise of the next batch, shared by all callers: a second fetch would replace the first batch. */
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
      // Earlier callers may have taken all items of the batch.
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
