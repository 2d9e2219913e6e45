/**
 * Imports the accounts of JSON Lines with `fetch` and p-retry, without businesses and items. It survives kills and lost answers:
 * `npx data-import-sdk certify --input accounts.jsonl -- node migrate.mjs`.
 */
import { appendFileSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
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

/** Returns the answer. Throws if there is none, or if it is not understood: the request may have taken effect. */
async function call(path, body) {
  const response = await fetch(`${DATA_IMPORT_BASE_URL}/v1/data-import/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Authorization: `Token ${DATA_IMPORT_TOKEN}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (response.status === 429) {
    await pause(1000 * Number(response.headers.get('retry-after') ?? 1));
    return call(path, body);
  }
  if (response.status === 401) throw new AbortError('The token has ended.');
  if (!response.ok) throw new AbortError(`${path} is refused with ${response.status}`);
  return response.json();
}

async function create(account) {
  const { external_account_number: number, import_supplier: supplier } = account;
  if (journal.has(`sent ${number}`)) {
    // The former request may still be running.
    await pause(graceMs);
    const { status, service_account_number } = await retry(
      () => call(`account-transfer-status/${supplier}/${number}/`),
      { retries: 2 },
    );
    if (status !== 'UNKNOWN' && service_account_number !== '') return;
    if (status !== 'UNKNOWN') throw new Error('The former request has not ended.');
  }
  // Staging may be repeated. A process request may not: it has no `retry`.
  await retry(() => call('account-import-process/create-or-update/', account), { retries: 2 });
  note(`sent ${number}`);
  await call('account-import-process/process/', {
    external_account_number: number,
    import_supplier_code: supplier,
    operations_team_name: DATA_IMPORT_TEAM,
  });
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
