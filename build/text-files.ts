/** Exports `textFiles`, a plugin of the build that puts the text of a file into the module that reads it: the package has no such files. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Plugin } from 'esbuild';

const MODULES = /[\\/](?:html[\\/]document|init[\\/](?:project-files|mapping-text)|options[\\/]help)\.ts$/;
const READ = /readFileSync\(new URL\('([^']+)', import\.meta\.url\), 'utf8'\)/g;

export const textFiles: Plugin = {
  name: 'text-files',
  setup({ onLoad }) {
    onLoad({ filter: MODULES }, ({ path }) => {
      const textOf = (name: string) => JSON.stringify(readFileSync(join(dirname(path), name), 'utf8'));
      const contents = readFileSync(path, 'utf8').replace(READ, (_, name: string) => textOf(name));
      return { contents, loader: 'ts' };
    });
  },
};
