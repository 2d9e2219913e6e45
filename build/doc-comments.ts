/**
 * Exports `docCommentsModule`, the code with which the build and the tests replace `schemas/doc-comments.ts`: the doc comments of the types
 * in `schemas/`, from which the descriptions in the JSON Schemas and the OpenAPI document are taken.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type TypeScript from 'typescript';
import type { DocComments } from '../schemas/doc-comments.js';

/** The types of records, which have a JSON Schema too. */
const RECORDS = 'src/validation/records/import-record.ts';

/** Ends the path of the module that is replaced. */
export const DOC_COMMENTS = /[\\/]schemas[\\/]doc-comments\.ts$/;

export function docCommentsModule(): string {
  return `export const docComments = ${JSON.stringify(readDocComments())};`;
}

/** The texts of the files that it is made from. */
export function docCommentsSources(): [file: string, text: string][] {
  const inSchemas = readdirSync('schemas', { recursive: true, encoding: 'utf8' }).map((file) => join('schemas', file));
  return [...inSchemas, RECORDS]
    .filter((file) => file.endsWith('.ts'))
    .map((file) => [file, readFileSync(file, 'utf8')]);
}

function readDocComments(): DocComments {
  // Not before it is needed: a test run that finds the module in its cache does without.
  const ts = createRequire(import.meta.url)('typescript') as typeof TypeScript;
  const declarations = new Map<string, TypeScript.InterfaceDeclaration | TypeScript.TypeAliasDeclaration>();
  for (const [file, text] of docCommentsSources()) {
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    for (const statement of source.statements) {
      if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) {
        declarations.set(statement.name.text, statement);
      }
    }
  }
  const namesIn = (node: TypeScript.Node): string[] => {
    const own = ts.isIdentifier(node) && declarations.has(node.text) ? [node.text] : [];
    return [...own, ...node.getChildren().flatMap(namesIn)];
  };
  const textOf = (node: TypeScript.Node): string => {
    const [comment] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
    return (ts.getTextOfJSDocComment(comment?.comment) ?? '').replace(/\s*\n\s*/g, ' ').trim();
  };
  return Object.fromEntries(
    [...declarations].map(([name, declaration]) => {
      const isInterface = ts.isInterfaceDeclaration(declaration);
      const fields = isInterface ? declaration.members.filter(ts.isPropertySignature) : [];
      const others = isInterface ? (declaration.heritageClauses ?? []) : [declaration.type];
      return [
        name,
        {
          text: textOf(declaration),
          types: others.flatMap(namesIn),
          fields: Object.fromEntries(
            fields.map((field) => [
              field.name.getText(),
              { text: textOf(field), types: field.type === undefined ? [] : namesIn(field.type) },
            ]),
          ),
        },
      ];
    }),
  );
}
