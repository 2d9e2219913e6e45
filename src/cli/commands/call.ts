/** `data-import call`: one call of one operation, for looking and for trying. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { type OperationName, operations } from '../../../schemas/operations.js';
import type { DataImportClient } from '../../client.js';
import type { DataImportError } from '../../errors/data-import-error.js';
import {
  isApiError,
  isConnectionError,
  isDataImportError,
  isInvalidPayloadError,
  isOutcomeUnknownError,
  isTimeoutError,
} from '../../errors/guards.js';
import { type ConnectionFlags, openConnection, withConnection } from '../open/connection.js';
import { isTyped, setting, withConfigFile } from '../options/settings.js';
import type { CommandContext } from '../shared/command-context.js';
import { isNotAccepted, UsageError } from '../shared/errors.js';
import { EXIT, type ExitCode } from '../shared/exit-codes.js';

interface Flags extends ConnectionFlags {
  body?: string;
  query?: string[];
}

const EXAMPLES = `
Operations:
${Object.entries(operations)
  .map(([name, { summary }]) => `  ${name.padEnd(36)}${summary}`)
  .join('\n')}

Examples:
  data-import call accounts.validate --body account.json
  data-import call imports.status ACME A-1
  jq .account line.json | data-import call accounts.stage --body -
  data-import call transactions.create --body transactions.json --query check_previously_added=false

Exit code 3 where the service refuses it, 4 where the answer got lost and it may have been done, 1 where there is no
connection, 8 where the token is not accepted.
`;

export function callCommand({ out, err, exit }: CommandContext): Command {
  const command = new Command('call')
    .description('Make one call and print its answer as JSON.')
    .argument('<operation>', 'such as accounts.stage')
    .argument('[path...]', 'supplier code and account number, for the queries')
    .addOption(setting('--body <path>', "file with the payload as JSON; '-' for standard input"))
    .addOption(
      setting('--query <name=value>', 'a query parameter of the operation; give it again for another one').argParser(
        (value: string, before: string[] = []) => [...before, value],
      ),
    )
    .addHelpText('after', EXAMPLES)
    .action(async (name: string, path: string[], flags: Flags, typed: Command) => {
      const operation = operationOf(name);
      if (operations[operation].request === undefined && isTyped(typed, 'body')) {
        throw new UsageError(`${operation} takes no payload: leave out --body.`);
      }
      const query = queryOf(operation, isTyped(typed, 'query') || takesQuery(operation) ? flags.query : undefined);
      const payload = await payloadOf(operation, flags.body, path);
      const connection = await openConnection(flags);
      try {
        out(`${JSON.stringify((await send(connection.client, operation, payload, path, query)) ?? null, null, 2)}\n`);
      } catch (error) {
        if (!isDataImportError(error)) throw error;
        err(`data-import: ${error.message}\n`);
        // Asked for by the user, who has the payload: with what may quote it.
        if (isApiError(error) || isInvalidPayloadError(error)) out(`${JSON.stringify(error.errors, null, 2)}\n`);
        exit(exitCodeOf(error));
      } finally {
        await connection.close();
      }
    });
  return withConfigFile(withConnection(command));
}

function exitCodeOf(error: DataImportError): ExitCode {
  if (isNotAccepted(error)) return EXIT.notAccepted;
  if (isConnectionError(error) || isTimeoutError(error)) return EXIT.internal;
  return isOutcomeUnknownError(error) ? EXIT.unknown : EXIT.rejected;
}

function operationOf(name: string): OperationName {
  if (Object.hasOwn(operations, name)) return name as OperationName;
  throw new UsageError(`no operation ${name}; there are ${Object.keys(operations).join(', ')}.`);
}

async function payloadOf(
  operation: OperationName,
  body: string | undefined,
  path: readonly string[],
): Promise<unknown> {
  const { request, pathParameters } = operations[operation];
  if (path.length !== pathParameters.length) {
    const expected = pathParameters.length === 0 ? 'none' : pathParameters.join(' and ');
    throw new UsageError(`${operation}: expected ${expected} after the name, found ${path.length} words.`);
  }
  if (request === undefined) return undefined;
  if (body === undefined) throw new UsageError(`${operation} needs a payload: give --body <path>, or --body -.`);
  try {
    return JSON.parse(body === '-' ? await text(process.stdin) : await readFile(body, 'utf8'));
  } catch (error) {
    const why =
      error instanceof SyntaxError ? 'is no JSON' : `cannot be read (${(error as NodeJS.ErrnoException).code})`;
    throw new UsageError(`--body: ${body} ${why}; expected the payload of ${operation}.`, { cause: error });
  }
}

function takesQuery(operation: OperationName): boolean {
  return operations[operation].query !== undefined;
}

/** By its name as an option of the client. All of them are boolean. */
function queryOf(operation: OperationName, given: readonly string[] = []): Record<string, boolean> {
  const names = Object.keys(operations[operation].query?.shape ?? {});
  const query: Record<string, boolean> = {};
  for (const text of given) {
    const [, name = '', value = ''] = /^([^=]*)(?:=(.*))?$/s.exec(text) ?? [];
    if (!names.includes(name)) {
      const expected = names.length === 0 ? 'It takes none.' : `It takes ${names.join(' and ')}.`;
      throw new UsageError(`--query: ${operation} has no query parameter ${name === '' ? '""' : name}. ${expected}`);
    }
    if (value !== 'true' && value !== 'false') {
      throw new UsageError(`--query: expected ${name}=true or ${name}=false, found ${text}.`);
    }
    const option = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (query[option] !== undefined) throw new UsageError(`--query: ${name} is given twice.`);
    query[option] = value === 'true';
  }
  return query;
}

/** The method of the client that has the operation's name. */
function send(
  client: DataImportClient,
  operation: OperationName,
  payload: unknown,
  path: readonly string[],
  query: Record<string, boolean>,
): Promise<unknown> {
  const [noun = '', verb = ''] = operation.split('.');
  const methods = client[noun as keyof DataImportClient] as unknown as Record<
    string,
    (...args: unknown[]) => Promise<unknown>
  >;
  const isDryRun = operation === 'accounts.process' && (payload as { dry_run?: unknown } | null)?.dry_run === true;
  const method = isDryRun ? 'dryRun' : verb;
  const { pathParameters } = operations[operation];
  // A method takes one code by itself, and two by their names.
  const codes =
    pathParameters.length < 2 ? path : [Object.fromEntries(pathParameters.map((name, at) => [name, path[at]]))];
  return (
    methods[method]?.(...codes, ...(payload === undefined ? [] : [payload]), query) ??
    Promise.reject(new Error(operation))
  );
}
