/** docs/monitoring.md names the flags and the metrics that there are. */
import { expect, test } from 'vitest';
import { commandsFor, INERT_CONTEXT } from '../../src/cli/commands.js';
import { createMetrics } from '../../src/cli/monitoring/metrics.js';
import { textOf } from './documents.js';

const text = textOf('docs/monitoring.md');

test('every flag in it is one of run, retry or worker', async () => {
  const commands = await Promise.all(['run', 'retry', 'worker'].map((name) => commandsFor([name], INERT_CONTEXT)));
  const known = new Set(commands.flat().flatMap(({ options }) => options.map(({ long }) => long)));
  const named = [...text.matchAll(/`data-import-sdk [^`]*?(?<![\w-])(--[a-z][a-z-]*)|`(--[a-z][a-z-]*)/g)].map(
    ([, inCommand, other]) => inCommand ?? other,
  );
  expect(named.length).toBeGreaterThan(2);
  expect(named.filter((flag) => !known.has(flag))).toEqual([]);
});

test('every documented metric exists, and every metric is documented', async () => {
  const client = { on: () => () => {} };
  const metrics = await createMetrics({ client, status: () => undefined, isDistributed: true });
  const served = [...((await metrics?.text()) ?? '').matchAll(/^# TYPE (data_import_\w+)/gm)].map(([, name]) => name);
  metrics?.close();
  const documented = [...text.matchAll(/`(data_import_\w+)[`{]/g)].map(([, name]) => name);
  expect(served.length).toBe(11);
  expect([...new Set(documented)].sort()).toEqual(served.sort());
});

test('the module for OpenTelemetry exports the remaining spans when the program ends', () => {
  const [, module = ''] = text.split('// otel.mjs');
  expect(module.split('```')[0]).toContain("process.once('beforeExit', () => sdk.shutdown());");
});
