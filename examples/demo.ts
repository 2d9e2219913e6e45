/**
 * Runs the two commands of a first rehearsal: `data-import-sdk sample` writes an input, and `data-import-sdk run --sandbox`
 * imports it over HTTP into a sandbox in the same process. Run: npm run demo
 */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../src/cli/program.js';

const folder = await mkdtemp(join(tmpdir(), 'data-import-demo-'));
const [input, runFolder] = [join(folder, 'input.jsonl'), join(folder, 'run')];

console.log(`data-import-sdk sample > ${input}`);
let lines = '';
await runProgram(['sample'], {
  out(text) {
    lines += text;
  },
});
await writeFile(input, lines);

console.log(`data-import-sdk run ${input} --sandbox --run ${runFolder}\n`);
const code = await runProgram(['run', input, '--sandbox', '--run', runFolder]);

// 3: the run finished and rejected records. The sample has mistakes, so any other code is an error.
const SOMETHING_REJECTED = 3;
if (code === SOMETHING_REJECTED) {
  console.log(`\nThe sample has mistakes on purpose: the run rejected these records and no others.
Exit code of the run: ${code}. Open the report in a browser; its folder also has rejected.jsonl, ok.csv and audit.log.`);
}
process.exitCode = code === SOMETHING_REJECTED ? 0 : code || 1;
