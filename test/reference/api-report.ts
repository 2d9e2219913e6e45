/**
 * etc/*.api.md: every exported name with its whole type, by entry point, so that no change of the public API slips in
 * unseen. Made by API Extractor from the declarations of the sources; needs no build.
 */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Extractor, ExtractorConfig, ExtractorLogLevel, type IConfigFile } from '@microsoft/api-extractor';
import ts from 'typescript';
import { shortened } from './api-report-text.js';
import { ENTRIES, type Entry, ROOT } from './entries.js';

const SILENT = { default: { logLevel: ExtractorLogLevel.None } };

/** Texts of the reports by path. */
export async function apiReports(): Promise<Map<string, string>> {
  // Outside of the repository, with a link to its packages: API Extractor treats files below node_modules as foreign.
  const folder = mkdtempSync(join(tmpdir(), 'api-report-'));
  try {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
    copyFileSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
    writeDeclarations(folder);
    const reports = ENTRIES.map(({ name, source }) => ({ name, text: reportOf(source, folder) }));
    const files = new Map<string, string>();
    for (const { name, text } of shortened(reports)) files.set(reportFile(name), text + (await valuesOf(name)));
    return files;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function reportFile(name: Entry['name']): string {
  return `etc/${basename(name)}.api.md`;
}

/** Declarations do not show whether a class is exported as a value or only as a type. */
async function valuesOf(name: Entry['name']): Promise<string> {
  const source = ENTRIES.find((entry) => entry.name === name)?.source ?? '';
  const values = Object.keys(await import(pathToFileURL(join(ROOT, source)).href)).sort();
  return `\nExported at run time (everything else is a type):\n\n${values.map((value) => `- \`${value}\`\n`).join('')}`;
}

function writeDeclarations(folder: string): void {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} };
  const config = ts.getParsedCommandLineOfConfigFile(join(ROOT, 'tsconfig.json'), {}, host);
  const options: ts.CompilerOptions = {
    ...config?.options,
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    // `npm run types` does that.
    noCheck: true,
    rootDir: ROOT,
    outDir: folder,
  };
  ts.createProgram(
    ENTRIES.map(({ source }) => join(ROOT, source)),
    options,
  ).emit();
}

function reportOf(source: string, folder: string): string {
  const entry = join(folder, source.replace(/\.ts$/, '.d.ts'));
  const configObject: IConfigFile = {
    projectFolder: folder,
    mainEntryPointFilePath: entry,
    newlineKind: 'lf',
    compiler: {
      overrideTsconfig: {
        compilerOptions: { ...COMPILER, typeRoots: [join(folder, 'node_modules/@types')] },
        files: [entry],
      },
    },
    apiReport: {
      enabled: true,
      reportFileName: 'report.api.md',
      reportFolder: folder,
      reportTempFolder: join(folder, 'temp'),
      includeForgottenExports: true,
    },
    docModel: { enabled: false },
    dtsRollup: { enabled: false },
    tsdocMetadata: { enabled: false },
    messages: { compilerMessageReporting: SILENT, extractorMessageReporting: SILENT, tsdocMessageReporting: SILENT },
  };
  const config = ExtractorConfig.prepare({
    configObject,
    configObjectFullPath: undefined,
    packageJsonFullPath: join(folder, 'package.json'),
  });
  Extractor.invoke(config, {
    localBuild: true,
    messageCallback: (message) => {
      message.handled = true;
    },
  });
  const report = join(folder, 'report.api.md');
  const text = readFileSync(report, 'utf8');
  rmSync(report);
  return text;
}

const COMPILER = {
  target: 'es2022',
  lib: ['es2023'],
  module: 'nodenext',
  moduleResolution: 'nodenext',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
};
