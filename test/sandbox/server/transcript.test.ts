/** The same seed and the same calls: the same answers, headers, state and log, byte for byte, faults included. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSandbox, type FaultRule, type Sandbox, type SandboxSnapshot } from '../../../src/sandbox/index.js';
import { seed } from '../../helpers/seed.js';
import { type Command, OPTIONS, operate, requestOf, sequence } from '../model/model-commands.js';
import { BASE } from '../support/requests.js';

/** Every effect, some by lot, which is drawn from the seed and not from a clock. */
const FAULTS: readonly FaultRule[] = [
  { when: { probability: 0.1 }, effect: { status: 503, headers: { 'Retry-After': '1' } } },
  { when: { probability: 0.1 }, effect: 'drop', phase: 'afterCommit' },
  { match: { operation: 'notes.create' }, when: { probability: 0.3 }, effect: 'malformed' },
  { match: { account: 'A-1' }, when: { every: 5 }, effect: { latencyMs: 1000 } },
];

const open = () => createSandbox({ ...OPTIONS, faults: FAULTS, wait: async () => {} });

/** What came back for each command: status, headers and text, or why nothing did. */
async function run(sandbox: Sandbox, commands: readonly Command[]): Promise<string[]> {
  const transcript: string[] = [];
  const kept = {};
  for (const given of commands) {
    try {
      transcript.push(await runOne(sandbox, given, kept));
    } catch (error) {
      transcript.push(String(error));
    }
  }
  return transcript;
}

async function runOne(sandbox: Sandbox, given: Command, kept: object): Promise<string> {
  const sent = requestOf(given);
  if (sent === undefined) {
    operate(sandbox, given, kept);
    return 'done';
  }
  const headers = { Authorization: `Token ${sandbox.token}`, 'Content-Type': 'application/json' };
  const init = sent.body === undefined ? {} : { method: 'POST', body: JSON.stringify(sent.body) };
  const response = await sandbox.fetch(new Request(BASE + sent.path, { ...init, headers }));
  return `${response.status} ${JSON.stringify([...response.headers])} ${await response.text()}`;
}

const stateAndLog = (sandbox: Sandbox) => JSON.stringify([sandbox.snapshot(), sandbox.requests()]);

test('a fixed sequence of commands, twice in fresh sandboxes, has the same transcript, state and log', {
  tags: 'long',
}, async () => {
  const commands = fc.sample(sequence, { seed: 20_260_115, numRuns: 40 }).flat();
  const [one, other] = [open(), open()];
  const transcript = await run(one, commands);
  expect(await run(other, commands)).toEqual(transcript);
  expect(stateAndLog(other)).toBe(stateAndLog(one));
  // The sequence is worth its name: it met successes, refusals, each kind of fault, and calls that got no answer.
  const outcomes = new Set(transcript.map((line) => line.slice(0, 4)));
  expect([...outcomes].sort()).toEqual(['200 ', '201 ', '400 ', '404 ', '500 ', '503 ', 'Erro', 'Type', 'done']);
  expect(transcript.filter((line) => line === 'TypeError: fetch failed').length).toBeGreaterThan(10);
});

test('another seed gives other numbers and other faults', { tags: 'long' }, async () => {
  const commands = fc.sample(sequence, { seed: 20_260_115, numRuns: 40 }).flat();
  const other = createSandbox({ ...OPTIONS, faults: FAULTS, wait: async () => {}, seed: 'another' });
  expect(await run(other, commands)).not.toEqual(await run(open(), commands));
});

test('a snapshot, any commands, and the snapshot restored: the same state, and the same answers from there on', {
  tags: 'long',
}, async () => {
  const property = fc.asyncProperty(sequence, sequence, sequence, async (before, between, after) => {
    const [gone, stayed] = [open(), open()];
    for (const sandbox of [gone, stayed]) await run(sandbox, before);
    const file = JSON.stringify(gone.snapshot());
    await run(gone, between);
    gone.restore(JSON.parse(file) as SandboxSnapshot);
    expect(JSON.stringify(gone.snapshot())).toBe(file);
    expect(gone.state).toStrictEqual(stayed.state);
    expect(await run(gone, after)).toEqual(await run(stayed, after));
    expect(gone.state).toStrictEqual(stayed.state);
  });
  await fc.assert(property, { seed, numRuns: 50 });
});
