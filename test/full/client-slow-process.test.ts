/**
 * `client.accounts.process` with a time limit that half of the calls exceed, against an independent service that completes a call
 * whose connection is lost, and that creates an account at the end of a call (U30, U31). `SLOW_CALLS` says how many accounts;
 * FC_SEED repeats the durations.
 */
import { DataImportClient } from 'data-import-sdk';
import { expect, test } from 'vitest';
import { seed } from '../helpers/seed.js';
import { randomNumbers } from '../migration/simulation/simulated-input.js';
import { startImportService } from '../support/import-service.js';

const ACCOUNTS = Number(process.env['SLOW_CALLS'] ?? 300);
const IN_FLIGHT = 64;
const LONGEST_MS = 1000;
/** In addition, where the connection is lost: longer than any call that the client saw end. */
const LONGEST_AFTER_LOSS_MS = 3000;
const TIMEOUT_MS = 500;

test(
  `U30, U31 ${ACCOUNTS} accounts whose process call often exceeds its time limit are created once each, and each call resolves`,
  async () => {
    const random = randomNumbers(seed);
    const service = await startImportService({
      durationMs: () => random() * LONGEST_MS,
      afterLossMs: () => random() * LONGEST_AFTER_LOSS_MS,
    });
    const client = new DataImportClient({
      baseUrl: service.url,
      token: 'token',
      timeoutMs: TIMEOUT_MS,
      // Longer than the service works on a call.
      advanced: { inFlightGraceMs: LONGEST_MS + LONGEST_AFTER_LOSS_MS + 500 },
      maxRetries: 8,
    });
    const numbers = Array.from({ length: ACCOUNTS }, (_, index) => `A-${index}`);
    const created = new Map<string, string>();
    const queue = numbers.values();
    await Promise.all(
      Array.from({ length: IN_FLIGHT }, async () => {
        for (const number of queue) {
          await client.accounts.stage({ import_supplier: 'ACME', external_account_number: number });
          const { service_account_number } = await client.accounts.process({
            import_supplier_code: 'ACME',
            external_account_number: number,
            operations_team_name: 'EAST',
          });
          created.set(number, service_account_number);
        }
      }),
    );
    await client.close();
    await service.close();
    const atService = numbers.map((number) => [number, service.accounts.get(`ACME/${number}`)?.numbers]);
    expect({ seed, atService }).toEqual({ seed, atService: numbers.map((number) => [number, [created.get(number)]]) });
    expect(service.overlaps().ranOn.process).toBeGreaterThan(ACCOUNTS / 4);
  },
  Math.max(300_000, ACCOUNTS * 1000),
);
