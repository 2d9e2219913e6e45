#!/usr/bin/env node
/** The executable `data-import`: checks the version of Node.js, then loads and runs the program. */
import { EXIT } from './shared/exit-codes.js';
import { wrongNode } from './shared/node-version.js';

const wrong = wrongNode(process.versions.node);
if (wrong === undefined) {
  // Loaded after the check: an older Node.js may fail to load it.
  void import('./program.js').then(async ({ runProgram }) => {
    process.exitCode = await runProgram(process.argv.slice(2));
  });
} else {
  process.stderr.write(`${wrong}\n`);
  process.exitCode = EXIT.usage;
}
