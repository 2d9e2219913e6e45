/** docs/errors.md is the reference of the errors: one heading each, to which the messages lead (issue 3, Error pages). */
import { readFileSync } from 'node:fs';
import * as sdk from 'data-import-sdk';
import { describe, expect, it } from 'vitest';

const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
const sections = page.split(/^## /m).slice(1);
const headings = sections.map((section) => section.split('\n', 1)[0]);

const facts = {
  operation: 'accounts.stage',
  host: 'api.example.com',
  attempts: 1,
  status: 400,
  decoded: { code: undefined, detail: undefined, errors: [] },
  body: undefined,
  headers: {},
  sent: true,
  repeatable: true,
};

/** One of each, with its id written out. */
const errors: [string, sdk.DataImportError][] = [
  ['invalid-payload-error', new sdk.InvalidPayloadError('accounts.stage', [])],
  ['validation-error', new sdk.ValidationError(facts)],
  [
    'already-imported-error',
    new sdk.AlreadyImportedError(facts, { external_account_number: 'A-1', service_account_number: 'S-1' }),
  ],
  ['transaction-import-error', new sdk.TransactionImportError(facts, {})],
  ['authentication-error', new sdk.AuthenticationError(facts)],
  ['not-found-error', new sdk.NotFoundError(facts)],
  ['rate-limit-error', new sdk.RateLimitError(facts)],
  ['server-error', new sdk.ServerError(facts, true)],
  ['api-error', new sdk.ApiError(facts)],
  ['response-mismatch-error', new sdk.ResponseMismatchError({ ...facts, mismatch: 'empty' })],
  ['connection-error', new sdk.ConnectionError({ ...facts, reason: 'ECONNRESET', connected: true, cause: undefined })],
  ['timeout-error', new sdk.TimeoutError({ ...facts, limit: 'timeoutMs', limitMs: 1 })],
  ['outcome-unknown-error', new sdk.OutcomeUnknownError({ ...facts, howToResolve: 'Ask.', cause: undefined })],
  ['aborted-error', new sdk.AbortedError({ ...facts, outcomeUnknown: false, cause: undefined })],
  ['token-error', new sdk.TokenError('No token.', { nextAction: 'fixToken' })],
  ['data-import-error', new sdk.DataImportError('Something.', { code: 'x', nextAction: 'none' })],
];

it('the errors above are all that the package has', () => {
  const classes = Object.entries(sdk).flatMap(([name, value]) =>
    typeof value === 'function' &&
    (value === sdk.DataImportError || Object.prototype.isPrototypeOf.call(sdk.DataImportError, value))
      ? [name]
      : [],
  );
  expect(errors.map(([, error]) => error.constructor.name).toSorted()).toEqual(classes.toSorted());
});

it('the headings are the ids of the errors, each once', () => {
  expect(headings.toSorted()).toEqual(errors.map(([id]) => id).toSorted());
});

describe.each(errors)('%s', (id, error) => {
  it('is the id, and ends the message in brackets', () => {
    expect(error.id).toBe(id);
    expect(error.message.endsWith(` [${id}]`)).toBe(true);
    expect(error.toJSON()).toMatchObject({ id });
  });

  it('has a section that names the class', () => {
    expect(sections.find((section) => section.startsWith(`${id}\n`))).toContain(`\`${error.name}\``);
  });
});
