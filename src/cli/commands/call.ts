/** `data-import-sdk call`: makes one call of one operation, and prints the answer. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { ErrorItem } from '../../../schemas/error-bodies.js';
import { operationSummaries } from '../../../schemas/openapi.js';
import { type OperationName, operations } from '../../../schemas/operations.js';
import type { DataImportClient } from '../../client.js';
import { ApiError } from '../../errors/api-errors.js';
import { InvalidPayloadError } from '../../errors/client-errors.js';
import { isDataImportError } from '../../errors/guards.js';
import { ConnectionError, OutcomeUnknownError, TimeoutError } from '../../errors/no-answer-errors.js';
import { parseJson } from '../../validation/parse-json.js';
import { openConnection } from '../open/connection.js';
import { defineCommand } from '../options/command.js';
import { connectionOptions } from '../options/connection-options.js';
import { wrapped } from '../options/help.js';
import type { OptionTable } from '../options/option.js';
import { repeated, whyUnread } from '../options/values.js';
import { isNotAccepted } from '../shared/error-causes.js';
import { UsageError } from '../shared/errors.js';
import { EXIT, type ExitCode } from '../shared/exit-codes.js';

const options = {
  body: {
    flags: '--body <path>',
    group: 'Input',
    help: "file with the payload as JSON; '-': stdin",
    trust: 'notWithAddress',
  },
  query: {
    flags: '--query <name=value>',
    group: 'Input',
    help: 'a query parameter; may be repeated',
    parse: repeated,
  },
  ...connectionOptions,
} as const satisfies OptionTable;

export const command = defineCommand({
  operands: [
    ['<operation>', 'such as accounts.stage'],
    ['[path...]', 'supplier code and account number, if the operation has them'],
  ],
  options,
  list: () =>
    Object.entries(operationSummaries)
      .map(([name, summary]) => `  ${name}\n${wrapped(summary, 6)}`)
      .join('\n'),
  async action(name, path, flags, context) {
    const { out, err, exit } = context;
    const isTyped = (flag: string) => context.command.parts.some((part) => part.flag === flag);
    const operation = operationOf(name);
    if (operations[operation].request === undefined && isTyped('--body')) {
      throw new UsageError(`${operation} takes no payload: leave out --body.`);
    }
    const query = queryOf(operation, isTyped('--query') || takesQuery(operation) ? flags.query : undefined);
    const payload = await payloadOf(operation, flags.body, path);
    const connection = await openConnection(flags);
    try {
      out(`${JSON.stringify((await send(connection.client, operation, payload, path, query)) ?? null, null, 2)}\n`);
    } catch (error) {
      if (!isDataImportError(error)) throw error;
      err(`data-import-sdk: ${error.message}\n`);
      // These may quote the payload: the user gave it.
      if (error instanceof ApiError || error instanceof InvalidPayloadError)
        out(`${JSON.stringify(reasonsOf(error), null, 2)}\n`);
      exit(exitCodeOf(error));
    } finally {
      await connection.close();
    }
  },
});

/** Returns the errors of the payload, or what the service says if it lists none. */
function reasonsOf(error: ApiError | InvalidPayloadError): readonly ErrorItem[] {
  if (error instanceof InvalidPayloadError || error.errors.length > 0 || error.detail === undefined)
    return error.errors;
  return [{ detail: error.detail, code: error.code, attr: 'non_field_errors' }];
}

function exitCodeOf(error: unknown): ExitCode {
  if (isNotAccepted(error)) return EXIT.notAccepted;
  if (error instanceof ConnectionError || error instanceof TimeoutError) return EXIT.internal;
  return error instanceof OutcomeUnknownError ? EXIT.unknown : EXIT.rejected;
}

function operationOf(name: string): OperationName {
  if (Object.hasOwn(operations, name)) return name as OperationName;
  throw new UsageError(`unknown operation ${name}; expected one of ${Object.keys(operations).join(', ')}.`);
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
    return parseJson(body === '-' ? await text(process.stdin) : await readFile(body, 'utf8'));
  } catch (error) {
    throw new UsageError(`--body: ${body} ${whyUnread(error)}; expected the payload of ${operation}.`, {
      cause: error,
    });
  }
}

function takesQuery(operation: OperationName): boolean {
  return operations[operation].query !== undefined;
}

/** The query parameters. All of them are boolean. */
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
    if (query[name] !== undefined) throw new UsageError(`--query: ${name} is given twice.`);
    query[name] = value === 'true';
  }
  return query;
}

/** Calls the method of the client that has the operation's name. */
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
  // A method takes one code as an argument, and two as an object.
  const codes =
    pathParameters.length < 2 ? path : [Object.fromEntries(pathParameters.map((name, at) => [name, path[at]]))];
  return (
    methods[method]?.(...codes, ...(payload === undefined ? [] : [payload]), query) ??
    Promise.reject(new Error(operation))
  );
}
