import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { DOC_COMMENTS, docCommentsModule, docCommentsSources } from './build/doc-comments.js';
import { temporaryFolderInMemory } from './test/helpers/folder-in-memory.js';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Those that mock a module, or look at what a process has only once: what is loaded, what keeps it running. */
const BY_ITSELF = ['test/http/call/nothing-left.test.ts', 'test/http/transport/undici-loading.test.ts'];

const BEHIND_SERVERS = [
  'src/migration/ledger/postgres/*.ts',
  'src/migration/distributed/{join,ledger/*,state/state-row}.ts',
  'src/cli/distributed/{distributed-session,workers}.ts',
];

/** Short files with long tests: until Vitest has measured them it begins with the largest files, and these would begin last. */
const LONG_FOR_THEIR_SIZE = /\/(sandbox\/ways\/[\w-]+|sqlite\/sqlite-ledger)\.test\.ts$/;

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG_FOR_THEIR_SIZE.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  // As the build does.
  plugins: [
    {
      name: 'doc-comments',
      load: (id) => (DOC_COMMENTS.test(id) ? docCommentsModule() : undefined),
      // It depends on more files than its own.
      configureVitest: ({ experimental_defineCacheKeyGenerator: define }) =>
        define(({ id }) => (DOC_COMMENTS.test(id) ? docCommentsSources().join('\n') : undefined)),
    },
  ],
  resolve: {
    alias: [
      { find: /^typescript$/, replacement: at('test/helpers/typescript.ts') },
      { find: /^data-import-sdk$/, replacement: at('src/index.ts') },
      { find: /^data-import-sdk\/schemas$/, replacement: at('schemas/index.ts') },
      { find: /^data-import-sdk\/sandbox$/, replacement: at('src/sandbox/index.ts') },
      { find: /^data-import-sdk\/msw$/, replacement: at('src/sandbox/msw.ts') },
      { find: /^data-import-sdk\/migration$/, replacement: at('src/migration/index.ts') },
      { find: /^data-import-sdk\/mapping$/, replacement: at('src/migration/input/csv/mapping/index.ts') },
      { find: /^data-import-sdk\/opentelemetry$/, replacement: at('src/http/opentelemetry/index.ts') },
    ],
  },
  test: {
    projects: [
      { extends: true, test: { name: 'each file by itself', include: BY_ITSELF } },
      {
        extends: true,
        test: {
          name: 'once',
          include: ['test/!(package|full)/**/*.test.ts', 'examples/*.test.ts'],
          exclude: BY_ITSELF,
          // Loading the modules anew for each file took most of the time.
          isolate: false,
        },
      },
    ],
    // More than cores: a third of the time tests wait, for timers and for other threads.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // Generous: a busy machine is no failure. Nothing waits for it.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    // As under `npm test`, also for whoever types `npx vitest`: commands print how they were called.
    env: { npm_command: 'run-script', ...temporaryFolderInMemory(2) },
    restoreMocks: true,
    // In place of it the shuffling of --sequence.shuffle.
    ...(process.argv.some((word) => word.startsWith('--sequence')) ? {} : { sequence: { sequencer: LongFirst } }),
    // What a project has transformed, the others take, and the next run: by the content of the file.
    experimental: { fsModuleCache: true },
    unstubGlobals: true,
    tags: [{ name: 'long', description: 'takes a second or more: not in npm test, but in npm run test:full' }],
    coverage: {
      provider: 'v8',
      include: ['schemas/**', 'src/**'],
      // The console runs in a browser, and these need a PostgreSQL: test/full walks through them there.
      exclude: ['test/**', 'src/sandbox/admin/console/**', ...BEHIND_SERVERS],
      reporter: ['text-summary', 'text'],
      thresholds: { lines: 95 },
    },
  },
});
