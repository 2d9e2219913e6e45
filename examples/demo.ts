/**
 * The main job, from end to end, as it is typed: `data-import sample` writes a book, `data-import run --sandbox` carries
 * it into a sandbox inside the same process, over HTTP. Run: npm run demo
 */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../src/cli/program.js';

const folder = await mkdtemp(join(tmpdir(), 'data-import-demo-'));
const [book, runFolder] = [join(folder, 'book.jsonl'), join(folder, 'run')];

console.log(`data-import sample > ${book}`);
let lines = '';
await runProgram(['sample'], {
  out(text) {
    lines += text;
  },
});
await writeFile(book, lines);

console.log(`data-import run ${book} --sandbox --run ${runFolder}\n`);
const code = await runProgram(['run', book, '--sandbox', '--run', runFolder]);

// 3: at its end, and something was rejected. The sample book has mistakes, so anything else is wrong.
const SOMETHING_REJECTED = 3;
if (code === SOMETHING_REJECTED) {
  console.log(`\nThe sample book has mistakes on purpose: these records were to be rejected, and nothing else was.
Exit code of the run: ${code}. Open the report in a browser; beside it are rejected.jsonl, ok.csv and audit.log.`);
}
process.exitCode = code === SOMETHING_REJECTED ? 0 : code || 1;
