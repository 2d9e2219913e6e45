/**
 * A process that meets one hostile answer or one hostile line, and prints as JSON the result, how long that took, how much
 * memory the process had at most, and how long the event loop was blocked at most. Arguments: `answer`, a method of
 * the client and the address; or `line`, the address, the input file and the run folder.
 */
import { DataImportClient } from '../../dist/index.js';
import { openInput, runMigration } from '../../dist/migration.js';

const [kind, ...args] = process.argv.slice(2);
const blocked = watch();
const startedAt = performance.now();
const cpuBefore = process.cpuUsage();
const came = await (kind === 'answer' ? askedFor(...args) : carriedThrough(...args));
const ms = Math.round(performance.now() - startedAt);
const cpuMs = cpuOf(cpuBefore);
await new Promise((resolve) => setImmediate(resolve));
const maxRssMb = Math.round(process.resourceUsage().maxRSS / 1024);
const found = { came, ms, cpuMs, maxRssMb, ...blocked() };
console.log(JSON.stringify({ ...found, unitMs: unit() }));

async function askedFor(method, baseUrl) {
  const client = new DataImportClient({ baseUrl, token: 'a-token', maxRetries: 0 });
  const account = { import_supplier: 'ACME', external_account_number: 'A-1' };
  const calls = {
    all: () => client.imports.all('ACME'),
    validate: () => client.accounts.validate(account),
    stage: () => client.accounts.stage(account),
  };
  try {
    const data = await calls[method]();
    return { data: Array.isArray(data) ? data.length : typeof data };
  } catch (error) {
    // What a logger does with it belongs to it.
    const printed = JSON.stringify(error).length;
    return { name: error.name, message: error.message.slice(0, 300), isPrintedShort: printed < 20_000 };
  } finally {
    await client.close();
  }
}

async function carriedThrough(baseUrl, path, folder) {
  const client = new DataImportClient({ baseUrl, token: process.env.DATA_IMPORT_TOKEN });
  const input = await openInput([path]);
  const { summary } = await runMigration({ client, input, folder, team: 'SANDBOX_TEAM' });
  await client.close();
  const { created, rejected, errors } = summary;
  return { created, rejected, errors: errors.map(({ code, attr, count }) => [code, attr, count]) };
}

/** The longest time between two turns of the event loop, and the CPU time of it: on a busy machine the former is longer. */
function watch() {
  let at = performance.now();
  let cpu = process.cpuUsage();
  let blockedMs = 0;
  let blockedCpuMs = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    blockedMs = Math.max(blockedMs, Math.round(now - at));
    blockedCpuMs = Math.max(blockedCpuMs, cpuOf(cpu));
    at = now;
    cpu = process.cpuUsage();
  }, 1);
  return () => {
    clearInterval(timer);
    return { blockedMs, blockedCpuMs };
  };
}

function cpuOf(before) {
  const { user, system } = process.cpuUsage(before);
  return Math.round((user + system) / 1000);
}

/** Runs after the measurement, as it allocates memory itself. */
function unit() {
  const chunks = Array.from({ length: 512 }, () => Buffer.alloc(65_536, 'ab'));
  const before = process.cpuUsage();
  Buffer.concat(chunks).toString('utf8');
  return cpuOf(before);
}
