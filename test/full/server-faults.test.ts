/**
 * A whole run against a service that fails in one way at a time, and in all ways at once: everything ends as on a calm
 * day, but for unknown outcomes. Faults that halt a run, and faults of the disk, are in `halting-faults.test.ts`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DataImportClient } from '../../src/client.js';
import { graphqlToken } from '../../src/http/token/graphql-token.js';
import { inputFromRecords } from '../../src/migration/input/records-input.js';
import { runMigration } from '../../src/migration/migrate.js';
import { sampleRecords } from '../../src/migration/operations/sample/sample.js';
import type { DataImportClientOptions } from '../../src/options.js';
import type { FaultRule, SandboxOptions } from '../../src/sandbox/index.js';
import { PATIENCE } from '../helpers/patience.js';
import { seed } from '../helpers/seed.js';
import { randomNumbers } from '../migration/simulation/simulated-input.js';
import { createService } from '../migration/simulation/simulated-service.js';
import { outcomeOf, problemsOfRun, type RunOutcome } from './run-outcome.js';

const ACCOUNTS = 500;
/** Requests that hang are aborted after that; on a slow machine others too, which is no failure of the run. */
const TIMEOUT_MS = 300;

type Service = ReturnType<typeof createService>;

let folder = '';
let lines: string[] = [];
let calm: RunOutcome;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'faults-'));
  lines = [...sampleRecords({ accounts: ACCOUNTS, seed })].map(({ line }) => line);
  calm = await outcomeAgainst(serviceWith({}), 'calm');
  expect(calm.ok.size).toBeGreaterThan(ACCOUNTS * 0.9);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function serviceWith(options: SandboxOptions): Service {
  return createService({ logLimit: 1_000_000, showPersonalData: true, ...options }, randomNumbers(seed));
}

/** Repeats the run until it is finished: a session may leave records unfinished whose calls failed three times. */
async function outcomeAgainst(service: Service, name: string, options: Partial<DataImportClientOptions> = {}) {
  for (let session = 1; session <= 5; session++) {
    const { state } = await runMigration({
      client: new DataImportClient({
        baseUrl: 'http://localhost:1',
        token: 'sandbox-token',
        advanced: { retryBaseMs: 1, inFlightGraceMs: 5 },
        timeoutMs: TIMEOUT_MS,
        dispatcher: service.dispatcherFor(),
        ...options,
      }),
      input: inputFromRecords(lines.map(recordIn)),
      folder: join(folder, name),
      team: 'SANDBOX_TEAM',
      throttle: { process: { start: 16, most: 32 } },
    });
    if (state === 'finished') break;
  }
  return outcomeOf(join(folder, name));
}

/** What is no JSON is no record in code either. */
function recordIn(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}

const of = (probability: number, effect: FaultRule['effect'], phase: FaultRule['phase'] = 'before'): FaultRule => ({
  when: { probability },
  effect,
  phase,
});
const FAULTS = {
  '2 % are 500 before anything is done': [of(0.02, { status: 500 })],
  '2 % are 500 after it is done': [of(0.02, { status: 500 }, 'afterCommit')],
  '2 % of the answers are lost': [of(0.02, 'drop', 'afterCommit')],
  '2 % hang, half of them after it is done': [of(0.01, { latencyMs: 1 }), of(0.01, { latencyMs: 1 }, 'afterCommit')],
};
const hang = () => new Promise<never>(() => {});

function expectCalm(outcome: RunOutcome, service: Service): void {
  const witness = { requests: service.requests, state: service.state() };
  expect({ seed, problems: problemsOfRun(outcome, calm, witness, lines) }).toEqual({ seed, problems: [] });
}

const firedIn = (service: Service) => service.state().faults.map(({ fired }) => fired);

test.each(Object.entries(FAULTS))('C5 where %s, the run ends as on a calm day', async (name, faults) => {
  const service = serviceWith({ faults, wait: hang });
  expectCalm(await outcomeAgainst(service, name), service);
  expect(Math.min(...firedIn(service))).toBeGreaterThan(4);
});

test('C5 if all of that happens at the same time, the run has the same result as without failures', async () => {
  const service = serviceWith({ faults: Object.values(FAULTS).flat(), wait: hang });
  expectCalm(await outcomeAgainst(service, 'all'), service);
  expect(Math.min(...firedIn(service))).toBeGreaterThan(4);
});

test('E6 if the service processes 24 at a time, then 8, then 40, no account is finally refused and the limit is respected', async () => {
  const schedule = () => new Promise<void>((resolve) => setImmediate(resolve));
  const service = serviceWith({
    faults: [{ match: { operation: 'accounts.process' }, effect: { latencyMs: 1 } }],
    settings: { processConcurrency: 24 },
    async wait() {
      const processed = service.state().faults[0]?.fired ?? 0;
      service.settings.processConcurrency = processed > 300 ? 40 : processed > 150 ? 8 : 24;
      const isRefusedNext = service.settings.processConcurrency === 8;
      // On a busy machine the run may have no more than 8 calls at a time for a while.
      do for (let turn = 0; turn < 20; turn++) await schedule();
      while (isRefusedNext && refused() === 0);
    },
  });
  const refused = () => service.requests().filter(({ status }) => status === 429).length;
  expectCalm(await outcomeAgainst(service, 'cap', { timeoutMs: PATIENCE.timeout }), service);
  expect(refused()).toBeGreaterThan(0);
  expect(service.settings.processConcurrency).toBe(40);
});

test('C6 if tokens expire all the time, calls renew them and the run has the same result as without failures', async () => {
  let arrived = 0;
  const service = serviceWith({
    faults: [{ effect: { latencyMs: 1 } }],
    settings: { tokenLifetimeSeconds: 60 },
    async wait() {
      // Every token that was given out has expired.
      if (++arrived % 100 === 0) service.clock.advance(61_000);
    },
  });
  const url = `http://localhost:1${service.settings.graphqlPath}`;
  const document = 'mutation ($input: I!) { obtainToken(input: $input) { token } }';
  const variables = { input: { apiKey: 'sandbox-api-key' } };
  const select = (data: { obtainToken: { token: string } }) => data.obtainToken.token;
  const token = graphqlToken({ url, apiKey: 'sandbox-api-key', document, variables, select });
  expectCalm(await outcomeAgainst(service, 'tokens', { token }), service);
  const log = service.requests();
  expect(log.filter(({ status }) => status === 401).length).toBeGreaterThan(10);
  expect(log.filter(({ operation }) => operation === 'token').length).toBeGreaterThan(10);
});
