/** Describes the machine and the versions, without which figures cannot be compared. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

const HERE = createRequire(import.meta.url);

/** Packages of this project whose versions affect the figures. */
const OWN = ['undici', 'zod', 'typescript', 'esbuild'];

export function machineLine(): string {
  const model = cpus()[0]?.model.trim() || 'an unnamed processor';
  const memory = Math.round(totalmem() / 2 ** 30);
  return (
    `${process.platform} ${process.arch}, ${model}, ${availableParallelism()} cores, ${memory} GiB; ` +
    `Node ${process.versions.node}, ${versionsOf(OWN)}`
  );
}

export function peersLine(): string {
  const list = fileURLToPath(new URL('../package.json', import.meta.url));
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(readFileSync(list, 'utf8'));
  return versionsOf(Object.keys(dependencies).filter((name) => !OWN.includes(name)));
}

function versionsOf(names: readonly string[]): string {
  return names.map((name) => `${name} ${versionOf(name)}`).join(', ');
}

/** Reads the file, because not every package exports its package.json. */
function versionOf(name: string): string {
  for (const folder of HERE.resolve.paths(name) ?? []) {
    try {
      return JSON.parse(readFileSync(`${folder}/${name}/package.json`, 'utf8')).version;
    } catch {
      // The package is not in this folder.
    }
  }
  return 'not installed';
}
