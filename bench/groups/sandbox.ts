/** Compares the sandbox over HTTP with a bare server. The CPU time is that of the server's process. */
import { sampleRecords } from 'data-import-sdk/migration';
import { SANDBOX_SUPPLIER, SANDBOX_TOKEN } from 'data-import-sdk/sandbox';
import { Pool } from 'undici';
import type { Contestant, Sample } from '../frame/contest.js';
import { seconds } from '../frame/figures.js';
import type { Sheet } from '../frame/sheet.js';
import { IN_FLIGHT, PATH } from '../wire/accounts.js';
import { type Started, start } from '../wire/start.js';

const ROUNDS = 10;
const PATHS = { validate: '/v1/data-import/validate-account/', stage: PATH } as const;
const HEADERS = { authorization: `Token ${SANDBOX_TOKEN}`, 'content-type': 'application/json' };

export async function measure(sheet: Sheet<'sandbox'>): Promise<void> {
  const accounts = domesticAccounts(sheet.size(1500, 20), sheet.seed);
  const file = new URL('../wire/sandbox-server.ts', import.meta.url);
  const [sandbox, bare] = await Promise.all([start(file, ['sandbox']), start(file, ['bare'])]);
  for (const what of ['validate', 'stage'] as const) {
    const asked = (server: Started) => () => contestant(server, PATHS[what], accounts);
    const held = await sheet.contest(what, { sandbox: asked(sandbox), bare: asked(bare) }, ROUNDS);
    sheet.fill(`${what} rate`, () => held.ratio('rate', 'sandbox', 'bare'));
    sheet.fill(`${what} cpu`, () => held.ratio('cpu', 'sandbox', 'bare'));
  }
  sandbox.stop();
  bare.stop();
}

/** Domestic accounts of about 3 KB; an account of a business would need its business first. */
function domesticAccounts(count: number, seed: number): Record<string, unknown>[] {
  return [...sampleRecords({ accounts: 2 * count, mistakes: 0, supplier: SANDBOX_SUPPLIER, seed })]
    .map(({ line }): { account?: Record<string, unknown> } => JSON.parse(line))
    .flatMap(({ account }) => (account === undefined || account['business'] !== undefined ? [] : [account]))
    .slice(0, count);
}

/** `rate` in requests per second, `cpu` of the server in microseconds per request. Every turn sends new accounts. */
function contestant(server: Started, path: string, accounts: readonly Record<string, unknown>[]): Contestant {
  const pool = new Pool(server.origin, { connections: 8 });
  let serial = 0;
  return {
    async turn(): Promise<Sample> {
      const bodies = accounts.map((account) =>
        JSON.stringify({ ...account, external_account_number: `A-${serial++}` }),
      );
      const [before, startedAt] = [await server.cpuUs(), performance.now()];
      let next = 0;
      const sender = async () => {
        for (let body = bodies[next++]; body !== undefined; body = bodies[next++]) await send(pool, path, body);
      };
      await Promise.all(Array.from({ length: IN_FLIGHT }, sender));
      const rate = bodies.length / seconds(startedAt);
      return { rate, cpu: ((await server.cpuUs()) - before) / bodies.length };
    },
    close: () => pool.close(),
  };
}

async function send(pool: Pool, path: string, body: string): Promise<void> {
  const answer = await pool.request({ method: 'POST', path, headers: HEADERS, body });
  if (answer.statusCode >= 300) throw new Error(`${path} was answered ${answer.statusCode}`);
  await answer.body.dump();
}
