import { defineConfig } from 'vitest/config';
import { temporaryFolderInMemory } from './test/helpers/folder-in-memory.js';
import base from './vitest.config.js';

/** These keep both cores busy by themselves, look at how long something takes, or have the port of the documents. */
const ALONE = [
  'test/full/{console-lists,distributed-delays,lost-answers,next-commands-walk,nothing-left,readme-sequence,run-kills}.test.ts',
];

/** The long suites: the packed package as a user gets it, lost answers by the thousand, properties. Needs a built package (`npm run build`). */
export default defineConfig({
  ...base,
  test: {
    // As under `npm run`: commands print how they were called.
    // Packages are installed there, by several suites at a time.
    env: { npm_command: 'run-script', ...temporaryFolderInMemory(8) },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'three at a time',
          include: ['test/package/**/*.test.ts', 'test/full/**/*.test.ts'],
          exclude: ALONE,
          // Of most suites half the time is waiting: for leases, restarts, browsers.
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: ALONE, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
