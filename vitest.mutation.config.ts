import { defineConfig } from 'vitest/config';

/** The suite of the sandbox in process, for mutation testing of its rules (stryker.config.mjs). */
export default defineConfig({
  test: {
    include: ['test/sandbox/**/*.test.ts'],
    exclude: [
      'test/sandbox/{admin,fuzz,model}/**',
      'test/sandbox/server/{listen,msw,transcript}.test.ts',
      'test/sandbox/state/state-file.test.ts',
      'test/sandbox/reference.test.ts',
      'test/sandbox/calls/concurrency-{without-lock,orders}.test.ts',
    ],
    isolate: false,
    testTimeout: 30_000,
  },
});
