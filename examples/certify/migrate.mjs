/**
 * Imports the accounts of JSON Lines with a generated client and p-retry, without businesses and items. It survives kills and lost answers.
 *
 *     npm install openapi-fetch openapi-typescript p-retry
 *     npx openapi-typescript node_modules/data-import-sdk/dist/openapi.json -o api.d.ts
 *     npx data-import-sdk certify --input accounts.jsonl -- node migrate.mjs
 */
import { appendFileSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import createClient from 'openapi-fetch';
import retry, { AbortError } from 'p-retry';

const { DATA_IMPORT_BASE_URL, DATA_IMPORT_TOKEN, DATA_IMPORT_TEAM, DATA_IMPORT_INPUT, DATA_IMPORT_RUN } = process.env;
const graceMs = 1000 * Number(process.env.DATA_IMPORT_IN_FLIGHT_GRACE);
const timeoutMs = 1000 * Number(process.env.DATA_IMPORT_TIMEOUT);
const journalFile = join(DATA_IMPORT_RUN, 'journal');
const journal = new Set(existsSync(journalFile) ? readFileSync(journalFile, 'utf8').split('\n') : []);

/** Stores an event before the next step. */
function note(event) {
  journal.add(event);
  appendFileSync(journalFile, `\n${event}\n`);
}

/** @type {import('openapi-fetch').Client<import('./api.d.ts').paths>} */
const client = createClient({
  baseUrl: DATA_IMPORT_BASE_URL,
  headers: { Authorization: `Token ${DATA_IMPORT_TOKEN}` },
  fetch: (request) => fetch(request, { signal: AbortSignal.timeout(timeoutMs) }),
});

/** Returns the answer. Throws if there is none, or if it is not understood: the request may have taken effect. */
async function call(send) {
  const { data, response } = await send();
  if (response.status === 429) {
    await pause(1000 * Number(response.headers.get('retry-after') ?? 1));
    return call(send);
  }
  if (response.status === 401) throw new AbortError('The token has ended.');
  if (!response.ok) throw new AbortError(`${new URL(response.url).pathname} is refused with ${response.status}`);
  return data;
}

const PROCESSES = '/v1/data-import/account-import-process';
const STATUS = '/v1/data-import/account-transfer-status/{import_supplier_code}/{external_account_number}/';

async function create(account) {
  const { external_account_number: number, import_supplier: supplier } = account;
  if (journal.has(`sent ${number}`)) {
    // The former request may still be running.
    await pause(graceMs);
    const path = { import_supplier_code: supplier, external_account_number: number };
    const ask = () => call(() => client.GET(STATUS, { params: { path } }));
    const { status, service_account_number } = await retry(ask, { retries: 2 });
    if (status !== 'UNKNOWN' && service_account_number !== '') return;
    if (status !== 'UNKNOWN') throw new Error('The former request has not ended.');
  }
  // Staging may be repeated. A process request may not: it has no `retry`.
  const stage = () => call(() => client.POST(`${PROCESSES}/create-or-update/`, { body: account }));
  await retry(stage, { retries: 2 });
  note(`sent ${number}`);
  const body = {
    external_account_number: number,
    import_supplier_code: supplier,
    operations_team_name: DATA_IMPORT_TEAM,
  };
  await call(() => client.POST(`${PROCESSES}/process/`, { body }));
}

// A lock of the process: a second start at the same time ends at once.
const lock = join(DATA_IMPORT_RUN, 'lock');
if (existsSync(lock) && isRunning(Number(readFileSync(lock, 'utf8'))))
  throw new Error('The script is running already.');
rmSync(lock, { force: true });
writeFileSync(openSync(lock, 'wx'), String(process.pid));

for (const line of readFileSync(DATA_IMPORT_INPUT, 'utf8').trim().split('\n')) {
  const { account } = JSON.parse(line);
  if (account === undefined || journal.has(`done ${account.external_account_number}`)) continue;
  try {
    await create(account);
    note(`done ${account.external_account_number}`);
  } catch (error) {
    process.exitCode = 1;
    console.log(`${account.external_account_number}: ${error.message}`);
    if (error.message.includes('token')) break;
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
