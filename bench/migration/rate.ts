/**
 * Compares the requests per second of a whole run, from its first record to its report, with a bare loop on an undici
 * Pool that sends the same stage and process bodies to the same service, once with JSON in both directions and once without.
 */
import { join } from 'node:path';
import { type Dispatcher, Pool } from 'undici';
import { inFolder } from '../frame/figures.js';
import type { Sheet } from '../frame/sheet.js';
import { HEADERS, PATH, PROCESS_PATH, TEAM } from '../wire/accounts.js';
import { type BenchService, startService } from './bench-service.js';
import { largeAccounts, writeInputFile } from './books.js';
import { countedTurn } from './turn.js';
import { wholeRun } from './whole-run.js';

const ROUNDS = 10;
/** 32 in flight is the default of a run. */
const CONTESTS = [
  { latencyMs: 0, inFlight: 32 },
  { latencyMs: 0, inFlight: 64 },
  { latencyMs: 20, inFlight: 32 },
  { latencyMs: 20, inFlight: 64 },
] as const;

export async function measureRate(sheet: Sheet<'run'>): Promise<void> {
  const lines = [...largeAccounts(sheet.size(5000, 20), sheet.seed)];
  const service = await startService();
  await inFolder(async (folder) => {
    const inputFile = join(folder, 'input.jsonl');
    await writeInputFile(inputFile, lines);
    const by = (work: () => Promise<void>) => () => ({ turn: () => countedTurn(service, lines.length, work) });
    for (const { latencyMs, inFlight } of CONTESTS) {
      await service.configure({ latencyMs });
      const held = await sheet.contest(
        `a service that takes ${latencyMs} ms, ${inFlight} in flight`,
        {
          bare: by(bareLoop(service, lines, JSON_BOTH_WAYS, inFlight)),
          wire: by(bareLoop(service, lines, TEXTS, inFlight)),
          run: by(() => wholeRun(service, inputFile, folder, inFlight)),
        },
        ROUNDS,
      );
      sheet.fill(`rate ${latencyMs} ${inFlight}`, () => held.ratio('rate', 'run', 'bare'));
      sheet.fill(`wire rate ${latencyMs} ${inFlight}`, () => held.ratio('rate', 'run', 'wire'));
    }
  });
  service.stop();
}

interface Bodies {
  /** Prepares a body before the round starts. */
  prepare: (value: object) => unknown;
  write: (prepared: unknown) => string;
  read: (answer: Dispatcher.ResponseData) => Promise<unknown>;
}

/** Serialises account objects and parses the answers. */
const JSON_BOTH_WAYS: Bodies = {
  prepare: (value) => value,
  write: (value) => JSON.stringify(value),
  read: ({ body }) => body.json(),
};

/** Sends serialised bodies and discards the answers, to measure only the network path. */
const TEXTS: Bodies = {
  prepare: (value) => JSON.stringify(value),
  write: String,
  read: ({ body }) => body.text(),
};

function bareLoop(
  { origin }: BenchService,
  lines: readonly string[],
  by: Bodies,
  inFlight: number,
): () => Promise<void> {
  const bodies = lines.map((line) => {
    const { account }: { account: { external_account_number: string } } = JSON.parse(line);
    const { external_account_number } = account;
    const processing = { import_supplier_code: 'SUPPLIER', external_account_number, operations_team_name: TEAM };
    return [by.prepare(account), by.prepare(processing)] as const;
  });
  return async () => {
    const pool = new Pool(origin, { connections: inFlight });
    const send = async (path: string, prepared: unknown) => {
      const answer = await pool.request({ method: 'POST', path, headers: HEADERS, body: by.write(prepared) });
      if (answer.statusCode !== 201) throw new Error(`${path} was answered ${answer.statusCode}`);
      await by.read(answer);
    };
    let next = 0;
    const work = async () => {
      for (let pair = bodies[next++]; pair !== undefined; pair = bodies[next++]) {
        await send(PATH, pair[0]);
        await send(PROCESS_PATH, pair[1]);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, work));
    await pool.close();
  };
}
