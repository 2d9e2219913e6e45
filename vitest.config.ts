import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^data-import-sdk$/, replacement: at('src/index.ts') },
      { find: /^data-import-sdk\/schemas$/, replacement: at('schemas/index.ts') },
      { find: /^data-import-sdk\/sandbox$/, replacement: at('src/sandbox/index.ts') },
      { find: /^data-import-sdk\/msw$/, replacement: at('src/sandbox/msw.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/package/**', 'test/full/**'],
    // Generous: a busy machine is no failure. Nothing waits for it.
    testTimeout: 30_000,
    restoreMocks: true,
    unstubGlobals: true,
    coverage: {
      provider: 'v8',
      include: ['schemas/**', 'src/**'],
      exclude: ['test/**'],
      reporter: ['text-summary', 'text'],
      thresholds: { lines: 95 },
    },
  },
});
