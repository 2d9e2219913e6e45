#!/usr/bin/env node
/** The executable `data-import-sdk`: checks the version of Node.js, then loads and runs the program. */
import { EXIT } from './shared/exit-codes.js';
import { wrongNode } from './shared/node-version.js';

/** Long enough to export traces. */
const WAIT_FOR_WORK_MS = 10_000;

const wrong = wrongNode(process.versions.node);
if (wrong === undefined) {
  // Loaded after the check: an older Node.js may fail to load it.
  void import('./program.js').then(async ({ runProgram }) => {
    const code = await runProgram(process.argv.slice(2));
    process.exitCode = code;
    // Node.js aborts at its end if its terminal has been closed. The signal ends it with the same code for a shell.
    if (code === EXIT.hungUp && hasTerminal()) process.once('exit', () => process.kill(process.pid, 'SIGHUP'));
    // Work that a signal interrupted, such as a query, may still be running.
    if (code >= EXIT.hungUp) setTimeout(() => process.exit(), WAIT_FOR_WORK_MS).unref();
  });
} else {
  process.stderr.write(`${wrong}\n`);
  process.exitCode = EXIT.usage;
}

/** As the streams were at first: a closed terminal is none any more. */
function hasTerminal(): boolean {
  return [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
}
