/**
 * Requests a second of a whole run, from its first record to its report, over a bare loop on an undici Pool that sends
 * the same stage and process bodies to the same service. Rounds are interleaved; the ratio of the medians counts.
 */
import { join } from 'node:path';
import { openBook, runMigration } from 'data-import-sdk/migration';
import { Pool } from 'undici';
import { type BenchService, clientOf, startService, TOKEN } from './bench-service.js';
import { largeAccounts, writeBook } from './books.js';
import { cpuUs, inFolder, median, seconds } from './figures.js';

const ACCOUNTS = 5000;
const IN_FLIGHT = 64;
const ROUNDS = 5;

interface Round {
  perSecond: number;
  cpuUsAnAccount: number;
}

export async function measure(): Promise<void> {
  const lines = [...largeAccounts(ACCOUNTS)];
  const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0) / lines.length;
  console.log(`${ACCOUNTS} accounts of ${bytes.toFixed(0)} bytes, ${IN_FLIGHT} in flight, ${ROUNDS} rounds, medians`);
  const service = await startService();
  await inFolder(async (folder) => {
    const book = join(folder, 'book.jsonl');
    await writeBook(book, lines);
    for (const latencyMs of [0, 20]) {
      await service.tell({ latencyMs });
      const [bare, run]: [Round[], Round[]] = [[], []];
      // The first round warms up.
      for (let round = 0; round <= ROUNDS; round++) {
        const [bareRound, runRound] = [
          await bareLoop(service, lines),
          await wholeRun(service, book, join(folder, `${latencyMs}-${round}`)),
        ];
        if (round === 0) continue;
        bare.push(bareRound);
        run.push(runRound);
      }
      const of = (rounds: Round[], what: keyof Round) => median(rounds.map((round) => round[what]));
      const [bareRate, runRate] = [of(bare, 'perSecond'), of(run, 'perSecond')];
      console.log(
        `${latencyMs} ms: run ${runRate.toFixed(0)} requests/s, bare ${bareRate.toFixed(0)}, ratio ${(runRate / bareRate).toFixed(2)}; ` +
          `CPU ${of(run, 'cpuUsAnAccount').toFixed(0)} and ${of(bare, 'cpuUsAnAccount').toFixed(0)} us an account`,
      );
    }
  });
  service.stop();
}

async function measured(service: BenchService, work: () => Promise<void>): Promise<Round> {
  await service.tell({ forget: true });
  const [startedAt, cpu] = [performance.now(), cpuUs()];
  await work();
  const round = { perSecond: (2 * ACCOUNTS) / seconds(startedAt), cpuUsAnAccount: (cpuUs() - cpu) / ACCOUNTS };
  const { answers, twice } = await service.tell({});
  if (answers.stage !== ACCOUNTS || answers.process !== ACCOUNTS || twice > 0) {
    throw new Error(`bench: expected ${ACCOUNTS} of each once, found ${JSON.stringify({ ...answers, twice })}.`);
  }
  return round;
}

function wholeRun(service: BenchService, book: string, folder: string): Promise<Round> {
  return measured(service, async () => {
    const client = clientOf(service, IN_FLIGHT);
    const { state } = await runMigration({
      client,
      book: await openBook([book]),
      folder,
      team: 'TEAM',
      pace: { concurrency: IN_FLIGHT, process: { start: IN_FLIGHT } },
    });
    if (state !== 'finished') throw new Error(`bench: the run ended as ${state}.`);
    await client.close();
  });
}

/** Bodies are at hand, answers are thrown away: what any program that sends them must do at least. */
function bareLoop({ origin, ...rest }: BenchService, lines: readonly string[]): Promise<Round> {
  const pool = new Pool(origin, { connections: IN_FLIGHT });
  const headers = { authorization: `Token ${TOKEN}`, 'content-type': 'application/json', accept: 'application/json' };
  const bodies = lines.map((line) => {
    const { account } = JSON.parse(line) as { account: { external_account_number: string } };
    const { external_account_number } = account;
    const processing = { import_supplier_code: 'SUPPLIER', external_account_number, operations_team_name: 'TEAM' };
    return [JSON.stringify(account), JSON.stringify(processing)] as const;
  });
  const send = async (path: string, body: string) => {
    const answer = await pool.request({
      method: 'POST',
      path: `/v1/data-import/account-import-process/${path}/`,
      headers,
      body,
    });
    if (answer.statusCode !== 201) throw new Error(`bench: ${path} was answered ${answer.statusCode}.`);
    await answer.body.text();
  };
  let next = 0;
  return measured({ origin, ...rest }, async () => {
    const work = async () => {
      for (let pair = bodies[next++]; pair !== undefined; pair = bodies[next++]) {
        await send('create-or-update', pair[0]);
        await send('process', pair[1]);
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, work));
    await pool.close();
  });
}
