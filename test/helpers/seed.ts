/** One seed for all that a test run makes up; printed, so that a failure can be had again with FC_SEED. */
export const seed = Number(process.env['FC_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

process.stdout.write(`FC_SEED=${seed}\n`);
