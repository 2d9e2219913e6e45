/** Measures the CPU time per account of the importing process from input to processed. The service is a separate process. */
import { join } from 'node:path';
import type { Contestant } from '../frame/contest.js';
import { inFolder } from '../frame/figures.js';
import type { Sheet } from '../frame/sheet.js';
import { startService } from '../migration/bench-service.js';
import { largeAccounts, writeInputFile } from '../migration/books.js';
import { countedTurn } from '../migration/turn.js';
import { wholeRun } from '../migration/whole-run.js';
import { byClient, byHand, byIdiom, byPeer, type Where } from '../path/importers.js';
import { IN_FLIGHT, TOKEN } from '../wire/accounts.js';
import { openPeer } from '../wire/peer.js';

const ROUNDS = 11;

export async function measure(sheet: Sheet<'path'>): Promise<void> {
  const service = await startService();
  const accounts = sheet.size(1500, 20);
  await inFolder(async (folder) => {
    const inputFile = join(folder, 'input.jsonl');
    await writeInputFile(inputFile, largeAccounts(accounts, sheet.seed));
    const where: Where = { inputFile, origin: service.origin };
    const by = (work: () => Promise<void>) => (): Contestant => ({ turn: () => countedTurn(service, accounts, work) });
    const held = await sheet.contest(
      `${accounts} accounts`,
      {
        ours: by(() => byClient(where)),
        'by hand': by(() => byHand(where, true)),
        'by hand, no check': by(() => byHand(where, false)),
        idiom: by(() => byIdiom(where)),
        openai: async () => {
          const peer = await openPeer('openai', service.origin, TOKEN);
          return by(() => byPeer(where, peer))();
        },
        run: by(() => wholeRun(service, inputFile, folder, IN_FLIGHT)),
      },
      ROUNDS,
    );
    sheet.fill('bare', () => held.ratio('cpu', 'ours', 'by hand'));
    sheet.fill('unchecked', () => held.ratio('cpu', 'ours', 'by hand, no check'));
    sheet.fill('idiom', () => held.ratio('cpu', 'idiom', 'ours'));
    sheet.fill('openai', () => held.ratio('cpu', 'openai', 'ours'));
    sheet.fill('run', () => held.ratio('cpu', 'run', 'ours'));
    sheet.fill('cost', () => held.figure('cpu', 'ours'));
  });
  service.stop();
}
