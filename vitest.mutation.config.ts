import { defineConfig } from 'vitest/config';
import { keptThread } from './test/helpers/kept-thread.js';

/** The suite of the sandbox in process, for mutation testing of its rules (stryker.config.mjs). */
export default defineConfig({
  plugins: [keptThread],
  test: {
    include: ['test/sandbox/**/*.test.ts'],
    exclude: [
      'test/sandbox/{admin,fuzz,model}/**',
      'test/sandbox/server/{listen,msw,transcript}.test.ts',
      // Long, and about what is around the rules: of a mutant that survives, all tests of it run.
      'test/sandbox/state/{invariants,state-file}.test.ts',
      'test/sandbox/server/router.test.ts',
      'test/sandbox/calls/{faults,request-log}.test.ts',
      'test/sandbox/reference.test.ts',
      // The same tests by other ways.
      'test/sandbox/ways/**',
    ],
    isolate: false,
    setupFiles: ['test/helpers/no-mutant.ts'],
    tags: [{ name: 'long' }],
    testTimeout: 30_000,
  },
});
