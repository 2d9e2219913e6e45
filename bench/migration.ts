/**
 * What the migration runner is measured by, one figure a mode. The service is a process of its own that keeps one bit
 * an account; everything else is the package as its users have it.
 *
 *     npx tsx --tsconfig bench/tsconfig.json bench/migration.ts rate      requests a second, over a bare loop that sends the same bodies
 *     npx tsx --tsconfig bench/tsconfig.json bench/migration.ts memory    peak of 1,000,000 accounts over that of 10,000
 *     npx tsx --tsconfig bench/tsconfig.json bench/migration.ts restart   seconds to the first request with nine tenths done
 *     npx tsx --tsconfig bench/tsconfig.json bench/migration.ts cap       use of a cap that is not known, and the share of 429
 *     npx tsx --tsconfig bench/tsconfig.json bench/migration.ts source    reading, parsing and checking a book, over readline and JSON.parse
 */
const MODES: Readonly<Record<string, () => Promise<{ measure(args: readonly string[]): Promise<void> }>>> = {
  rate: () => import('./migration/rate.js'),
  memory: () => import('./migration/memory.js'),
  restart: () => import('./migration/restart.js'),
  cap: () => import('./migration/cap.js'),
  source: () => import('./migration/source.js'),
};

const [mode = '', ...args] = process.argv.slice(2);
const load = MODES[mode];
if (load === undefined) {
  console.error(`bench/migration: found ${JSON.stringify(mode)}; expected one of ${Object.keys(MODES).join(', ')}.`);
  process.exitCode = 2;
} else {
  console.log(`Node ${process.version}, ${process.arch}`);
  await (await load()).measure(args);
}
