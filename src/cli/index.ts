#!/usr/bin/env node
/** The executable `data-import-sdk`: checks the version of Node.js, then loads and runs the program. */
import { setFlagsFromString } from 'node:v8';
import { messageOf } from './shared/errors.js';
import { EXIT } from './shared/exit-codes.js';
import { wrongNode } from './shared/node-version.js';

/**
 * V8 lets the heap grow to four times what is reachable before it collects garbage. With half as much again, a run needs less memory, and no
 * more CPU (decision 11). The newest version of V8 that is known to have the flag is that of Node.js 24: one without it would print an error.
 */
const HEAP_GROWTH = { flag: '--heap-growing-percent=50', newestV8: 13 };

/** Long enough to export traces. */
const WAIT_FOR_WORK_MS = 10_000;

const wrong = wrongNode(process.versions.node);
if (wrong === undefined) {
  if (Number.parseInt(process.versions.v8, 10) <= HEAP_GROWTH.newestV8) setFlagsFromString(HEAP_GROWTH.flag);
  // Loaded after the check: an older Node.js may fail to load it.
  void import('./program.js').then(async ({ runProgram }) => {
    const code = await runProgram(process.argv.slice(2));
    process.exitCode = code;
    // Node.js aborts at its end if its terminal has been closed. The signal ends it with the same code for a shell.
    if (code === EXIT.hungUp && hasTerminal()) process.once('exit', () => process.kill(process.pid, 'SIGHUP'));
    // Work that a signal interrupted, such as a query, may still be running.
    if (code >= EXIT.hungUp) setTimeout(() => process.exit(), WAIT_FOR_WORK_MS).unref();
  });
  // A file of the package, or the HTTP client of Node.js, could not be loaded. Other errors keep their stack.
  process.on('uncaughtExceptionMonitor', (error) => {
    const message = messageOf(error);
    if (message === error?.message) return;
    process.stderr.write(`data-import-sdk: ${message}\n`);
    process.exit(EXIT.internal);
  });
} else {
  process.stderr.write(`${wrong}\n`);
  process.exitCode = EXIT.usage;
}

/** As the streams were at first: a closed terminal is none any more. */
function hasTerminal(): boolean {
  return [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
}
