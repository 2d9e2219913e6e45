/** Compares the durable writes of a PostgreSQL ledger with SQLite on the same machine. Starts the server itself. */
import { join } from 'node:path';
import { type Ledger, type LedgerRecord, openSqliteLedger, postgresLedger } from 'data-import-sdk/migration';
import { NO_ITEMS } from '../../src/migration/ledger/items.js';
import { hasPostgres, startPostgres } from '../../test/migration/ledger/postgres/server.js';
import type { Contestant } from '../frame/contest.js';
import { cpuUs, inFolder, seconds } from '../frame/figures.js';
import type { Sheet } from '../frame/sheet.js';

const ROUNDS = 10;
/** The writes of a run for one account: intent, answer, outcome. */
const VERSIONS = [1, 2, 3, 4] as const;

export async function measure(sheet: Sheet<'ledger'>): Promise<void> {
  if (!hasPostgres()) throw new Error('there is no PostgreSQL, and none could be installed');
  const server = await startPostgres();
  try {
    await inFolder(async (folder) => {
      let made = 0;
      const sqlite = () => openSqliteLedger(join(folder, `ledger-${++made}.sqlite`));
      const postgres = () => postgresLedger({ connectionString: server.url, schema: `ledger_${++made}` });
      for (const writers of [1, 64] as const) {
        const records = sheet.size(writers === 1 ? 100 : 3000, 10);
        const held = await sheet.contest(
          `${writers} at a time`,
          {
            sqlite: () => contestant(sqlite, records, writers),
            postgres: () => contestant(postgres, records, writers),
          },
          ROUNDS,
        );
        sheet.fill(`rate ${writers}`, () => held.ratio('rate', 'postgres', 'sqlite'));
        sheet.fill(`cpu ${writers}`, () => held.ratio('cpu', 'postgres', 'sqlite'));
      }
    });
  } finally {
    await server.remove();
  }
}

/** `rate` in durable writes per second, `cpu` of this process in microseconds per write. Each turn has a new ledger. */
function contestant(open: () => Promise<Ledger>, records: number, writers: number): Contestant {
  return {
    async turn() {
      const ledger = await open();
      const [startedAt, before] = [performance.now(), cpuUs()];
      let next = 0;
      const writer = async () => {
        for (let number = next++; number < records; number = next++) {
          for (const version of VERSIONS) await ledger.write(recordOf(`A-${number}`, version));
        }
      };
      await Promise.all(Array.from({ length: writers }, writer));
      const writes = records * VERSIONS.length;
      const sample = { rate: writes / seconds(startedAt), cpu: (cpuUs() - before) / writes };
      const { total, ended } = await ledger.counts();
      await ledger.close();
      if (total !== records || ended.created !== records) throw new Error(`expected ${records}, found ${total}`);
      return sample;
    },
  };
}

function recordOf(number: string, version: (typeof VERSIONS)[number]): LedgerRecord {
  return {
    supplier: 'SUPPLIER',
    kind: 'account',
    number,
    version,
    hash: number.padStart(64, '0'),
    contentHash: number.padStart(32, '0'),
    correctedFrom: null,
    done: version === 1 ? null : 'stage',
    intent: version === 4 ? null : 'process',
    intentAt: version === 4 ? null : '2026-01-15T09:00:00.000Z',
    intentHash: version === 4 ? null : number.padStart(64, '0'),
    intentOnce: false,
    stageUnansweredAt: null,
    outcome: version === 4 ? 'created' : null,
    serviceNumber: version === 4 ? number : null,
    unknown: [],
    errors: [],
    warnings: [],
    difference: null,
    decisions: [],
    items: NO_ITEMS,
    contract: null,
    source: 'input.jsonl',
    line: 1,
    updatedAt: '2026-01-15T09:00:00.000Z',
  };
}
