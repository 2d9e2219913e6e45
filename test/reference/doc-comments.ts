/**
 * The doc comments of what the package exports, read by TypeDoc; and the pages that it makes of them, one a name. A type
 * that no entry point exports, or a link that leads nowhere, is an error.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import {
  Application,
  Comment,
  type Context,
  Converter,
  LiteralType,
  type ProjectReflection,
  ReflectionKind,
  type SomeType,
  UnionType,
} from 'typedoc';
import type { PluginOptions } from 'typedoc-plugin-markdown';
import ts from 'typescript';
import { operations } from '../../schemas/operations.js';
import { STEPS } from '../../src/migration/ledger/ledger.js';
import { payloads } from '../../src/validation/payload-schemas.js';
import { ENTRIES, ROOT } from './entries.js';

const MARKDOWN: Partial<PluginOptions> = {
  outputFileStrategy: 'members',
  entryFileName: 'README',
  hidePageHeader: true,
  indexFormat: 'table',
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  propertyMembersFormat: 'table',
  tableColumnSettings: { hideModifiers: true, hideInherited: true, hideOverrides: true },
  expandObjects: false,
};

/** The tables from which the types of their names are taken, and types that only one field has. */
const NOT_EXPORTED = [
  ...[
    ...['table', 'payloads', 'Answers', 'CreatedBusiness', 'RowMapMethod', 'AsyncDisposableObject', 'STEPS'],
    ...['RECOGNISABLE', 'Mistake', 'NoteFieldsOfAnyKind'],
  ],
  // What a function for the option `fetch` takes and returns, and what a token function gets.
  ...['FetchAnswer', 'FetchInit', 'Send'],
];

/** Types that the sources take from a table: a reader wants the names in it. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  OperationName: Object.keys(operations),
  PayloadName: Object.keys(payloads),
  Step: STEPS,
};

export interface DocComments {
  project: ProjectReflection;
  /** Texts by path below the folder of the pages. */
  pages(): Promise<Map<string, string>>;
}

export async function readDocComments(): Promise<DocComments> {
  const folder = mkdtempSync(join(tmpdir(), 'reference-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const options = {
    name: 'data-import-sdk',
    entryPoints: ENTRIES.map(({ source }) => join(ROOT, source)),
    tsconfig: join(ROOT, 'test/reference/tsconfig.json'),
    basePath: ROOT,
    out: folder,
    plugin: ['typedoc-plugin-markdown'],
    readme: 'none',
    disableGit: true,
    disableSources: true,
    // `npm run types` does that.
    skipErrorChecking: true,
    excludeInternal: true,
    excludePrivate: true,
    excludeExternals: true,
    // Exports of another entry point are documented only there.
    excludeReferences: true,
    validation: { notExported: true, invalidLink: true, notDocumented: false },
    intentionallyNotExported: NOT_EXPORTED,
    logLevel: 'Warn' as const,
    ...MARKDOWN,
  };
  const application = await Application.bootstrapWithPlugins(options as never);
  application.converter.on(Converter.EVENT_RESOLVE_BEGIN, orderUnions);
  const project = await application.convert();
  if (project === undefined) throw new Error('TypeDoc cannot read the sources; what it says stands above.');
  nameEntries(project);
  application.validate(project);
  spellOut(project);
  if (application.logger.hasWarnings() || application.logger.hasErrors()) {
    throw new Error(
      'Export the types named above from an entry point (export type), and correct the links named above.',
    );
  }
  return {
    project,
    async pages() {
      await application.generateOutputs(project);
      return pagesIn(folder);
    },
  };
}

/** Each entry point by the name that users import. */
function nameEntries(project: ProjectReflection): void {
  for (const { name, source, about } of ENTRIES) {
    const entry = project.children?.find((child) => [`${child.name}.ts`, `${child.name}/index.ts`].includes(source));
    if (entry === undefined) throw new Error(`TypeDoc has no module for ${source}.`);
    entry.name = name;
    entry.comment = new Comment([{ kind: 'text', text: about }]);
  }
}

function spellOut(project: ProjectReflection): void {
  for (const alias of project.getReflectionsByKind(ReflectionKind.TypeAlias)) {
    const names = NAMES[alias.name];
    if (names !== undefined && alias.isDeclaration())
      alias.type = new UnionType(names.map((name) => new LiteralType(name)));
  }
}

/** As they are declared: TypeDoc takes the order in which the compiler met the types, which any other file may change. */
function orderUnions(context: Context): void {
  for (const reflection of Object.values(context.project.reflections)) {
    if (!reflection.isDeclaration() || !(reflection.type instanceof UnionType)) continue;
    const declaration = context.getSymbolFromReflection(reflection)?.declarations?.[0];
    const declared = declaration !== undefined && 'type' in declaration ? (declaration.type as ts.Node) : undefined;
    if (declared === undefined || !ts.isUnionTypeNode(declared)) continue;
    const texts = declared.types.map((type) => type.getText().replaceAll("'", '"'));
    const place = (type: SomeType) => texts.indexOf(String(type));
    if (reflection.type.types.every((type) => place(type) !== -1)) {
      reflection.type.types.sort((one, other) => place(one) - place(other));
    }
  }
}

function pagesIn(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [
        path
          .slice(folder.length + 1)
          .split(sep)
          .join('/'),
        readFileSync(path, 'utf8'),
      ];
    }),
  );
}
