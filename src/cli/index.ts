#!/usr/bin/env node
/** The command `data-import`. */
import { runProgram } from './program.js';

void runProgram(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
