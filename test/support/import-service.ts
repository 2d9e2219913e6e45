/**
 * An independent implementation of the parts of the service that a migration needs, for tests that must not share a mistake with
 * the sandbox. It checks existence when a call begins and commits when it ends, so that two overlapping calls both take effect
 * (U30); a call whose connection is lost is completed (U31), as late as the test wants.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';

export interface ImportServiceOptions {
  /** Milliseconds from the existence check to the commit of process, notes and transactions. */
  durationMs?: () => number;
  /**
   * Milliseconds that such a call needs in addition where its connection was lost meanwhile.
   * @default 0
   */
  afterLossMs?: () => number;
  /** Returns the fault for a request, or undefined if the service answers it. */
  fault?: (request: ServiceRequest) => Fault | undefined;
  /**
   * The import status of an account that was created, by its number and how often it was asked about before.
   * @default PENDING
   */
  importStatus?: (number: string, asked: number) => string;
  /**
   * The service account number in the status answer of an account that was created, by its number and the one it has.
   * @default the one it has
   */
  statusNumber?: (number: string, created: string) => string;
  /** What the list of all accounts of a supplier has, in place of the accounts that are there; undefined for those. */
  list?: (supplier: string) => StreamedList | undefined;
}

/** A list that is sent entry by entry; with `breakAfter` the connection breaks after that number of entries. */
interface StreamedList {
  entries: Iterable<unknown>;
  breakAfter?: number;
}

export interface ServiceRequest {
  method: string;
  /** Without the prefix and the query, such as `account-import-process/process/`. */
  path: string;
  body: Record<string, unknown>;
}

/** `reset`: the connection breaks without an answer. `body` is sent as JSON, or as it is where it is a text. */
export type Fault = 'reset' | { status: number; body: unknown; headers?: Record<string, string> };

interface Account {
  /** One for each time that the account was created. */
  numbers: string[];
  notes: string[];
  transactions: string[];
  /** By `statement_id`; one that is sent twice is there twice. */
  statements: string[];
  /** By `reference`; one that is sent twice is there twice. */
  instructions: string[];
}

type Body = Record<string, unknown>;
type Answer = readonly [status: number, body: unknown];
type Kind = 'process' | 'notes' | 'transactions';

const PREFIX = '/v1/data-import/';
const LIST = 'all-account-import-processes/';

export async function startImportService({
  durationMs = () => 0,
  afterLossMs = () => 0,
  fault = () => undefined,
  importStatus = () => 'PENDING',
  statusNumber = (_, created) => created,
  list = () => undefined,
}: ImportServiceOptions = {}) {
  const staged = new Map<string, Body>();
  const accounts = new Map<string, Account>();
  /** By supplier and external identifier, with the service ids: one for each time that the business was created. */
  const businesses = new Map<string, number[]>();
  /** References of payment instructions, by supplier and external business identifier. */
  const businessInstructions = new Map<string, string[]>();
  /** Bodies of the requests that queued lookups; the batch ids count up from `BATCH-1`. */
  const populated: Body[] = [];
  /** Status queries about accounts that were created. */
  const questions = new Map<string, number>();
  const requests: string[] = [];
  /** Calls that were completed although their connection was lost. */
  const ranOn: Record<Kind, number> = { process: 0, notes: 0, transactions: 0 };
  const processing = new Map<string, number>();
  let askedMeanwhile = 0;
  let issued = 0;

  const accountOf = (key: string): Account => {
    const account = accounts.get(key) ?? { numbers: [], notes: [], transactions: [], statements: [], instructions: [] };
    accounts.set(key, account);
    return account;
  };

  async function takeTime(kind: Kind, lost: AbortSignal): Promise<void> {
    await after(durationMs());
    if (!lost.aborted) return;
    ranOn[kind]++;
    await after(afterLossMs());
  }

  async function process(body: Body, lost: AbortSignal): Promise<Answer> {
    const key = keyOf(body['import_supplier_code'], body['external_account_number']);
    if (!staged.has(key)) return refusal('account_not_staged');
    const [number] = accounts.get(key)?.numbers ?? [];
    if (number !== undefined) {
      const named = { external_account_number: body['external_account_number'], service_account_number: number };
      return [400, { code: 'account_already_imported', detail: 'Imported.', errors: [], ...named }];
    }
    if (body['dry_run'] === true) {
      return [400, { detail: 'Account would successfully import. Rolled back due to Dry Run.', code: '400' }];
    }
    processing.set(key, (processing.get(key) ?? 0) + 1);
    await takeTime('process', lost);
    processing.set(key, (processing.get(key) ?? 1) - 1);
    const created = `S-${++issued}`;
    accountOf(key).numbers.push(created);
    return [201, { service_account_number: created }];
  }

  async function addNotes(body: Body, lost: AbortSignal): Promise<Answer> {
    const account = accounts.get(keyOf(body['import_supplier'], body['external_account_number']));
    if (account === undefined) return [404, { detail: 'Not found.' }];
    const notes = body['notes'] as { body: string }[];
    const missing = notes.filter((note) => !account.notes.includes(note.body));
    await takeTime('notes', lost);
    account.notes.push(...missing.map((note) => note.body));
    const status = (note: { body: string }) =>
      missing.includes(note) ? 'NOTE_CREATION_SUCCESS' : 'NOTE_ALREADY_EXISTS';
    return [201, notes.map((note) => ({ created_at: '2026-01-15T09:00:00Z', body: note.body, status: status(note) }))];
  }

  async function addTransactions(body: Body, lost: AbortSignal): Promise<Answer> {
    const account = accounts.get(keyOf(body['import_supplier'], body['external_account_number']));
    if (account === undefined) return [404, { detail: 'Not found.' }];
    const transactions = body['transactions'] as { transaction_id: string; amount: number }[];
    const missing = transactions.filter((one) => !account.transactions.includes(one.transaction_id));
    await takeTime('transactions', lost);
    account.transactions.push(...missing.map((one) => one.transaction_id));
    const results = transactions.map((one) => ({
      status: missing.includes(one) ? 'TRANSACTION_ADDED_TO_ACCOUNT' : 'TRANSACTION_ALREADY_EXISTS',
      transaction_data: { ...one, amount: one.amount.toFixed(2) },
    }));
    return [201, { results }];
  }

  function createBusiness(body: Body): Answer {
    const identifier = body['external_business_identifier'];
    const key = keyOf(body['import_supplier_code'], identifier);
    const id = ++issued;
    businesses.set(key, [...(businesses.get(key) ?? []), id]);
    return [201, { service_business_id: id, external_business_identifier: identifier }];
  }

  function addStatements(body: Body): Answer {
    const account = accounts.get(keyOf(body['import_supplier'], body['external_account_number']));
    if (account === undefined) return [404, { detail: 'Not found.' }];
    account.statements.push(...(body['statements'] as { statement_id: string }[]).map((one) => one.statement_id));
    return [201, body];
  }

  function addInstruction(body: Body): Answer {
    const key = keyOf(body['import_supplier'], body['external_account_number']);
    const [number] = accounts.get(key)?.numbers ?? [];
    if (number === undefined) return [404, { detail: 'Not found.' }];
    const reference = String(body['reference']);
    accountOf(key).instructions.push(reference);
    return [201, { service_account_number: number, reference }];
  }

  /** Refuses an account that is not imported, which the specification leaves open (U21). */
  function addBusinessInstruction(body: Body): Answer {
    const identifier = body['external_business_identifier'];
    const key = keyOf(body['import_supplier_code'], identifier);
    if (!businesses.has(key)) return refusal('business_not_found');
    const named = (body['accounts'] ?? []) as { external_account_number: string }[];
    const isImported = (number: string) => accounts.has(keyOf(body['import_supplier_code'], number));
    if (!named.every((one) => isImported(one.external_account_number))) return refusal('account_not_found');
    const reference = String(body['reference']);
    businessInstructions.set(key, [...(businessInstructions.get(key) ?? []), reference]);
    return [201, { reference, external_business_identifier: identifier }];
  }

  function status(path: string): Answer {
    const [supplier = '', number = ''] = path.split('/').map(decodeURIComponent);
    const key = keyOf(supplier, number);
    const created = accounts.get(key)?.numbers[0];
    if (created !== undefined) {
      const asked = questions.get(key) ?? 0;
      questions.set(key, asked + 1);
      return [200, { status: importStatus(number, asked), service_account_number: statusNumber(number, created) }];
    }
    if ((processing.get(key) ?? 0) > 0) askedMeanwhile++;
    return staged.has(key) ? [200, { status: 'UNKNOWN', service_account_number: '' }] : [404, { detail: 'Not found.' }];
  }

  function* listEntries(supplier: string): Iterable<unknown> {
    for (const key of new Set([...staged.keys(), ...accounts.keys()])) {
      if (!key.startsWith(`${supplier}/`)) continue;
      const number = accounts.get(key)?.numbers[0] ?? null;
      yield {
        external_account_number: key.slice(supplier.length + 1),
        service_account_number: number,
        account_created_at: number === null ? null : '2026-01-15T09:00:00+00:00',
      };
    }
  }

  async function sendList(path: string, response: ServerResponse): Promise<void> {
    requests.push(`GET ${path}`);
    const supplier = decodeURIComponent(path.slice(LIST.length).replace(/\/$/, ''));
    const { entries, breakAfter = Number.POSITIVE_INFINITY } = list(supplier) ?? { entries: listEntries(supplier) };
    response.writeHead(200, { 'content-type': 'application/json' });
    let text = '[';
    let sent = 0;
    for (const entry of entries) {
      if (sent === breakAfter) return void response.write(text, () => response.destroy());
      text += `${sent++ === 0 ? '' : ', '}${JSON.stringify(entry)}`;
      if (text.length < 65_536) continue;
      if (!response.write(text)) await once(response, 'drain');
      text = '';
    }
    response.end(`${text}]`);
  }

  async function answer(method: string, path: string, body: Body, lost: AbortSignal): Promise<Answer> {
    requests.push(`${method} ${path}`);
    if (path.startsWith('account-transfer-status/')) return status(path.slice('account-transfer-status/'.length));
    switch (path) {
      case 'account-import-process/create-or-update/': {
        const [supplier, number] = [body['import_supplier'], body['external_account_number']];
        const key = keyOf(supplier, number);
        if (accounts.has(key)) return refusal('account_already_imported');
        const isNew = !staged.has(key);
        staged.set(key, body);
        return [isNew ? 201 : 200, { import_supplier: supplier, external_account_number: number }];
      }
      case 'account-import-process/process/':
        return process(body, lost);
      case 'business/':
        return createBusiness(body);
      case 'supply-point/populate/':
        populated.push(body);
        return [201, { batch_id: `BATCH-${populated.length}` }];
      case 'payment-instruction/create/':
        return addInstruction(body);
      case 'business-payment-instruction/create/':
        return addBusinessInstruction(body);
      case 'historical-statements/create/':
        return addStatements(body);
      case 'notes/create/':
        return addNotes(body, lost);
      case 'transactions/create/':
        return addTransactions(body, lost);
      default:
        return [404, { detail: 'Not found.' }];
    }
  }

  const server = createServer((request, response) => {
    void respond(request, response);
  });
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const lost = new AbortController();
    response.once('close', () => lost.abort());
    try {
      let text = '';
      for await (const chunk of request) text += chunk;
      const path = pathIn(request.url ?? '');
      const [method, sent] = [request.method ?? '', text === '' ? {} : JSON.parse(text)];
      const instead = fault({ method, path, body: sent });
      if (instead !== undefined) requests.push(`${method} ${path}`);
      if (instead === 'reset') return void response.destroy();
      if (instead === undefined && method === 'GET' && path.startsWith(LIST)) return await sendList(path, response);
      const [status, body] =
        instead === undefined
          ? await answer(method, path, sent, lost.signal)
          : ([instead.status, instead.body] as const);
      const type = typeof body === 'string' ? 'text/html' : 'application/json';
      response.writeHead(status, { 'content-type': type, ...(instead?.headers ?? {}) });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    } catch {
      // The client was killed while it sent.
      response.destroy();
    }
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Such as `POST account-import-process/process/`, in the order of their arrival. */
    requests: requests as readonly string[],
    /** The same without a connection and without faults: `lost` aborts where the caller has gone. */
    async fetch(request: Request, lost: AbortSignal): Promise<Response> {
      const text = await request.text();
      const body: Body = text === '' ? {} : JSON.parse(text);
      const [status, answered] = await answer(request.method, pathIn(new URL(request.url).pathname), body, lost);
      return Response.json(answered, { status });
    },
    /** How often the service was in the state that the rule about requests in flight is for. */
    overlaps: () => ({ ranOn, askedMeanwhile }),
    accounts: accounts as ReadonlyMap<string, Account>,
    /**
     * Creates an account without items, as another program would. `key`: supplier and number, as in `accounts`. Returns false if it
     * exists.
     */
    createElsewhere(key: string): boolean {
      if (accounts.has(key)) return false;
      accountOf(key).numbers.push(`S-${++issued}`);
      return true;
    },
    businesses: businesses as ReadonlyMap<string, readonly number[]>,
    businessInstructions: businessInstructions as ReadonlyMap<string, readonly string[]>,
    populated: populated as readonly Body[],
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function pathIn(url: string): string {
  return url.replace(PREFIX, '').replace(/\?.*$/, '');
}

function keyOf(supplier: unknown, number: unknown): string {
  return `${supplier}/${number}`;
}

function refusal(code: string): Answer {
  return [400, { code, detail: 'Refused.', errors: [] }];
}
