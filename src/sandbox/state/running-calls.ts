/** Exports `createRunningCalls`: the calls that have passed their checks and are not committed yet (U30). */

/** Calls between their checks and their commit. Each store has its own, so a reset drops them. */
export function createRunningCalls() {
  const counts = new Map<string, number>();
  return {
    /** Returns whether a call with this key is running. */
    has: (key: string) => counts.has(key),
    /** Registers a running call. Returns a function that removes it. */
    begin(key: string): () => void {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      return () => {
        const left = (counts.get(key) ?? 0) - 1;
        if (left > 0) counts.set(key, left);
        else counts.delete(key);
      };
    },
  };
}

/** Returns the key of process calls that create an account; dry runs do not have it. */
export function creationKey(supplier: string, account: string): string {
  return JSON.stringify(['creation', supplier, account]);
}
