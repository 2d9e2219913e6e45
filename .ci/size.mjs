/**
 * Prints the lines of code of each part of `src`: lines with at least one token that is no comment. With a folder as the argument, of each folder
 * inside of it: `npm run size -- src/migration`.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

const root = process.argv[2] ?? 'src';

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path);
    return /\.(ts|tsx|mjs)$/.test(entry.name) ? [path] : [];
  });
}

function linesOfCode(path) {
  const text = readFileSync(path, 'utf8');
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false);
  const lines = new Set();
  const visit = (node) => {
    const children = node.getChildren(file);
    if (children.length > 0) {
      for (const child of children) visit(child);
      return;
    }
    if (node.end === node.pos || ts.isJSDoc(node)) return;
    const [first, last] = [node.getStart(file), node.end].map((at) => file.getLineAndCharacterOfPosition(at).line);
    for (let line = first; line <= last; line++) lines.add(line);
  };
  visit(file);
  return lines.size;
}

const parts = new Map();
for (const path of filesIn(root)) {
  const [part = ''] = relative(root, path).split('/');
  const name = statSync(join(root, part)).isDirectory() ? part : '(files)';
  const { files, lines } = parts.get(name) ?? { files: 0, lines: 0 };
  parts.set(name, { files: files + 1, lines: lines + linesOfCode(path) });
}
const rows = [...parts].sort(([, one], [, other]) => other.lines - one.lines);
const all = rows.reduce((sum, [, { files, lines }]) => ({ files: sum.files + files, lines: sum.lines + lines }), {
  files: 0,
  lines: 0,
});
const print = (name, { files, lines }) =>
  console.log(`${name.padEnd(24)}${lines.toLocaleString('en-US').padStart(8)} lines${String(files).padStart(6)} files`);
for (const [name, part] of rows) print(name, part);
print(root, all);
