/** How long a test waits for an event on a busy machine: a little less than the limit of a long test, so that its message says what was missing. */
export const PATIENCE = { timeout: 290_000, interval: 50 };
