/** Task: watch a run from your own code, slow it down, stop it gently, and go on later. */
import { inputFromRecords, type MigrationOptions, sampleRecords, startMigration } from 'data-import-sdk/migration';
import { SANDBOX_TEAM } from 'data-import-sdk/sandbox';
import { newFolder } from './run-folder.js';
import { startSandbox } from './sandbox-client.js';

const { client, stop } = await startSandbox();
const folder = await newFolder();
const input = inputFromRecords([...sampleRecords({ accounts: 60, mistakes: 0 })].map(({ line }) => JSON.parse(line)));
const options: MigrationOptions = {
  client,
  input,
  folder: folder.path,
  team: SANDBOX_TEAM,
  throttle: { concurrency: 8 },
};

// Every event is told after it is on disk: what you count, a crash does not take back.
let ended = 0;
let tellHalf = () => {};
const halfway = new Promise<void>((resolve) => {
  tellHalf = resolve;
});
const { throttle, finished } = await startMigration({
  ...options,
  onEvent(_record, { type }) {
    if (type === 'ended' && ++ended === 30) tellHalf();
  },
});

await halfway;
// What the terminal shows, as data; and a hand on the pace, as `data-import set` and `pause` have it.
throttle.set({ concurrency: 4, processConcurrency: 1 });
const { state, concurrency, process } = throttle.status();
console.log(`${state}, at most ${concurrency.most} calls and ${process.most} that processes`);
throttle.pause('lunch');
console.log(throttle.status().state, throttle.status().reason);
throttle.resume();

// What is under way ends, nothing new begins. An `AbortSignal` in `signal` would break it off instead.
throttle.drain();
const first = await finished;
console.log(first.state, first.summary.created < 63 ? 'before its end' : 'too late');

const { finished: rest } = await startMigration(options);
const { summary } = await rest;
console.log(summary.balance.text);
await folder.remove();
await stop();
