/** `tokenOf`: the token that the flags and the environment name; that of a file is read again after a 401. `readText` reads the file of a flag. */
import { readFile, stat } from 'node:fs/promises';
import { graphqlToken } from '../../http/token/graphql-token.js';
import { isToken, type TokenSource, whyNoToken } from '../../http/token/token.js';
import type { ConnectionFlags } from '../options/connection-options.js';
import { TOKEN_VARIABLE } from '../options/environment.js';
import { asUsageError, readNamed } from '../options/values.js';
import { UsageError } from '../shared/errors.js';

export async function tokenOf(flags: ConnectionFlags): Promise<TokenSource> {
  const { tokenFile, graphqlUrl, graphqlDocument, graphqlSelect } = flags;
  if (tokenFile !== undefined) return tokenOfFile(tokenFile);
  const token = process.env[TOKEN_VARIABLE];
  if (token) return token;
  const apiKey = process.env['DATA_IMPORT_API_KEY'];
  if (!apiKey) {
    throw new UsageError('no token: give DATA_IMPORT_TOKEN, --token-file, or DATA_IMPORT_API_KEY with --graphql-url.');
  }
  if (graphqlUrl === undefined || graphqlDocument === undefined || graphqlSelect === undefined) {
    throw new UsageError('DATA_IMPORT_API_KEY needs --graphql-url, --graphql-document and --graphql-select as well.');
  }
  const document = await readText(graphqlDocument, '--graphql-document');
  return asUsageError(() =>
    graphqlToken({ url: graphqlUrl, apiKey, document, select: (data) => at(data, graphqlSelect) }),
  );
}

/** The token of a file, which is read again when it expires and after a 401: another program may write a new one into it. */
async function tokenOfFile(path: string): Promise<TokenSource> {
  let token = (await readText(path, '--token-file')).trim();
  if (!isToken(token)) {
    throw new UsageError(
      `--token-file: ${path}: expected a token of visible ASCII characters, found ${whyNoToken(token)}.`,
    );
  }
  // A pipe can be read only once.
  if (!(await stat(path)).isFile()) return token;
  let isFirst = true;
  return async () => {
    if (isFirst) {
      isFirst = false;
      return token;
    }
    const text = (await readFile(path, 'utf8').catch(() => '')).trim();
    // While the file is written it may be empty.
    if (isToken(text)) token = text;
    return token;
  };
}

function at(data: unknown, path: string): string {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], data) as string;
}

/** Rejects with a `UsageError` that names the flag. */
export async function readText(path: string, flag: string): Promise<string> {
  return (await readNamed(path, `${flag}: ${path}`, 'the path of a text file')).toString();
}
