/** What the declarations of each entry point promise exists at run time, for ESM and for CommonJS, and every resolution finds it. */
import { join } from 'node:path';
import { build } from 'esbuild';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { emptyFolder, outcome, pack, root, run, write } from './consumer.js';

const { folder, remove } = emptyFolder();

const ENTRIES = [
  ...['data-import-sdk', 'data-import-sdk/schemas', 'data-import-sdk/sandbox', 'data-import-sdk/msw'],
  ...['data-import-sdk/migration', 'data-import-sdk/mapping', 'data-import-sdk/opentelemetry'],
];

beforeAll(() => {
  write(folder, { 'package.json': JSON.stringify({ name: 'exports', private: true }) });
  run(
    folder,
    'npm',
    'install',
    '--no-audit',
    '--no-fund',
    pack(folder),
    '@types/node@20',
    'msw@2',
    '@opentelemetry/api@1',
  );
});

afterAll(remove);

/** Returns the values that the declarations of each entry point export, as TypeScript sees them from a file with this extension. */
function declaredValues(extension: 'mts' | 'cts'): string[][] {
  const file = join(folder, `entries.${extension}`);
  write(folder, {
    [`entries.${extension}`]: ENTRIES.map((entry, i) => `import * as e${i} from '${entry}';`).join('\n'),
  });
  const program = ts.createProgram([file], {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    noEmit: true,
  });
  const checker = program.getTypeChecker();
  const imports = program.getSourceFile(file)?.statements.filter(ts.isImportDeclaration) ?? [];
  return imports.map(({ moduleSpecifier }) => {
    const module = checker.getSymbolAtLocation(moduleSpecifier);
    if (module === undefined) throw new Error(`no declarations: ${moduleSpecifier.getText()}`);
    return checker
      .getExportsOfModule(module)
      .filter((symbol) => isValue(checker, symbol))
      .map(({ name }) => name)
      .sort();
  });
}

function isValue(checker: ts.TypeChecker, symbol: ts.Symbol): boolean {
  const isTypeOnly = symbol.declarations?.some(ts.isTypeOnlyImportOrExportDeclaration) ?? false;
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  return !isTypeOnly && (target.flags & ts.SymbolFlags.Value) !== 0;
}

function existingValues(code: string, file: string): string[][] {
  write(folder, { [file]: code });
  return JSON.parse(run(folder, 'node', file));
}

describe('each value in the declarations exists at run time, and each value at run time is declared', () => {
  test('in ESM', () => {
    const code = `const names = [];
      for (const entry of ${JSON.stringify(ENTRIES)}) names.push(Object.keys(await import(entry)).sort());
      console.log(JSON.stringify(names));`;
    expect(declaredValues('mts')).toEqual(existingValues(code, 'values.mjs'));
  });

  test('in CommonJS', () => {
    const code = `const names = ${JSON.stringify(ENTRIES)}.map((entry) => Object.keys(require(entry)).sort());
      console.log(JSON.stringify(names));`;
    expect(declaredValues('cts')).toEqual(existingValues(code, 'values.cjs'));
  });
});

test.each(['mjs', 'cjs'])(
  'each exported class has its name, as Node prints it for an error that is not caught: %s',
  (extension) => {
    const modules = extension === 'mjs' ? 'await import(entry)' : 'require(entry)';
    const code = `const names = [];
    for (const entry of ${JSON.stringify(ENTRIES)}) {
      for (const [name, value] of Object.entries(${modules})) {
        const isClass = typeof value === 'function' && Function.prototype.toString.call(value).startsWith('class');
        if (isClass) names.push([name, value.name]);
      }
    }
    console.log(JSON.stringify(names));`;
    write(folder, { [`classes.${extension}`]: code });
    const found: string[][] = JSON.parse(run(folder, 'node', `classes.${extension}`));
    expect(found.length).toBeGreaterThan(20);
    for (const [exported, name] of found) expect(name).toBe(exported);
  },
);

test('an older resolution of modules finds the types of every entry point', () => {
  const lines = ENTRIES.map((entry, i) => `import * as e${i} from '${entry}';\nexport const v${i} = e${i};`);
  write(folder, {
    'older.ts': `${lines.join('\n')}
      import { accountSchema } from 'data-import-sdk/schemas';
      // @ts-expect-error a number
      accountSchema.shape.external_account_number.parse('A-1') satisfies number;`,
  });
  const options = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--target',
    'es2022',
    '--types',
    'node',
    '--esModuleInterop',
  ];
  const resolution = ['--module', 'commonjs', '--moduleResolution', 'node10', '--ignoreDeprecations', '6.0'];
  const tsc = join(root, 'node_modules/.bin/tsc');
  expect(outcome(folder, tsc, ...options, ...resolution, 'older.ts')).toEqual({ ok: true, output: '' });
});

const bundleOf = async (code: string, ...external: string[]) => {
  write(folder, { 'entry.mjs': code });
  const { outputFiles, metafile } = await build({
    entryPoints: [join(folder, 'entry.mjs')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    minify: true,
    write: false,
    metafile: true,
    external,
    logLevel: 'error',
  });
  return {
    text: outputFiles[0]?.text ?? '',
    files: Object.keys(metafile.inputs).filter((name) => name.includes('/dist/')),
  };
};

describe('a bundle has only what is used of', () => {
  test('a value list: not Zod', async () => {
    const { text } = await bundleOf(
      "import { TRANSACTION_TYPES } from 'data-import-sdk/schemas'; console.log(TRANSACTION_TYPES);",
    );
    expect(text).toContain('SUPPLY_CHARGE');
    expect(text.length).toBeLessThan(200);
  });

  test('isKnownStatus of the main entry point: not Zod', async () => {
    const { text } = await bundleOf(
      "import { isKnownStatus } from 'data-import-sdk'; console.log(isKnownStatus('PENDING'));",
    );
    expect(text.length).toBeLessThan(300);
  });

  test('a local check: not the calls of the client', async () => {
    const client = await bundleOf("export { DataImportClient } from 'data-import-sdk';", 'zod', 'undici', 'p-retry');
    expect(client.text).toContain('data-import request');
    const { text } = await bundleOf("export { validateAccount } from 'data-import-sdk';", 'zod');
    expect(text).not.toContain('data-import request');
  });
});

test('the client consists of few files, because each takes time to load', async () => {
  const { files } = await bundleOf("export * from 'data-import-sdk';", 'zod', 'undici', 'p-retry');
  expect(files.length).toBeLessThan(20);
});
