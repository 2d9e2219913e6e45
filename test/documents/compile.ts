/** Exports `compileErrors`, which type-checks texts that are not files, such as the blocks of a document, in one program. */
import ts from 'typescript';
import { root } from './documents.js';

/**
 * Returns the error messages by file name; a text without an error has no entry. `files`: texts by the path that they would have.
 * `paths`: where the names of this package lead; without it to the source, as in tsconfig.json. Texts are in the style of a user: an
 * unused variable is no error.
 */
export function compileErrors(
  files: ReadonlyMap<string, string>,
  more: ts.CompilerOptions = {},
): Map<string, string[]> {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(`${root}/tsconfig.json`, ts.sys.readFile).config,
    ts.sys,
    root,
  );
  const compilerOptions = { ...options, noPropertyAccessFromIndexSignature: false, noUnusedLocals: false, ...more };
  const host = ts.createCompilerHost(compilerOptions);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.readFile = (name) => files.get(name) ?? readFile(name);
  host.getSourceFile = (name, version, ...rest) => {
    const text = files.get(name);
    return text === undefined ? getSourceFile(name, version, ...rest) : ts.createSourceFile(name, text, version, true);
  };
  const program = ts.createProgram([...files.keys()], compilerOptions, host);
  const errors = new Map<string, string[]>();
  for (const name of files.keys()) {
    const file = program.getSourceFile(name);
    // Only these files are checked: `npm run types` checks the source.
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    if (found.length > 0) {
      errors.set(
        name,
        found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
      );
    }
  }
  return errors;
}
