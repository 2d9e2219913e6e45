/**
 * A service on loopback, written from the specification with node:http and without code of this project: what it
 * has is looked at from outside, and its answers can be changed after it has done its work.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

type Json = Record<string, unknown>;

interface OwnAccount {
  number: string;
  serviceNumber: string;
  notes: Json[];
  transactions: Json[];
  statements: Json[];
  paymentInstructions: Json[];
}

export interface OwnService {
  url: string;
  /** Of the accounts that exist, by their external account numbers. */
  accounts: Map<string, OwnAccount>;
  /** Last part of the path and payload of every POST, in order. */
  requests: { path: string; payload: Json }[];
  /** Answers the next request of this path with 400 and the body, and does nothing. */
  refuse(path: string, body: unknown): void;
}

export interface OwnServiceOptions {
  /** Accounts that exist before anything is sent, by their external account numbers. */
  existing?: readonly string[];
  /** Gives what is answered in place of the body; what the request asked for was done. */
  answer?: ((path: string, body: unknown, payload: Json) => unknown) | undefined;
  /** Returns whether a request that adds items is refused, with the first such transaction of the request. */
  refuses?: (payload: unknown) => boolean;
  /** The errors of such a refusal. */
  errors?: readonly Json[];
}

export async function ownService({
  existing = [],
  answer,
  refuses,
  errors = [],
}: OwnServiceOptions = {}): Promise<OwnService> {
  const staged = new Set<string>();
  const accounts = new Map<string, OwnAccount>();
  const requests: OwnService['requests'] = [];
  const refusals = new Map<string, unknown>();
  const create = (number: string) => {
    const lists = { notes: [], transactions: [], statements: [], paymentInstructions: [] };
    accounts.set(number, { number, serviceNumber: `S-${number}`, ...lists });
  };
  for (const number of existing) create(number);

  function post(path: string, payload: Json): [status: number, body: unknown] {
    if (refusals.has(path)) {
      const body = refusals.get(path);
      refusals.delete(path);
      return [400, body];
    }
    if (path === 'validate-account') return [200, payload];
    const number = String(payload['external_account_number']);
    const account = accounts.get(number);
    if (path === 'create-or-update' || path === 'process') {
      if (account !== undefined) {
        const there = { external_account_number: number, service_account_number: account.serviceNumber };
        return [400, { detail: 'Already imported.', code: 'account_already_imported', errors: [], ...there }];
      }
      if (path === 'create-or-update') {
        staged.add(number);
        return [201, { import_supplier: payload['import_supplier'], external_account_number: number }];
      }
      if (payload['dry_run'] === true) {
        return [400, { detail: 'Account would successfully import. Rolled back due to Dry Run.', code: '400' }];
      }
      create(number);
      return [201, { service_account_number: accounts.get(number)?.serviceNumber }];
    }
    if (account === undefined) return [404, { detail: 'No such account.' }];
    if (refuses?.(payload)) {
      const failing = (payload['transactions'] as Json[] | undefined)?.find(refuses);
      if (failing === undefined) return [400, { detail: 'x', code: 'invalid', errors }];
      return [400, { status: 'TRANSACTION_IMPORT_ERROR', error_detail: 'x', transaction_data: failing }];
    }
    switch (path) {
      case 'notes':
        return [201, (payload['notes'] as Json[]).map((note) => addNote(account, note))];
      case 'transactions':
        return [201, { results: (payload['transactions'] as Json[]).map((one) => addTransaction(account, one)) }];
      case 'historical-statements':
        account.statements.push(...(payload['statements'] as Json[]));
        return [201, payload];
      default:
        account.paymentInstructions.push(payload);
        return [201, { service_account_number: account.serviceNumber, reference: payload['reference'] }];
    }
  }

  function get(path: string): [status: number, body: unknown] {
    const [resource, , number = ''] = path.split('/');
    if (resource === 'account-transfer-status') {
      const account = accounts.get(number);
      if (account === undefined && !staged.has(number)) return [404, { detail: 'No import process.' }];
      return [200, { status: account ? 'PENDING' : 'UNKNOWN', service_account_number: account?.serviceNumber ?? '' }];
    }
    const entries = [...accounts.values()].map(({ number: external_account_number, serviceNumber }) => ({
      external_account_number,
      service_account_number: serviceNumber,
      account_created_at: '2026-01-15T09:00:00Z',
    }));
    return [200, entries];
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = (request.url ?? '').replace(/\?.*/, '').replace('/v1/data-import/', '');
    let [status, body]: [number, unknown] = [405, {}];
    if (request.method === 'GET') [status, body] = get(path);
    else {
      const payload = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Json;
      const [first = '', second = ''] = path.split('/');
      const name = first === 'account-import-process' ? second : first;
      requests.push({ path: name, payload });
      [status, body] = post(name, payload);
      if (answer !== undefined && status < 300) body = answer(name, body, payload);
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, accounts, requests, refuse: (path, body) => void refusals.set(path, body) };
}

/** Not added where the account has a note of the same body, and of the same time where one is given. */
function addNote({ notes }: OwnAccount, note: Json): Json {
  const { body = null, created_at } = note;
  const same = notes.find(
    (other) => other['body'] === body && (created_at ?? other['created_at']) === other['created_at'],
  );
  const added = { created_at: created_at ?? '2026-01-15T09:00:00Z', body };
  if (same === undefined) notes.push(added);
  return { ...(same ?? added), status: same === undefined ? 'NOTE_CREATION_SUCCESS' : 'NOTE_ALREADY_EXISTS' };
}

function addTransaction({ transactions }: OwnAccount, transaction: Json): Json {
  const { transaction_id } = transaction;
  const same = transactions.find((other) => other['transaction_id'] === transaction_id);
  if (same === undefined) transactions.push(transaction);
  const { amount, ...rest } = same ?? transaction;
  return {
    status: same === undefined ? 'TRANSACTION_ADDED_TO_ACCOUNT' : 'TRANSACTION_ALREADY_EXISTS',
    transaction_data: { ...rest, ...(amount !== undefined && { amount: Number(amount).toFixed(2) }) },
  };
}
