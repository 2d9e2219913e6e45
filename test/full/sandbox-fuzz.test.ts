/** 50,000 requests of every kind, and 2,000 over sockets (FC_SEED repeats a run). */
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { createSandbox } from '../../src/sandbox/index.js';
import { seed } from '../helpers/seed.js';
import {
  A_SEQUENCE,
  expectValidState,
  survivesAnything,
  survivesAnythingByAnyChoice,
} from '../sandbox/fuzz/fuzz-property.js';
import { expectAnswerBySocket, rawRequest } from '../sandbox/fuzz/fuzz-sockets.js';

const limits = { seed, endOnFailure: true };

test('C1, I1, I2 25,000 requests of every kind are answered, without 5xx, and leave a valid state', async () => {
  await fc.assert(survivesAnything, { ...limits, numRuns: 25_000 / A_SEQUENCE });
});

test('C1, I1, I2 so are 25,000 more with random settings and faults, with 5xx only from faults', async () => {
  await fc.assert(survivesAnythingByAnyChoice, { ...limits, numRuns: 25_000 / A_SEQUENCE });
});

test('C1 2,000 requests over sockets are answered or closed, without 5xx, and the server continues', async () => {
  const sandbox = createSandbox({ logLimit: 10 });
  const server = await sandbox.listen();
  onTestFinished(() => server.close());
  const answers = { none: 0, node: 0, sandbox: 0 };
  const property = fc.asyncProperty(rawRequest, async (bytes) => {
    answers[await expectAnswerBySocket(server, sandbox, bytes)]++;
  });
  await fc.assert(property, { ...limits, numRuns: 2000 });
  expect(answers.sandbox).toBeGreaterThan(1000);
  await expectValidState(sandbox);
  const url = `${server.url}/v1/data-import/all-account-import-processes/SANDBOX_SUPPLIER/`;
  expect((await fetch(url, { headers: { Authorization: `Token ${sandbox.token}` } })).status).toBe(200);
});
