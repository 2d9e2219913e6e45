/**
 * Generates `bench/generated/client.mjs` from `dist/openapi.json` with @hey-api/openapi-ts, its fetch client and its zod
 * validators, and bundles it as plain JavaScript, so that no loader affects the measurement.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createClient } from '@hey-api/openapi-ts';
import { build } from 'esbuild';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

await createClient({
  input: at('../../dist/openapi.json'),
  output: at('../generated'),
  plugins: [
    '@hey-api/client-fetch',
    '@hey-api/typescript',
    // The document's datetimes may have an offset.
    { name: 'zod', dates: { offset: true } },
    { name: '@hey-api/sdk', validator: true },
  ],
  logs: { level: 'error' },
});
writeFileSync(at('../generated/all.ts'), "export * from './sdk.gen';\nexport { createClient } from './client';\n");
await build({
  entryPoints: [at('../generated/all.ts')],
  outfile: at('../generated/client.mjs'),
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  logLevel: 'error',
});
