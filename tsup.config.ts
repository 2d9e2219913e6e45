import { rmSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { defineConfig, type Options } from 'tsup';
import { DOC_COMMENTS, docCommentsModule } from './build/doc-comments.js';
import { mergeChunks } from './build/merge-chunks.js';
import { textFiles } from './build/text-files.js';
import type * as Schemas from './schemas/index.js';
import { optionsOfAll } from './src/cli/commands.js';
import { configJsonSchema } from './src/cli/options/config-file.js';
import { profileJsonSchema } from './src/validation/profile.js';

/** What a program imports. The command line is no module to import, and there as ESM only. */
const MODULES = {
  index: 'src/index.ts',
  schemas: 'schemas/index.ts',
  sandbox: 'src/sandbox/index.ts',
  msw: 'src/sandbox/msw.ts',
  migration: 'src/migration/index.ts',
  mapping: 'src/migration/input/csv/mapping/index.ts',
  opentelemetry: 'src/http/opentelemetry/index.ts',
};

/** Separate files in the build: a bundle of a value list has neither the schemas nor Zod, a bundle of a local check no call of the client. */
const SEPARATE = { values: 'schemas/values.ts', validate: 'src/validation/validate.ts' };

/** Packages that are ESM only. Jest, and Node before 20.19, cannot `require` them, so that they are part of the CommonJS build. */
const ESM_ONLY = ['p-retry', 'p-limit', 'is-network-error', 'yocto-queue'];

const common: Options = {
  target: 'node20',
  platform: 'node',
  splitting: true,
  // Both builds write into it side by side, so that neither may empty it.
  clean: false,
  esbuildPlugins: [
    {
      name: 'doc-comments',
      setup: ({ onLoad }) => onLoad({ filter: DOC_COMMENTS }, () => ({ contents: docCommentsModule(), loader: 'js' })),
    },
    textFiles,
  ],
  plugins: [
    {
      name: 'without-paths',
      // esbuild writes the path of each source file before its code.
      renderChunk: (code) => ({ code: code.replace(/^\/\/ (?:src|schemas)\/.*\n/gm, '') }),
    },
  ],
  // tsup sets baseUrl, which TypeScript 6 deprecates.
  dts: { compilerOptions: { ignoreDeprecations: '6.0', stripInternal: true } },
};

rmSync('dist', { recursive: true, force: true });

export default defineConfig([
  {
    ...common,
    format: 'esm',
    entry: { ...MODULES, ...SEPARATE, cli: 'src/cli/index.ts' },
    dts: { ...(common.dts as object), entry: MODULES },
    onSuccess: async () => {
      await mergeChunks('dist');
      await writeSchemas();
      await copyConsole();
      await bundleThread();
    },
  },
  {
    ...common,
    format: 'cjs',
    entry: { ...MODULES, ...SEPARATE },
    dts: { ...(common.dts as object), entry: MODULES },
    noExternal: ESM_ONLY,
    // The conversion to CommonJS makes classes anonymous: an error that is not caught would be printed as `_class2`.
    keepNames: true,
    // For import.meta.url: the console's files lie beside the bundle.
    shims: true,
  },
]);

/** For other languages, tools and editors: an OpenAPI document, and JSON Schemas of payloads, records, config file and profile. */
async function writeSchemas(): Promise<void> {
  await mkdir('dist/json-schema', { recursive: true });
  // The built functions: the sources have no doc comments.
  const built = pathToFileURL('dist/schemas.js').href;
  const { openApiDocument, payloadJsonSchemas, recordJsonSchema } = (await import(built)) as typeof Schemas;
  // Without white space: programs and editors read them, and they are smaller by two fifths.
  await writeFile('dist/openapi.json', `${JSON.stringify(openApiDocument())}\n`);
  const schemas = {
    ...payloadJsonSchemas(),
    record: recordJsonSchema(),
    config: configJsonSchema(await optionsOfAll()),
    profile: profileJsonSchema(),
  };
  for (const [name, schema] of Object.entries(schemas)) {
    await writeFile(`dist/json-schema/${name}.json`, `${JSON.stringify(schema)}\n`);
  }
}

/** The console of the sandbox's server is served as it is written. */
async function copyConsole(): Promise<void> {
  await cp('src/sandbox/admin/console', 'dist/console', { recursive: true, filter: (path) => !path.endsWith('.json') });
}

/** The ledger's thread is started by its file's name, from wherever the code that starts it was bundled to. */
async function bundleThread(): Promise<void> {
  await build({
    entryPoints: ['src/migration/ledger/sqlite/sqlite-thread.mjs'],
    outfile: 'dist/sqlite-thread.mjs',
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: ['@photostructure/sqlite'],
  });
}
