/** Items that come some at a time, one after another. A generator would wait three times for each; this waits for none. */
export function oneByOne<Item>(batches: AsyncGenerator<Item[]>): AsyncIterableIterator<Item> {
  let batch: Item[] = [];
  let next = 0;

  async function nextBatch(): Promise<IteratorResult<Item>> {
    for (;;) {
      const { done, value } = await batches.next();
      if (done === true) return { done: true, value: undefined };
      batch = value;
      next = 0;
      const [first] = batch;
      if (first !== undefined) {
        next = 1;
        return { done: false, value: first };
      }
    }
  }

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next() {
      const value = batch[next];
      if (value === undefined) return nextBatch();
      next++;
      return Promise.resolve({ done: false, value });
    },
    async return() {
      batch = [];
      await batches.return(undefined);
      return { done: true, value: undefined };
    },
  };
}
