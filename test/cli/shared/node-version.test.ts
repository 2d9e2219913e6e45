import { expect, test } from 'vitest';
import { wrongNode } from '../../../src/cli/shared/node-version.js';

test.each([
  ['18.20.4', 'data-import-sdk: needs Node.js 20.19 or newer; this is Node.js 18.20.4.'],
  ['20.18.3', 'data-import-sdk: needs Node.js 20.19 or newer; this is Node.js 20.18.3.'],
  ['20.19.0', undefined],
  ['24.0.0', undefined],
])('Node.js %s: %s', (version, wrong) => {
  expect(wrongNode(version)).toBe(wrong);
});
