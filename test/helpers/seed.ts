/** One seed for all random values of a test run; printed, so that a failure can be repeated with FC_SEED. */
export const seed = Number(process.env['FC_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

process.stdout.write(`FC_SEED=${seed}\n`);
