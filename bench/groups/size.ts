/** Measures the minified size of the client without its dependencies, and of a consumer's bundle. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import type { Figure } from '../frame/figures.js';
import { ROOT } from '../frame/installed.js';
import type { Sheet } from '../frame/sheet.js';

const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
);

export async function measure(sheet: Sheet<'size'>): Promise<void> {
  const [client, bundle] = [await bundled(Object.keys(dependencies)), await bundled([])];
  sheet.fill('client', () => kilobytes(client));
  sheet.fill('client gzip', () => kilobytes(gzipSync(client)));
  sheet.fill('bundle', () => kilobytes(bundle));
  sheet.fill('bundle gzip', () => kilobytes(gzipSync(bundle)));
}

async function bundled(external: string[]): Promise<Uint8Array> {
  const { outputFiles } = await build({
    // The package name resolves to this project.
    stdin: { contents: "export { DataImportClient } from 'data-import-sdk';", resolveDir: ROOT },
    bundle: true,
    platform: 'node',
    format: 'esm',
    minify: true,
    write: false,
    external,
  });
  return outputFiles[0]?.contents ?? new Uint8Array();
}

function kilobytes(bytes: Uint8Array): Figure {
  return { value: bytes.length === 0 ? Number.NaN : bytes.length / 1000 };
}
