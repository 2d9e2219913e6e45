/** How long a test waits for what takes longer on a busy machine: nearly as long as it may take, so that its message says what was missing. */
export const PATIENCE = { timeout: 290_000, interval: 50 };
