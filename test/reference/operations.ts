/** The page of the fourteen operations: what is sent, what comes back, and what the client does when that fails. */
import { answerSchemas, payloadSchemas } from '../../schemas/json-schema.js';
import { type Operation, operations, PATH_PREFIX, replayClass } from '../../schemas/operations.js';
import { howToResolve, type Verdict, verdictOn } from '../../src/http/policy.js';
import { document } from '../trace/document.js';
import { code, page, plain, type Table, table } from './markdown.js';

const NAMES = new Map(Object.entries({ ...payloadSchemas, ...answerSchemas }).map(([name, schema]) => [schema, name]));

/** Names of answers that are lists of a type with another name. */
const TYPES: Readonly<Record<string, string>> = {
  NotesAnswer: 'NoteResult[]',
  AccountImportProcesses: 'AccountImportProcess[]',
  ImportedAccountImportProcesses: 'ImportedAccountImportProcess[]',
  DryRunBody: 'the message of a dry run that would succeed',
  OtherErrorBody: 'any body',
};

/** Types that are declared as an alias have their page in another folder. */
const ALIASES = ['Note', 'ContractTerm', 'ValidatedAccount', 'HistoricalStatementsAnswer'];

const VERDICTS: Readonly<Record<Verdict, string>> = {
  giveUp: 'the error is thrown',
  renewToken: 'a new token, and the request once more',
  pause: 'calls wait, after process only those of process; then the request once more',
  resend: 'sent again',
  askOnce: 'the service is asked by `imports.status` once; sent again if nothing was created',
  settle:
    'the service is asked by `imports.status` until it cannot be working on the request any more (`inFlightGraceMs`); sent again only if nothing was created',
  outcomeUnknown: '`OutcomeUnknownError`, unless `retryUnknownOutcome` is true',
};

/** Where what was sent decides, the exception. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'accounts.process': 'with `dry_run: true` (`accounts.dryRun`): sent again',
  'notes.create': 'where a note has no body: `OutcomeUnknownError`, unless `retryUnknownOutcome` is true',
  'transactions.create':
    'with `checkPreviouslyAdded: false`: `OutcomeUnknownError`, unless `retryUnknownOutcome` is true',
};

/** What the payload of an ordinary call is, as far as a replay class asks. */
const ORDINARY = { payload: { notes: [{ body: 'A note.' }] }, query: {} };

export function operationsPage(): string {
  const rows = Object.entries(operations);
  return page(
    'Operations',
    `The fourteen endpoints of the service. All paths begin with \`{baseUrl}${PATH_PREFIX}\`. The name of an operation is the method of the client: \`client.accounts.stage(payload, options)\`. E1 to E14 are the checks that tests carry in their names; the numbers behind the sentences of the document are the rows of [docs/conformance.md](../conformance.md), which names the tests of each.`,
    table({
      heads: ['', 'operation', 'method and path', 'what it does'],
      rows: rows.map(([name, { method, path, summary }], index) => [
        `E${index + 1}`,
        `[${code(name)}](#${anchor(name)})`,
        code(`${method} ${path}`),
        summary,
      ]),
    }),
    '## When a request fails',
    table(failures()),
    'A failed request is sent again up to `maxRetries` times, with growing waits, within `deadlineMs`; 429 has a patience of its own, `maxThrottleWaitMs`. An answer is lost where the connection breaks, the time is up, the status is 502, 503 or 504, or the body of another 5xx is no JSON of the service: then the operation decides, as below.',
    ...rows.map(([name, operation], index) => section(name, operation, index + 1)),
  );
}

function failures(): Table {
  const rows = [
    ['400, 403, 404 and other decisions', VERDICTS[verdictOn('refused', 'unknown')]],
    ['401', VERDICTS[verdictOn('unauthorized', 'unknown')]],
    ['429: nothing was done', VERDICTS[verdictOn('throttled', 'unknown')]],
    ["500 and other 5xx with the service's own JSON body", VERDICTS[verdictOn('failed', 'unknown')]],
    ['no connection: certainly nothing was sent', VERDICTS[verdictOn('neverSent', 'unknown')]],
    ['a closed client, a dispatcher that does not fit', VERDICTS[verdictOn('hopeless', 'unknown')]],
  ];
  return { heads: ['what came', 'what the client does'], rows };
}

function section(name: string, operation: Operation, number: number): string {
  const { method, path, summary, pathParameters, query, request, answers, mayBeEmpty } = operation;
  const flags = Object.keys(query?.shape ?? {});
  const replay = replayClass(operation, ORDINARY);
  const lost = [VERDICTS[verdictOn('lost', replay)], EXCEPTIONS[name]].filter((text) => text !== undefined).join('; ');
  const facts = [
    ['method and path', code(`${method} ${path}`)],
    ...(pathParameters.length > 0 ? [['path parameters', pathParameters.map(code).join(', ')]] : []),
    ...(flags.length > 0
      ? [['query parameters', `${flags.map(code).join(', ')}: booleans, true where they are left out`]]
      : []),
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
  return [`## ${name}`, `${summary}.`, table({ heads: ['', ''], rows: facts }), rulesOf(`E${number}`)].join('\n\n');
}

/** What the document says of an endpoint, with the number of the sentence in docs/conformance.md. */
function rulesOf(check: string): string {
  const rows = document.flatMap((chapter) => chapter.rows.filter(({ checks }) => checks.includes(check)));
  return ['The document:', rows.map(({ id, says }) => `- ${plain(says)} (${id})`).join('\n')].join('\n\n');
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
