/**
 * Exports `mergeChunks`, which joins the files of the client. esbuild writes one for each set of entry points that share code, and each command
 * of the command line is an entry point: the client had 35 files, which took longer to load than to run.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type GetModuleInfo, rollup } from 'rollup';

/** A file that esbuild made of code that several others share, or of a module that is loaded on demand. */
const CHUNK = /-[A-Z\d]{8}\.js$/;

/**
 * What programs also use without the rest of the client, by the exports that have it: a bundle of one of these contains no other.
 */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  schemas: ['accountSchema'],
  checks: ['validateAccount'],
  records: ['checkRecords'],
  errors: ['ApiError', 'AbortedError', 'TokenError', 'isRefusal'],
};
/** They need parts of the client, and do not load the rest of it. */
const OTHER_MODULES = ['sandbox', 'mapping', 'opentelemetry'];

/** Writes the ES modules of the folder anew. */
export async function mergeChunks(folder: string): Promise<void> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const entries = files.filter((name) => !CHUNK.test(name)).map((name) => resolve(folder, name));
  const bundle = await rollup({ input: entries, external: (id) => !/^[./]/.test(id), treeshake: false });
  let groups: ReadonlyMap<string, string> | undefined;
  await bundle.write({
    dir: folder,
    format: 'es',
    entryFileNames: '[name].js',
    chunkFileNames: ({ name }) => `${name.replace(/-[A-Z\d]{8}$/, '')}-[hash].js`,
    minifyInternalExports: false,
    manualChunks(id, { getModuleIds, getModuleInfo }) {
      groups ??= groupsOf([...getModuleIds()], getModuleInfo, (name) => resolve(folder, `${name}.js`));
      return entries.includes(id) ? undefined : groups.get(id);
    },
  });
  await bundle.close();
  for (const name of files) if (CHUNK.test(name)) rmSync(join(folder, name));
}

/** Returns the name of the joined file of each file that the client loads. */
function groupsOf(
  ids: readonly string[],
  infoOf: GetModuleInfo,
  entry: (name: string) => string,
): ReadonlyMap<string, string> {
  const loadedBy = (id: string, found = new Set<string>()): Set<string> => {
    if (found.has(id)) return found;
    found.add(id);
    for (const imported of infoOf(id)?.importedIds ?? []) loadedBy(imported, found);
    return found;
  };
  const exporting = (name: string) =>
    ids.filter((id) => id !== entry('index') && id !== entry('schemas') && infoOf(id)?.exports?.includes(name));
  const parts = Object.entries(PARTS).map(
    ([name, exported]) => [name, exported.flatMap(exporting).map((id) => loadedBy(id))] as const,
  );
  const others = OTHER_MODULES.map((name) => loadedBy(entry(name)));
  const groups = new Map<string, string>();
  for (const id of loadedBy(entry('index'))) {
    const names = parts.filter(([, loaded]) => loaded.some((one) => one.has(id))).map(([name]) => name);
    const rest = others.some((loaded) => loaded.has(id)) ? 'shared' : 'client';
    // The help of the command line loads some of these files, and not zod.
    groups.set(id, `${names.join('-') || rest}${loadedBy(id).has('zod') ? '' : '-base'}`);
  }
  return groups;
}
