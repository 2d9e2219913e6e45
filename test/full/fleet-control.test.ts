/**
 * The control of the proofs: the same fleet under the same fire, with a ledger that checks nothing. That the service is
 * asked to do what was done already shows that the proofs can fail, and that it is the ledger's check that prevents it.
 */
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasPostgres, type PostgresServer, startPostgres } from '../migration/ledger/postgres-server.js';
import { carryUnderFire, doneAgain } from './fleet-outcome.js';

const [ACCOUNTS, KILLS] = [120, 6];

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
// Beside the sources: it finds the packages there.
const command = at('../../node_modules/.cache/fleet-control/cli.mjs');
const control = at('./fleet-control-ledger.ts');

/** Whoever joins a fleet gets the ledger that checks nothing. */
const unchecked: Plugin = {
  name: 'unchecked',
  setup({ onResolve }) {
    onResolve({ filter: /\/postgres-fleet\.js$/ }, ({ importer }) =>
      importer === control ? undefined : { path: control },
    );
  },
};

const isThere = hasPostgres();
let server: PostgresServer;
beforeAll(async () => {
  if (!isThere) return;
  const options = { bundle: true, platform: 'node', format: 'esm', packages: 'external' } as const;
  await build({ ...options, entryPoints: [at('../../src/cli/index.ts')], outfile: command, plugins: [unchecked] });
  server = await startPostgres();
});
afterAll(() => server?.remove());

/** What the control shows is no accident of the fire: with the ledger that checks there is none of it. */
const fleets = [
  ['checks nothing asks the service again for what was done', command, expect.arrayContaining([expect.any(String)])],
  ['checks does not, under the same fire', undefined, []],
] as const;

// Mostly they wait for the platform: so both at once.
test.skipIf(!isThere).for(fleets)(
  'a fleet whose ledger %s',
  { concurrent: true },
  async ([, program, expected], { onTestFinished }) => {
    const { sandbox, counted } = await carryUnderFire({
      name: program === undefined ? 'checked' : 'unchecked',
      ...(program !== undefined && { command: program }),
      accounts: ACCOUNTS,
      kills: KILLS,
      database: server.url,
      // As long as a platform takes: time enough for others to be told of the same record.
      // Of `process` alone it would not suffice: its intent rests for a quiet time, whoever claims the record.
      faults: [
        { match: { operation: 'accounts.stage' }, effect: { latencyMs: 3000 } },
        { match: { operation: 'accounts.process' }, effect: { latencyMs: 1000 } },
      ],
      disturb: () => undefined,
      onBroken: (end) => onTestFinished(async () => void (await end())),
    });
    const again = doneAgain(sandbox.requests());
    process.stdout.write(`${JSON.stringify({ ...counted, accounts: ACCOUNTS, again: again.length })}\n`);
    expect(again).toEqual(expected);
  },
);
