/** Compares the client with all features on to well-known HTTP libraries: same bodies, same server, 64 in flight. */
import { DataImportClient } from 'data-import-sdk';
import type { Contestant, Contestants } from '../frame/contest.js';
import type { Sheet } from '../frame/sheet.js';
import { sampleAccounts, TOKEN } from '../wire/accounts.js';
import { bareLoop } from '../wire/bare.js';
import { type Load, load } from '../wire/load.js';
import { openPeer } from '../wire/peer.js';
import { start } from '../wire/start.js';

const ROUNDS = 10;
const PEERS = ['stripe', 'axios', 'openai', 'ky', 'generated', 'got', 'fetch'] as const;

export async function measure(sheet: Sheet<'peers'>): Promise<void> {
  const server = await start(new URL('../wire/server.ts', import.meta.url));
  const { origin } = server;
  const of = (calls: number, quick: number): Load => ({
    accounts: sampleAccounts(sheet.seed),
    inFlight: 64,
    calls: sheet.size(calls, quick),
  });
  // The other libraries are slower: with fewer calls their turns take about the same time.
  const [many, few] = [of(4000, 80), of(1000, 80)];
  const contestants: Contestants = {
    bare: () => bareLoop(origin, many),
    ours: () => everythingOn(origin, many),
    ...Object.fromEntries(PEERS.map((name) => [name, () => peer(name, origin, few)])),
  };
  const held = await sheet.contest('64 in flight', contestants, ROUNDS);
  for (const name of [...PEERS, 'bare'] as const) sheet.fill(name, () => held.ratio('rate', 'ours', name));
  server.stop();
}

/** The client with its defaults (local check, retries, deadlines, limit, checked answers) and an asynchronous token. */
function everythingOn(baseUrl: string, what: Load): Contestant {
  const client = new DataImportClient({ baseUrl, token: async () => TOKEN });
  return { turn: () => load((account) => client.accounts.stage(account), what), close: () => client.close() };
}

async function peer(name: string, origin: string, what: Load): Promise<Contestant> {
  const { stage, close } = await openPeer(name, origin, TOKEN);
  return { turn: () => load(stage, what), close: () => close?.() };
}
