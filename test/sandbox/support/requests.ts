/** How the tests talk to a sandbox: as a caller with a valid token would, by the way in that the run takes. */
import { expect } from 'vitest';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../../src/sandbox/index.js';
import { undocumented } from '../../helpers/documented-answers.js';
import { wayInto } from '../../helpers/ways-in.js';

interface Answer {
  status: number;
  body: unknown;
}

export interface Talk {
  sandbox: Sandbox;
  /** The documented `path`, below /v1/data-import/. */
  post(path: string, body: unknown): Promise<Answer>;
  get(path: string): Promise<Answer>;
  /** Anything at all, such as a request without a token; a `path` that begins with a slash begins at the root. */
  request(path: string, init?: RequestInit): Promise<Response>;
  /** Runs the call and expects that it has changed nothing. */
  unchanged<Result = Answer>(call: () => Promise<Result>): Promise<Result>;
}

export const BASE = 'http://sandbox.example.com/v1/data-import/';

/** Every answer is checked against the OpenAPI document, unless a chosen setting or a fault decides it. */
export function openSandbox(options: SandboxOptions = {}): Talk {
  const sandbox = createSandbox(options);
  const hasChoices = options.settings !== undefined || options.preset !== undefined;
  const headers = { Authorization: `Token ${sandbox.token}`, 'Content-Type': 'application/json' };
  const way = wayInto(sandbox);

  const request = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const { pathname, search } = new URL(path, BASE);
    const response = await way(pathname + search, init);
    const answer = { method: init.method ?? 'GET', path: pathname, status: response.status };
    const body = await bodyOf(response.clone());
    const problem = undocumented({ ...answer, contentType: response.headers.get('content-type'), body });
    if (problem !== undefined && !isExcused(sandbox, hasChoices, answer, init.body)) expect.fail(problem);
    return response;
  };
  const send = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await request(path, { ...init, headers });
    return { status: response.status, body: await bodyOf(response) };
  };
  return {
    sandbox,
    request,
    post: (path, body) => send(path, { method: 'POST', body: JSON.stringify(body) }),
    get: (path) => send(path, { method: 'GET' }),
    async unchanged(call) {
      const before = structuredClone(sandbox.state);
      const answer = await call();
      expect(sandbox.state).toEqual(before);
      return answer;
    },
  };
}

/** undefined for none; as text where it is no JSON. */
async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Whether the log says why an answer is not the document's: a fault made it, or a choice. Without choices, which are
 * then all defaults, the document is the measure; but it shows no limit of size, and 413 is the sandbox's own.
 */
function isExcused(
  sandbox: Sandbox,
  hasChoices: boolean,
  { method, path, status }: { method: string; path: string; status: number },
  sent: unknown,
): boolean {
  if (status === 413) return true;
  // At the front of the body: accounts that a list names are not what the call is about.
  const account = /^[^[]*"external_account_number":"([^"\\]*)"/.exec(typeof sent === 'string' ? sent : '')?.[1];
  // Other calls may be running: the entry of this one has its path, account and status.
  const entry = sandbox
    .requests()
    .findLast(
      (candidate) =>
        candidate.method === method &&
        candidate.path.replace(/\?.*$/, '') === path &&
        (account === undefined || candidate.account === account) &&
        (candidate.status === status || candidate.faults.length > 0),
    );
  return entry !== undefined && (entry.faults.length > 0 || (hasChoices && entry.assumed.length > 0));
}

/** What a caller sends with a body: an object as JSON, a text as it is. */
export const posted = ({ token }: Pick<Sandbox, 'token'>, body: unknown) => ({
  method: 'POST',
  headers: { Authorization: `Token ${token}`, 'Content-Type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/** The call for a token with an API key; the answer has it at `tokenIn`. */
export const askedForToken = (apiKey: string) => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({
    query: 'mutation Get($input: ObtainTokenInput!) { obtainToken(input: $input) { token } }',
    variables: { input: { apiKey } },
  }),
});

export const tokenIn = (body: unknown) => (body as { data: { obtainToken: { token: string } } }).data.obtainToken.token;

/** The smallest account that the document's rules allow. */
export function account(number: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: number, ...more };
}

export function processing(number: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    import_supplier_code: 'SANDBOX_SUPPLIER',
    external_account_number: number,
    operations_team_name: 'SANDBOX_TEAM',
    ...more,
  };
}

export const STAGE = 'account-import-process/create-or-update/';
export const PROCESS = 'account-import-process/process/';

/** Stages and processes an account; returns its service account number. */
export async function importAccount(
  { post }: Talk,
  number: string,
  more: Record<string, unknown> = {},
): Promise<string> {
  expect((await post(STAGE, account(number, more))).status).toBe(201);
  const { status, body } = await post(PROCESS, processing(number));
  expect(status).toBe(201);
  return (body as { service_account_number: string }).service_account_number;
}
