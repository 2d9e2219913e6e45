#!/usr/bin/env node
/** The command `data-import`. */
import { EXIT } from './shared/exit-codes.js';
import { wrongNode } from './shared/node-version.js';

const wrong = wrongNode(process.versions.node);
if (wrong === undefined) {
  // Loaded only here: an older Node.js may not be able to.
  void import('./program.js').then(async ({ runProgram }) => {
    process.exitCode = await runProgram(process.argv.slice(2));
  });
} else {
  process.stderr.write(`${wrong}\n`);
  process.exitCode = EXIT.usage;
}
