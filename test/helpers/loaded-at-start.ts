/** `loadedAtStart`: what Node.js loads with a module before it runs: its static imports, theirs, and so on. */
import { build } from 'esbuild';

interface Loaded {
  /** Paths of source files, such as `src/client.ts`. */
  files: string[];
  /** Packages of npm; without the modules of Node.js. */
  packages: string[];
}

export async function loadedAtStart(entry: string): Promise<Loaded> {
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    splitting: true,
    outdir: 'not-written',
    write: false,
    metafile: true,
  });
  const { outputs } = metafile;
  const chunks = new Set<string>();
  const packages = new Set<string>();
  const visit = (path: string) => {
    if (chunks.has(path)) return;
    chunks.add(path);
    for (const { path: imported, kind, external } of outputs[path]?.imports ?? []) {
      if (kind !== 'import-statement') continue;
      if (!external) visit(imported);
      else if (!imported.startsWith('node:')) packages.add(imported);
    }
  };
  const first = Object.keys(outputs).find((path) => outputs[path]?.entryPoint === entry);
  if (first === undefined) throw new Error(`${entry} is not in the bundle`);
  visit(first);
  const files = [...chunks].flatMap((path) => Object.keys(outputs[path]?.inputs ?? {}));
  return { files: files.sort(), packages: [...packages].sort() };
}
