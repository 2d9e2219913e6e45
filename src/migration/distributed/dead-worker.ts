/** A worker without a heartbeat, or a report, for so long is considered dead: others take over its records (`claim` in `ledger/claim-records-sql.ts`). */
export const GONE_MS = 5000;
export const GONE = `interval '${GONE_MS} milliseconds'`;
/** SQL: whether the worker of a row is not dead, and has not left. */
export const IS_THERE = 'worker.left_at is null and worker.expires_at > clock_timestamp()';
