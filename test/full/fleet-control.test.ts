/**
 * The control of the proofs: the same fleet under the same fire, with a ledger that checks nothing. That the service is
 * asked to do what was done already shows that the proofs can fail, and that it is the ledger's check that prevents it.
 */
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { hasPostgres, type PostgresServer, startPostgres } from '../migration/ledger/postgres-server.js';
import { carryUnderFire, doneAgain } from './fleet-outcome.js';

const [ACCOUNTS, KILLS] = [300, 6];

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

test.skipIf(!isThere)('a fleet whose ledger checks nothing asks the service again for what was done', async () => {
  const { sandbox } = await carryUnderFire({
    name: 'unchecked',
    command,
    accounts: ACCOUNTS,
    kills: KILLS,
    database: server.url,
    disturb: () => undefined,
    onBroken: (end) => onTestFinished(async () => void (await end())),
  });
  const again = doneAgain(sandbox.requests());
  process.stdout.write(`${JSON.stringify({ accounts: ACCOUNTS, again: again.length, such: again.slice(0, 3) })}\n`);
  expect(again).not.toEqual([]);
});
