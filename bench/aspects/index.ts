/**
 * `npm run aspects`: compares this SDK with other SDKs by what a user sees: types, results, errors, logs, start. Installs them
 * in a temporary folder, prints the table, and writes it into docs/compatibility.md. Without a registry it ends with one line.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { type Contestant, contest } from '../frame/contest.js';
import { inFolder } from '../frame/figures.js';
import { installInto, ROOT } from '../frame/installed.js';
import { withTable } from '../frame/page.js';
import { expectBuilt } from '../frame/prepare.js';
import { SDKS, type Sdk, SNIPPETS } from './snippets.js';

const VERSIONS: Readonly<Record<Exclude<Sdk, 'data-import-sdk'>, string>> = {
  openai: '6.49.0',
  stripe: '23.1.0',
  '@octokit/rest': '22.0.1',
  ky: '1.14.3',
  '@notionhq/client': '5.26.0',
};

const PAGE = join(ROOT, 'docs/compatibility.md');
const ROUNDS = 7;
const MOST_MS = 60_000;

/** What calls.mjs prints. */
interface Calls {
  isBodyUnchanged: boolean;
  told: number;
  inStack: number;
  ways: number;
  lines: number;
  isTokenLogged: boolean;
  isTokenInError: boolean;
}

expectBuilt();
await inFolder(async (folder) => {
  installInto(folder);
  try {
    const peers = Object.entries(VERSIONS).map(([name, version]) => `${name}@${version}`);
    const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...peers];
    mkdirSync(join(folder, 'peers'));
    writeFileSync(join(folder, 'peers/package.json'), JSON.stringify({ private: true, type: 'module' }));
    execFileSync('npm', install, { cwd: join(folder, 'peers'), stdio: 'pipe' });
  } catch {
    console.log('aspects: skipped, because the other SDKs cannot be installed from the registry');
    return;
  }
  await compare(folder);
});

/** The peers are in a folder below, so that npm does not remove the links to this package. */
function folderOf(folder: string, sdk: Sdk): string {
  return sdk === 'data-import-sdk' ? folder : join(folder, 'peers');
}

async function compare(folder: string): Promise<void> {
  const compiled = compile(folder);
  const calls = new Map(SDKS.map((sdk) => [sdk, callsOf(folder, sdk)]));
  const starts = await startsOf(folder);
  const row = (what: string, cell: (sdk: Sdk) => string) => `| ${[what, ...SDKS.map(cell)].join(' | ')} |`;
  const call = (sdk: Sdk) => calls.get(sdk) as Calls;
  const table = [
    row('', (sdk) => (sdk === 'data-import-sdk' ? 'this SDK' : `${sdk} ${VERSIONS[sdk]}`)),
    row('---', () => '---'),
    row('wrong payloads that do not compile, of 4', (sdk) => `${compiled.payloads(sdk)}`),
    row('misspelt fields of answers that do not compile, of 3', (sdk) => `${compiled.answers(sdk)}`),
    row('exports of the types that do not exist at run time, ESM and CommonJS', (sdk) => `${compiled.missing(sdk)}`),
    row('Zod schemas of its payloads and answers', (sdk) => `${compiled.schemas(sdk)}`),
    row('an answer is the body that the service sent, also with unknown fields', (sdk) =>
      yes(call(sdk).isBodyUnchanged),
    ),
    row('failures with a code or a status, of 10', (sdk) => `${call(sdk).told}`),
    row('failures with the caller in their stack, of 10', (sdk) => `${call(sdk).inStack}`),
    row('a double of a method without a cast', (sdk) => yes(compiled.double(sdk))),
    row('lines that a call logs with `console` as the logger', (sdk) => `${call(sdk).lines}`),
    row('the token is in no error and no line', (sdk) => yes(!call(sdk).isTokenLogged && !call(sdk).isTokenInError)),
    row('import: time of the process over `node -e 0`', (sdk) => starts(sdk)),
  ].join('\n');
  console.log(table);
  const measured = `Measured by \`npm run aspects\` with Node ${process.versions.node} and TypeScript ${ts.version}.`;
  writeFileSync(PAGE, withTable(readFileSync(PAGE, 'utf8'), 'aspects', `${table}\n\n${measured}`));
}

function yes(is: boolean): string {
  return is ? 'yes' : 'no';
}

function callsOf(folder: string, sdk: Sdk): Calls {
  const at = folderOf(folder, sdk);
  copyFileSync(fileURLToPath(new URL('calls.mjs', import.meta.url)), join(at, 'calls.mjs'));
  const output = execFileSync(process.execPath, ['calls.mjs', sdk], {
    cwd: at,
    encoding: 'utf8',
    timeout: MOST_MS,
    stdio: 'pipe',
  });
  const calls: Calls = JSON.parse(output.trim().split('\n').at(-1) ?? '');
  console.log(sdk, JSON.stringify(calls));
  return calls;
}

/** Compiles each snippet as a file, all in one program, and returns what the compiler says. */
function compile(folder: string) {
  const files = new Map<string, string>();
  const pathOf = (sdk: Sdk, name: string) => join(folderOf(folder, sdk), `${sdk.replaceAll(/\W/g, '_')}-${name}.mts`);
  for (const sdk of SDKS) {
    const { head, payloads, answers, double } = SNIPPETS[sdk];
    const add = (name: string, code: string) => files.set(pathOf(sdk, name), `${head}\n${code}\nexport {};\n`);
    payloads.forEach((code, index) => {
      add(`payload-${index}`, code);
    });
    answers.forEach(([right, misspelt], index) => {
      add(`right-${index}`, right);
      add(`misspelt-${index}`, misspelt);
    });
    add('double', double);
    add('exports', `export * from '${sdk}';`);
  }
  for (const [path, code] of files) writeFileSync(path, code);
  const program = ts.createProgram([...files.keys()], {
    ...{
      noEmit: true,
      strict: true,
      skipLibCheck: true,
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules/@types')],
    },
    ...{
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
    },
  });
  const compiles = (sdk: Sdk, name: string) => {
    const file = program.getSourceFile(pathOf(sdk, name));
    if (file === undefined) throw new Error(`${sdk}: ${name} is not in the program`);
    return program.getSemanticDiagnostics(file).length === 0;
  };
  const indexes = [0, 1, 2];
  return {
    payloads(sdk: Sdk): number {
      if (!compiles(sdk, 'payload-0')) throw new Error(`${sdk}: the right payload does not compile`);
      return [1, 2, 3, 4].filter((index) => !compiles(sdk, `payload-${index}`)).length;
    },
    /** A right field that does not compile either is no check. */
    answers: (sdk: Sdk) =>
      indexes.filter((at) => compiles(sdk, `right-${at}`) && !compiles(sdk, `misspelt-${at}`)).length,
    double: (sdk: Sdk) => compiles(sdk, 'double'),
    missing: (sdk: Sdk) => missingOf(program, pathOf(sdk, 'exports'), folderOf(folder, sdk), sdk),
    schemas: (sdk: Sdk) =>
      namesOf(folderOf(folder, sdk), sdk === 'data-import-sdk' ? `${sdk}/schemas` : sdk, true).length,
  };
}

/** The values in the declarations of a package that its modules do not export. */
function missingOf(program: ts.Program, path: string, folder: string, sdk: Sdk): number {
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(path);
  const module = file && checker.getSymbolAtLocation(file);
  if (module === undefined) throw new Error(`${sdk}: its declarations are not found`);
  const declared = checker.getExportsOfModule(module).filter((symbol) => {
    const meant = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const isOnlyType = symbol.declarations?.some((declaration) => ts.isTypeOnlyExportDeclaration(declaration)) === true;
    return (meant.flags & ts.SymbolFlags.Value) !== 0 && !isOnlyType;
  });
  const exported = new Set(namesOf(folder, sdk, false));
  return declared.filter(({ name }) => !exported.has(name)).length;
}

/** The names that both import and, where a package has it, require find; `ofSchemas`: those of Zod schemas. */
function namesOf(folder: string, entry: string, ofSchemas: boolean): string[] {
  const script = `const all = await import('${entry}');
const names = Object.keys(all).filter((name) => !${ofSchemas} || all[name]?._zod !== undefined);
let required; try { required = (await import('node:module')).createRequire(process.cwd() + '/x.cjs')('${entry}'); } catch {}
console.log(JSON.stringify(names.filter((name) => required === undefined || name === 'default' || name in required)));`;
  const args = ['--input-type=module', '-e', script];
  return JSON.parse(
    execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', timeout: MOST_MS, stdio: 'pipe' }),
  );
}

/** Returns the cell of an SDK: the median of the ratios of the rounds. */
async function startsOf(folder: string): Promise<(sdk: Sdk) => string> {
  const timed = (at: string, script: string) => (): Contestant => ({
    turn() {
      const startedAt = performance.now();
      execFileSync(process.execPath, ['--input-type=module', '-e', script], {
        cwd: at,
        stdio: 'pipe',
        timeout: MOST_MS,
      });
      return { ms: performance.now() - startedAt };
    },
  });
  const contestants = Object.fromEntries(SDKS.map((sdk) => [sdk, timed(folderOf(folder, sdk), `import '${sdk}';`)]));
  const held = await contest(
    { bare: timed(folder, '0'), ...contestants },
    { rounds: ROUNDS, warmUps: 1, mostMs: 180_000 },
  );
  return (sdk) => held.ratio('ms', sdk, 'bare').value.toFixed(1);
}
