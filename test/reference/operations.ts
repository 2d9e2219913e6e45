/** The page of the fourteen operations: payload, result, and what the client does after a failure. */
import { answerSchemas, payloadSchemas } from '../../schemas/json-schema.js';
import { operationSummaries } from '../../schemas/openapi.js';
import { type Operation, type OperationName, operations, PATH_PREFIX, replayClass } from '../../schemas/operations.js';
import { howToResolve, type Verdict, verdictOn } from '../../src/http/call/retry-policy.js';
import { document } from '../trace/document.js';
import { code, page, plain, type Table, table } from './markdown.js';

const NAMES = new Map(Object.entries({ ...payloadSchemas, ...answerSchemas }).map(([name, schema]) => [schema, name]));

/** Names of answers that are lists of a type with another name. */
const TYPES: Readonly<Record<string, string>> = {
  NotesAnswer: 'NoteResult[]',
  AccountImportProcesses: 'AccountImportProcess[]',
  ImportedAccountImportProcesses: 'any JSON, maybe a list as that of `imports.all`',
  DryRunBody: 'the message of a dry run that would succeed',
  OtherErrorBody: 'any body',
};

/** Types that are declared as an alias have their page in another folder. */
const ALIASES = ['Note', 'ContractTerm', 'ValidatedAccount', 'HistoricalStatementsAnswer'];

const VERDICTS: Readonly<Record<Verdict, string>> = {
  giveUp: 'throws the error',
  renewToken: 'renews the token and sends the request again',
  pause: 'calls wait (after a 429 of process only calls of process); then it sends the request again',
  resend: 'sent again',
  askOnce: 'one query with `imports.status`; sent again if no account was created',
  reconcile:
    'queries with `imports.status` until the quiet time (`advanced.inFlightGraceMs`) is over; sent again only if no account was created',
  outcomeUnknown: '`OutcomeUnknownError`, unless `retryUnknownOutcome` is true',
};

/** Exceptions that depend on the payload. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'accounts.process': 'with `dry_run: true` (`accounts.dryRun`): sent again',
  'notes.create': 'if a note has no body: `OutcomeUnknownError`, unless `retryUnknownOutcome` is true',
  'transactions.create':
    'with `check_previously_added: false`: `OutcomeUnknownError`, unless `retryUnknownOutcome` is true',
};

/** What the payload of an ordinary call is, as far as a replay class asks. */
const ORDINARY = { payload: { notes: [{ body: 'A note.' }] }, query: {} };

export function operationsPage(): string {
  const rows = Object.entries(operations);
  return page(
    'Operations',
    `The fourteen endpoints of the service. All paths begin with \`{baseUrl}${PATH_PREFIX}\`. The name of an operation is the method of the client: \`client.accounts.stage(payload, options)\`. E1 to E14 are the checks that tests carry in their names; the numbers behind the sentences of the document are the rows of [docs/conformance.md](../conformance.md), which names the tests of each.`,
    table({
      heads: ['', 'operation', 'method and path', 'purpose'],
      rows: rows.map(([name, { method, path }], index) => [
        `E${index + 1}`,
        `[${code(name)}](#${anchor(name)})`,
        code(`${method} ${path}`),
        operationSummaries[name as OperationName],
      ]),
    }),
    '## When a request fails',
    table(failures()),
    'A failed request is sent again up to `maxRetries` times, with growing waits, within `deadlineMs`; the limit for waits after 429 is `maxThrottleWaitMs`. An answer is lost if the connection breaks, the timeout ends, the status is 501 or higher, or the body of a 500 is not JSON of the service. The behaviour then depends on the operation, as below.',
    ...rows.map(([name, operation], index) => section(name, operation, index + 1)),
  );
}

function failures(): Table {
  const rows = [
    ['400, 403, 404 and other rejections', VERDICTS[verdictOn('refused', 'unknown')]],
    ['401', VERDICTS[verdictOn('unauthorized', 'unknown')]],
    ['429: nothing was done', VERDICTS[verdictOn('throttled', 'unknown')]],
    ["500 with the service's own JSON body", VERDICTS[verdictOn('failed', 'unknown')]],
    ['no connection, and certainly no request was sent', VERDICTS[verdictOn('neverSent', 'unknown')]],
    ['a closed client, an incompatible dispatcher', VERDICTS[verdictOn('hopeless', 'unknown')]],
  ];
  return { heads: ['event', 'behaviour of the client'], rows };
}

function section(name: string, operation: Operation, number: number): string {
  const { method, path, pathParameters, query, request, answers, mayBeEmpty } = operation;
  const flags = Object.keys(query?.shape ?? {});
  const replay = replayClass(operation, ORDINARY);
  const lost = [VERDICTS[verdictOn('lost', replay)], EXCEPTIONS[name]].filter((text) => text !== undefined).join('; ');
  const facts = [
    ['method and path', code(`${method} ${path}`)],
    ...(pathParameters.length > 0 ? [['path parameters', pathParameters.map(code).join(', ')]] : []),
    ...(flags.length > 0 ? [['query parameters', `${flags.map(code).join(', ')}: booleans, true by default`]] : []),
    ['payload', request === undefined ? 'none' : typeLink(NAMES.get(request) ?? '')],
    ...Object.entries(answers).map(([status, bodies]) => [
      status,
      bodies.map((body) => typeLink(NAMES.get(body) ?? '')).join(', or ') +
        (mayBeEmpty && status.startsWith('2') ? ', or no body' : ''),
    ]),
    ['after a lost answer', lost],
    ...(replay === 'unknown' || replay === 'reconcilable'
      ? [['to find out what happened', plain(howToResolve(name))]]
      : []),
  ];
  return [
    `## ${name}`,
    `${operationSummaries[name as OperationName]}.`,
    table({ heads: ['', ''], rows: facts }),
    rulesOf(`E${number}`),
  ].join('\n\n');
}

/** The sentences of the API specification about an endpoint, with their numbers in docs/conformance.md. */
function rulesOf(check: string): string {
  const rows = document.flatMap((chapter) => chapter.rows.filter(({ checks }) => checks.includes(check)));
  return ['The API specification:', rows.map(({ id, says }) => `- ${plain(says)} (${id})`).join('\n')].join('\n\n');
}

function typeLink(name: string): string {
  const type = TYPES[name] ?? name;
  if (type.includes(' ')) return type;
  const own = type.replace('[]', '');
  const folder = ALIASES.includes(own) ? 'type-aliases' : 'interfaces';
  return `[${code(type)}](api/data-import-sdk/schemas/${folder}/${own}.md)`;
}

function anchor(name: string): string {
  return name.toLowerCase().replaceAll('.', '');
}
