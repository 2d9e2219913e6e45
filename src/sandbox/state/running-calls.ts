/** Exports `createRunningCalls`: the calls that have passed their checks and are not committed yet (U30). */

/** Calls between their checks and their commit. Each store has its own: a reset forgets them. */
export interface RunningCalls {
  /** Whether a call runs that has the key. */
  has(key: string): boolean;
  /** Notes that a call runs; returns what ends that. */
  begin(key: string): () => void;
}

export function createRunningCalls(): RunningCalls {
  const counts = new Map<string, number>();
  return {
    has: (key) => counts.has(key),
    begin(key) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      return () => {
        const left = (counts.get(key) ?? 0) - 1;
        if (left > 0) counts.set(key, left);
        else counts.delete(key);
      };
    },
  };
}

/** Key of the process calls that create the account: not of dry runs. */
export function creationKey(supplier: string, account: string): string {
  return JSON.stringify(['creation', supplier, account]);
}
