/** What the package brings along, and what its own code may do: read from the lock file and from the sources. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Locked {
  integrity?: string;
  hasInstallScript?: boolean;
  optional?: boolean;
  os?: string[];
  dev?: boolean;
  devOptional?: boolean;
  peer?: boolean;
}

const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>;
};
const locked = Object.entries(packages).filter(([path]) => path !== '');

describe('the lock file', () => {
  // `complete-lockfile.mjs` adds the optional packages of other platforms without downloading them: only those have none.
  it('holds a SHA-512 of every package, but for optional ones of other platforms', () => {
    const unproved = locked.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
    expect(unproved.filter(([, { optional, os }]) => !(optional && os)).map(([path]) => path)).toEqual([]);
    const ofTheClient = unproved.filter(([, { dev, devOptional, peer }]) => !dev && !devOptional && !peer);
    expect(ofTheClient.map(([path]) => path)).toEqual([]);
  });

  it('names no registry, so that it cannot lead to another one than the user’s own', () => {
    expect(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).not.toContain('"resolved"');
  });

  it('no package that is needed to run has a script that runs when it is installed', () => {
    const needed = locked.filter(([, { dev, devOptional, peer }]) => !dev && !devOptional && !peer);
    expect(needed.map(([path]) => path)).toEqual(
      expect.arrayContaining(['node_modules/zod', 'node_modules/undici', 'node_modules/hono']),
    );
    expect(needed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path)).toEqual([]);
  });
});

describe('the package itself', () => {
  it('has no script that runs when it is installed', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const hooks = ['preinstall', 'install', 'postinstall', 'prepare', 'preuninstall', 'postuninstall'];
    expect(Object.keys(scripts).filter((name) => hooks.includes(name))).toEqual([]);
  });

  it('starts a process in two places of the command line, for --notify-command and certify, and evaluates no text as code', {
    tags: 'long',
  }, () => {
    expect(uses(isDangerous, /child_process|vm|cluster|eval|Function/)).toEqual([
      'src/cli/commands/certify.ts',
      'src/cli/monitoring/notify/notify-command.ts',
    ]);
  });

  it('starts threads in one place, from a separate file', { tags: 'long' }, () => {
    const starts = (node: ts.Node) => ts.isNewExpression(node) && node.expression.getText() === 'Worker';
    expect(uses(starts, /Worker/)).toEqual(['src/migration/ledger/sqlite/writer.ts']);
    const fromOwnFile = (node: ts.Node) =>
      starts(node) && /^new Worker\(new URL\('\.\/[\w.-]+', import\.meta\.url\)/.test(node.getText());
    expect(uses(fromOwnFile, /Worker/)).toEqual(['src/migration/ledger/sqlite/writer.ts']);
  });

  it('runs code that it is given in one place: mapping modules of --map, and modules named as an input', {
    tags: 'long',
  }, () => {
    const ofAnyModule = (node: ts.Node) => ts.isCallExpression(node) && isImport(node) && !isLiteral(node.arguments[0]);
    expect(uses(ofAnyModule, /import\s*\(|require/)).toEqual(['src/migration/input/load-module.ts']);
  });

  it('reads the environment only in the command line', () => {
    const isRead = (node: ts.Node) => ts.isPropertyAccessExpression(node) && node.getText().startsWith('process.env');
    const reads = uses(isRead, /process\.env/);
    expect(reads.filter((file) => !file.startsWith('src/cli/'))).toEqual([]);
    expect(reads).toContain('src/cli/open/connection.ts');
  });

  it('switches no check of certificates off', () => {
    expect(uses((node) => ts.isIdentifier(node) && node.text === 'rejectUnauthorized', /rejectUnauthorized/)).toEqual(
      [],
    );
  });
});

const STARTS = ['node:child_process', 'child_process', 'node:vm', 'vm', 'node:cluster'];

function isDangerous(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node)) return STARTS.includes((node.moduleSpecifier as ts.StringLiteral).text);
  if (ts.isCallExpression(node)) {
    const [first] = node.arguments;
    if (isImport(node) && first !== undefined && ts.isStringLiteral(first)) return STARTS.includes(first.text);
    return node.expression.getText() === 'eval';
  }
  return ts.isNewExpression(node) && node.expression.getText() === 'Function';
}

function isImport(node: ts.CallExpression): boolean {
  return node.expression.kind === ts.SyntaxKind.ImportKeyword || node.expression.getText() === 'require';
}

function isLiteral(node: ts.Node | undefined): boolean {
  return node !== undefined && ts.isStringLiteral(node);
}

/** The files of the sources in which anything is as asked: of those that have the word, since parsing all of them takes seconds. */
function uses(is: (node: ts.Node) => boolean, word: RegExp): string[] {
  return ['schemas', 'src']
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(ts|js)$/.test(name))
        .map((name) => join(folder, name).replaceAll(sep, '/')),
    )
    .filter((name) => {
      const text = readFileSync(join(ROOT, name), 'utf8');
      return word.test(text) && some(ts.createSourceFile(name, text, ts.ScriptTarget.ES2022, true), is);
    });
}

function some(node: ts.Node, is: (node: ts.Node) => boolean): boolean {
  return is(node) || ts.forEachChild(node, (child) => some(child, is)) === true;
}
