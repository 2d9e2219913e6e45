import { defineConfig } from 'vitest/config';
import base from './vitest.config.js';

/** The long suites: the packed package as a user gets it, lost answers by the thousand, properties. Needs a built package (`npm run build`). */
export default defineConfig({
  ...base,
  test: {
    include: ['test/package/**/*.test.ts', 'test/full/**/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
});
