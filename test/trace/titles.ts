/** Every title of a test in the repository, read from the source: no test has to run for it. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export interface Title {
  /** From the root of the repository. */
  file: string;
  /** As written; `%s`, `$name` and `${…}` stand for what a case puts there. */
  own: string;
  /** With the titles of the groups around it: `group > own`. */
  full: string;
  /** What the placeholders can stand for: the texts and numbers written in the file and in those that it imports. */
  words: ReadonlySet<string>;
}

const TESTS = fileURLToPath(new URL('../', import.meta.url));
/** What the trace says about tests is no test of the service. */
const TRACE = join(TESTS, 'trace') + sep;
/** A title is an argument of the last call: `test.each(cases)(title, …)`. */
const TAKES_CASES = ['each', 'for', 'skipIf', 'runIf'];
const NEVER_RUNS = ['skip', 'todo'];

/** The titles below test/, also of files that hold the tests of several: a skipped test checks nothing and is left out. */
export function testTitles(): Title[] {
  return titlesOfFiles(
    readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
      .map((name) => join(TESTS, name))
      .filter((path) => path.endsWith('.ts') && !path.startsWith(TRACE))
      .sort(),
  );
}

/** The titles of these files. A placeholder in them stands for what is written in one of them. */
export function titlesOfFiles(paths: readonly string[]): Title[] {
  const sources = new Map(paths.map((path) => [path, parse(path)]));
  const wordsOf = onceForEach((path) => {
    const source = sources.get(path);
    return source === undefined ? [] : [...wordsIn(source)];
  });
  const wordsAround = onceForEach((path) => {
    const source = sources.get(path);
    return new Set([path, ...(source === undefined ? [] : importsOf(path, source))].flatMap(wordsOf));
  });

  return [...sources].flatMap(([path, source]) => {
    const file = relative(join(TESTS, '..'), path).split(sep).join('/');
    return titlesIn(source).map((groups) => ({
      file,
      own: groups.at(-1) ?? '',
      full: groups.join(' > '),
      // Few titles are asked for them.
      get words() {
        return wordsAround(path);
      },
    }));
  });
}

function onceForEach<Value>(compute: (path: string) => Value): (path: string) => Value {
  const known = new Map<string, Value>();
  return (path) => {
    const value = known.get(path) ?? compute(path);
    known.set(path, value);
    return value;
  };
}

function parse(path: string): ts.SourceFile {
  const options = { languageVersion: ts.ScriptTarget.ES2022, jsDocParsingMode: ts.JSDocParsingMode.ParseNone };
  return ts.createSourceFile(path, readFileSync(path, 'utf8'), options);
}

/** For each test the titles of its groups, and its own. */
export function titlesIn(source: ts.SourceFile): string[][] {
  const found: string[][] = [];
  const walk = (node: ts.Node, groups: readonly string[]): void => {
    const call = ts.isCallExpression(node) ? calledTest(node) : undefined;
    if (call?.neverRuns) return;
    const titles = call === undefined ? groups : [...groups, call.title];
    if (call !== undefined && !call.isGroup) found.push([...titles]);
    else ts.forEachChild(node, (child) => walk(child, titles));
  };
  walk(source, []);
  return found;
}

function calledTest({ expression, arguments: [title] }: ts.CallExpression) {
  const names = namesOf(expression);
  const [kind, last] = [names[0], names.at(-1)];
  if (title === undefined || kind === undefined || !['test', 'it', 'describe'].includes(kind)) return undefined;
  // `test.each(cases)` by itself: its argument is no title.
  if (ts.isPropertyAccessExpression(expression) && TAKES_CASES.includes(last ?? '')) return undefined;
  const text = textOf(title);
  if (text === undefined) return undefined;
  return { title: text, isGroup: kind === 'describe', neverRuns: names.some((name) => NEVER_RUNS.includes(name)) };
}

/** `test.each(cases)` is [test, each]; what begins with no name, as a regular expression does, has none. */
function namesOf(expression: ts.Expression): string[] {
  if (ts.isIdentifier(expression)) return [expression.text];
  if (ts.isCallExpression(expression)) return namesOf(expression.expression);
  if (ts.isTaggedTemplateExpression(expression)) return namesOf(expression.tag);
  if (!ts.isPropertyAccessExpression(expression)) return [];
  const before = namesOf(expression.expression);
  return before.length === 0 ? [] : [...before, expression.name.text];
}

function textOf(node: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `\${…}${literal.text}`).join('');
}

function wordsIn(source: ts.SourceFile): Set<string> {
  const words = new Set<string>();
  const walk = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isNumericLiteral(node)) words.add(node.text);
    // The cells of a table (test/helpers/rows.ts).
    if (ts.isNoSubstitutionTemplateLiteral(node)) for (const cell of node.text.split(/ \| |\n */)) words.add(cell);
    ts.forEachChild(node, walk);
  };
  walk(source);
  return words;
}

function importsOf(path: string, source: ts.SourceFile): string[] {
  return source.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) return [];
    return [join(dirname(path), statement.moduleSpecifier.text.replace(/\.js$/, '.ts'))];
  });
}
