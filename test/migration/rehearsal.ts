/** An input, a ledger and a sandbox, put together as a run would have them. */

import { createHash } from 'node:crypto';
import { DataImportClient, internalsOf } from '../../src/client.js';
import type { InputLine } from '../../src/migration/input/source.js';
import type { Ledger } from '../../src/migration/ledger/ledger.js';
import { createMemoryLedger } from '../../src/migration/ledger/memory.js';
import { InFlightRecords } from '../../src/migration/record/preconditions/quiet-time.js';
import { settingsOf } from '../../src/migration/record/steps/call-settings.js';
import { runInput } from '../../src/migration/run/repeat-passes.js';
import type { LineFinding, RunContext } from '../../src/migration/run/run-context.js';
import { createSandbox, type SandboxOptions } from '../../src/sandbox/index.js';
import type { ImportRecord } from '../../src/validation/records/import-record.js';

export function itemsOf(records: readonly unknown[]): InputLine[] {
  return records.map((record, index) => {
    const text = JSON.stringify(record);
    return {
      source: 'input',
      line: index + 1,
      text,
      hash: createHash('sha256').update(text).digest('hex'),
      read: () => ({ record: JSON.parse(text) as ImportRecord }),
    };
  });
}

async function* stream(items: readonly InputLine[]) {
  yield* items;
}

export function openRehearsal(options: SandboxOptions = {}) {
  const sandbox = createSandbox(options);
  const client = new DataImportClient({
    baseUrl: 'http://localhost:1',
    token: sandbox.token,
    fetch: sandbox.fetch,
    advanced: { retryBaseMs: 0 },
    maxRetries: 0,
  });
  let time = Date.parse('2026-01-15T09:00:00Z');
  const now = () => new Date(time);
  const lines: [number, LineFinding][] = [];
  const events: string[] = [];
  return {
    sandbox,
    lines,
    events,
    async run(records: readonly unknown[], ledger: Ledger = createMemoryLedger(), more: Partial<RunContext> = {}) {
      const items = itemsOf(records);
      await runInput({
        client,
        ledger,
        input: { [Symbol.asyncIterator]: () => stream(items) },
        ...{ folder: 'run', areChangesAccepted: true, onRenumbered: () => false },
        team: 'SANDBOX_TEAM',
        profile: undefined,
        ...settingsOf({}),
        retryRejected: false,
        dryRun: () => false,
        recordsAtOnce: 8,
        signal: new AbortController().signal,
        now,
        inFlight: new InFlightRecords(internalsOf(client).shared.inFlight, now),
        async sleep(ms) {
          time += ms;
        },
        schedule: (_, call) => call(),
        isAccepting: () => true,
        onEvent: ({ number, outcome }, event) =>
          events.push(
            `${number} ${event.type}${'step' in event ? ` ${event.step}` : ''}${outcome === null ? '' : `: ${outcome}`}`,
          ),
        onLine: ({ line }, finding) => lines.push([line, finding]),
        ...more,
      });
      return ledger;
    },
    /** What the service created, from its own log. */
    created: () =>
      sandbox
        .requests()
        .filter(({ change }) => change === 'staged → imported')
        .map(({ account }) => account),
  };
}

export const account = (number: string, more: Record<string, unknown> = {}, items: Record<string, unknown> = {}) => ({
  account: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: number, ...more },
  ...items,
});

export const business = (identifier: string, contract: string, more: Record<string, unknown> = {}) => ({
  business: {
    import_supplier_code: 'SANDBOX_SUPPLIER',
    external_business_identifier: identifier,
    business: { business_contracts: [{ identifier: contract }], ...more },
  },
});
