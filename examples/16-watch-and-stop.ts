/** Task: watch a run from your own code, slow it down, stop it gently, and go on later. */
import { bookOf, type MigrationOptions, sampleBook, startMigration } from 'data-import-sdk/migration';
import { SANDBOX_TEAM } from 'data-import-sdk/sandbox';
import { newFolder } from './run-folder.js';
import { startSandbox } from './sandbox-client.js';

const { client, stop } = await startSandbox();
const folder = await newFolder();
const book = bookOf([...sampleBook({ accounts: 60, mistakes: 0 })].map(({ line }) => JSON.parse(line)));
const options: MigrationOptions = {
  client,
  book,
  folder: folder.path,
  team: SANDBOX_TEAM,
  pace: { concurrency: 8 },
};

// Every event is told after it is on disk: what you count, a crash does not take back.
let ended = 0;
let tellHalf = () => {};
const halfway = new Promise<void>((resolve) => {
  tellHalf = resolve;
});
const { pace, finished } = await startMigration({
  ...options,
  onEvent(_record, { happens }) {
    if (happens === 'ended' && ++ended === 30) tellHalf();
  },
});

await halfway;
// What the terminal shows, as data; and a hand on the pace, as `data-import set` and `pause` have it.
pace.set({ concurrency: 4, processConcurrency: 1 });
const { state, concurrency, process } = pace.status();
console.log(`${state}, at most ${concurrency.most} calls and ${process.most} that processes`);
pace.pause('lunch');
console.log(pace.status().state, pace.status().reason);
pace.resume();

// What is under way ends, nothing new begins. An `AbortSignal` in `signal` would break it off instead.
pace.drain();
const first = await finished;
console.log(first.state, first.summary.created < 63 ? 'before its end' : 'too late');

const { finished: rest } = await startMigration(options);
const { summary } = await rest;
console.log(summary.balance.text);
await folder.remove();
await stop();
