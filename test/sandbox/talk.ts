/** How the tests talk to a sandbox: as a caller with a valid token would, in process. */
import { expect } from 'vitest';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/index.js';

interface Answer {
  status: number;
  body: unknown;
}

export interface Talk {
  sandbox: Sandbox;
  /** `path` as the document has it, below /v1/data-import/. */
  post(path: string, body: unknown): Promise<Answer>;
  get(path: string): Promise<Answer>;
  /** Runs the call and expects that it has changed nothing. */
  unchanged(call: () => Promise<Answer>): Promise<Answer>;
}

export const BASE = 'http://sandbox.example.com/v1/data-import/';

export function openSandbox(options?: SandboxOptions): Talk {
  const sandbox = createSandbox(options);
  const headers = { Authorization: `Token ${sandbox.token}`, 'Content-Type': 'application/json' };
  const send = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await sandbox.fetch(new Request(BASE + path, { ...init, headers }));
    return { status: response.status, body: await response.json() };
  };
  return {
    sandbox,
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
