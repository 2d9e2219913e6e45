/**
 * Mutation testing of the sandbox's rules. What a rule says, tests compare word by word; so its texts and literals, a
 * third of all mutants, are changed on demand only: `MUTANTS=all npm run test:mutation`.
 */
export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'vitest.mutation.config.ts' },
  mutate: ['src/sandbox/rules/**/*.ts'],
  mutator: {
    excludedMutations: process.env['MUTANTS'] === 'all' ? [] : ['ArrayDeclaration', 'ObjectLiteral', 'StringLiteral'],
  },
  reporters: ['clear-text', 'json'],
  jsonReporter: { fileName: 'coverage/mutation.json' },
  clearTextReporter: { reportTests: false, logTests: false },
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  concurrency: 2,
  thresholds: { high: 90, low: 80, break: 80 },
  tempDirName: 'coverage/.mutation',
};
