/** Task: watch a run from your own code, slow it down, drain it, and resume it later. */
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

// Called after each event is durable, so a crash cannot revert what you have counted.
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
// The data that the terminal shows, and the controls of `data-import-sdk set` and `pause`.
throttle.set({ concurrency: 4, process: { most: 1 } });
const { state, concurrency, process } = throttle.status();
console.log(`${state}, at most ${concurrency.most} calls and ${process.most} that processes`);
throttle.pause('lunch');
console.log(throttle.status().state, throttle.status().reason);
throttle.resume();

// Records in flight finish, and no new one starts. An `AbortSignal` in `signal` would abort the calls in flight.
throttle.drain();
const first = await finished;
console.log(first.state, first.summary.created < 63 ? 'before its end' : 'too late');

const { finished: rest } = await startMigration(options);
const { summary } = await rest;
console.log(summary.balance.text);
await folder.remove();
await stop();
