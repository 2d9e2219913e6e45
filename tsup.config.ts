import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import { build } from 'esbuild';
import { defineConfig } from 'tsup';
import { payloadJsonSchemas } from './schemas/json-schema.js';
import { openApiDocument } from './schemas/openapi.js';

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    schemas: 'schemas/index.ts',
    sandbox: 'src/sandbox/index.ts',
    msw: 'src/sandbox/msw.ts',
    migration: 'src/migration/index.ts',
    cli: 'src/cli/index.ts',
  },
  format: ['esm', 'cjs'],
  target: 'node20',
  platform: 'node',
  splitting: true,
  // With the sources in them: node --enable-source-maps then shows the lines as they were written.
  sourcemap: true,
  clean: true,
  // For import.meta.url in CommonJS: the console's files lie beside the bundle.
  shims: true,
  // tsup sets baseUrl, which TypeScript 6 deprecates.
  dts: { compilerOptions: { ignoreDeprecations: '6.0' } },
  onSuccess: async () => {
    await writeSchemas();
    await copyConsole();
    await bundleThread();
    await takePathsOutOfMaps();
  },
});

/** The contract for other languages and tools: an OpenAPI document, and a JSON Schema for each payload. */
async function writeSchemas(): Promise<void> {
  await mkdir('dist/json-schema', { recursive: true });
  await writeFile('dist/openapi.json', `${JSON.stringify(openApiDocument(), null, 2)}\n`);
  for (const [name, schema] of Object.entries(payloadJsonSchemas())) {
    await writeFile(`dist/json-schema/${name}.json`, `${JSON.stringify(schema, null, 2)}\n`);
  }
}

/** The console of the sandbox's server is served as it is written. */
async function copyConsole(): Promise<void> {
  await cp('src/sandbox/console', 'dist/console', { recursive: true, filter: (path) => !path.endsWith('.json') });
}

/** The ledger's thread is started by its file's name, from wherever the code that starts it was bundled to. */
async function bundleThread(): Promise<void> {
  await build({
    entryPoints: ['src/migration/ledger/sqlite-thread.mjs'],
    outfile: 'dist/sqlite-thread.mjs',
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: ['@photostructure/sqlite'],
  });
}

/** tsup's maps of CommonJS name the file that they belong to by its whole path on the machine that built it. */
async function takePathsOutOfMaps(): Promise<void> {
  const withoutFolder = (path: string) => (isAbsolute(path) ? basename(path) : path);
  for (const name of await readdir('dist')) {
    if (!name.endsWith('.cjs.map')) continue;
    const path = join('dist', name);
    const map = JSON.parse(await readFile(path, 'utf8')) as { file: string; sources: string[] };
    const tidy = { ...map, file: withoutFolder(map.file), sources: map.sources.map(withoutFolder) };
    await writeFile(path, JSON.stringify(tidy));
  }
}
