import { defineConfig } from 'vitest/config';

/** The suite of the sandbox in process, for mutation testing of its rules (stryker.config.mjs). */
export default defineConfig({
  test: {
    include: ['test/sandbox/**/*.test.ts'],
    exclude: [
      'test/sandbox/{http,msw,admin*,state-file,reference}.test.ts',
      'test/sandbox/concurrency-{without-lock,orders}.test.ts',
      'test/sandbox/{fuzz,fuzz-findings,transcript,model}.test.ts',
    ],
    isolate: false,
    testTimeout: 30_000,
  },
});
