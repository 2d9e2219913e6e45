/** The package as a user gets it: packed, installed in an empty folder, imported in every way that is promised. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXPECTED_LINES, linesIn } from '../cookbook/expected-lines.js';
import { emptyFolder, outcome, pack, root, run, write } from './consumer.js';

const { folder, remove } = emptyFolder();
const bin = (name: string) => join(root, 'node_modules/.bin', name);
let tarball = '';

/** For the example of tracing, and for metrics. */
const TRACING = ['@opentelemetry/api@1', '@opentelemetry/sdk-trace-base@2', '@opentelemetry/sdk-metrics@2'];
/** For the ledger, for inputs in CSV and for telephone numbers, as the README says. */
const PEERS = ['@photostructure/sqlite@1.2.1', 'libphonenumber-js@1'];

beforeAll(() => {
  tarball = pack(folder);
  write(folder, { 'package.json': JSON.stringify({ name: 'consumer', private: true }) });
  run(
    folder,
    'npm',
    'install',
    '--no-audit',
    '--no-fund',
    tarball,
    'typescript@6.0.3',
    '@types/node@20',
    'msw@2',
    ...PEERS,
    ...TRACING,
  );
});

afterAll(remove);

const NAMES = {
  'data-import-sdk': ['DataImportClient', 'graphqlToken', 'isDataImportError', 'validateAccount', 'defineProfile'],
  'data-import-sdk/schemas': ['accountSchema', 'operations', 'openApiDocument'],
  'data-import-sdk/sandbox': ['createSandbox', 'SANDBOX_SUPPLIER', 'STRICT_PROFILE'],
  'data-import-sdk/msw': ['sandboxHandlers'],
  'data-import-sdk/migration': ['runMigration', 'openInput', 'inputFromRecords'],
  'data-import-sdk/mapping': ['parseDate', 'parseDecimal', 'parsePhone', 'omitEmpty', 'MappingError', 'readCsv'],
  'data-import-sdk/opentelemetry': ['instrumentDataImport'],
};

test('every entry point can be imported from ESM', () => {
  const lines = Object.entries(NAMES).map(
    ([entry, names]) =>
      `import { ${names.join(', ')} } from '${entry}'; console.log(${names.map((n) => `typeof ${n}`)});`,
  );
  write(folder, { 'all.mjs': lines.join('\n') });
  expect(run(folder, 'node', 'all.mjs').trim().split('\n')).toEqual([
    'function function function function function',
    'object object function',
    'function string object',
    'function',
    'function function function',
    'function function function function function function',
    'function',
  ]);
});

test('every entry point can be required from CommonJS', () => {
  const lines = Object.entries(NAMES).map(
    ([entry, names]) =>
      `{ const { ${names.join(', ')} } = require('${entry}'); console.log(${names.map((n) => `typeof ${n}`)}); }`,
  );
  write(folder, { 'all.cjs': lines.join('\n') });
  expect(run(folder, 'node', 'all.cjs').trim().split('\n')).toEqual([
    'function function function function function',
    'object object function',
    'function string object',
    'function',
    'function function function',
    'function function function function function function',
    'function',
  ]);
});

test.each([
  ['phone.mjs', "import { parsePhone } from 'data-import-sdk/mapping';"],
  ['phone.cjs', "const { parsePhone } = require('data-import-sdk/mapping');"],
])('parsePhone finds libphonenumber-js in %s', (file, load) => {
  write(folder, { [file]: `${load}\nconsole.log(parsePhone('06 39 98 12 34', 'FR'));` });
  expect(run(folder, 'node', file)).toBe('+33639981234\n');
});

const MIGRATION = `
  const sandbox = createSandbox();
  const { url, close } = await sandbox.listen();
  const client = new DataImportClient({ baseUrl: url, token: sandbox.token });
  const account = { external_account_number: 'A-1', import_supplier: SANDBOX_SUPPLIER };
  const { callOutcome: outcome } = await client.accounts.stage(account);
  const error = await client.accounts.stage({ ...account, customers: [{ landline: 'x' }] }).catch((e) => e);
  console.log(outcome, error instanceof InvalidPayloadError, error.at('customers.0.landline')[0].code);
  await client.close();
  await close();
`;

test('client and sandbox work together from ESM', () => {
  write(folder, {
    'work.mjs': `import { DataImportClient, InvalidPayloadError } from 'data-import-sdk';
      import { createSandbox, SANDBOX_SUPPLIER } from 'data-import-sdk/sandbox';${MIGRATION}`,
  });
  expect(run(folder, 'node', 'work.mjs')).toBe('created true invalid_phone_number\n');
});

test('client and sandbox work together from CommonJS', () => {
  write(folder, {
    'work.cjs': `const { DataImportClient, InvalidPayloadError } = require('data-import-sdk');
      const { createSandbox, SANDBOX_SUPPLIER } = require('data-import-sdk/sandbox');
      (async () => {${MIGRATION}})();`,
  });
  expect(run(folder, 'node', 'work.cjs')).toBe('created true invalid_phone_number\n');
});

test('instanceof recognises the errors of the CommonJS copy in ESM', () => {
  write(folder, {
    'copies.mjs': `import { createRequire } from 'node:module';
      import { InvalidPayloadError } from 'data-import-sdk';
      const other = createRequire(import.meta.url)('data-import-sdk');
      const client = new other.DataImportClient({ baseUrl: 'http://localhost:1', token: 't' });
      const error = await client.imports.all('').catch((e) => e);
      console.log(InvalidPayloadError === other.InvalidPayloadError, error instanceof InvalidPayloadError);
      for (const name of ['migration', 'mapping']) {
        const [own, copy] = [await import('data-import-sdk/' + name), createRequire(import.meta.url)('data-import-sdk/' + name)];
        for (const key of Object.keys(own).filter((key) => key.endsWith('Error'))) {
          const error = Object.create(copy[key].prototype);
          console.log(key, own[key] === copy[key], error instanceof own[key], error instanceof class extends own[key] {});
        }
      }`,
  });
  const others = ['CannotJoin', 'CopiedLedger', 'Renumbered', 'RunTarget', 'StaleRecord', 'Mapping'];
  expect(run(folder, 'node', 'copies.mjs').trim().split('\n')).toEqual([
    'false true',
    ...others.map((name) => `${name}Error false true false`),
  ]);
});

describe('types', () => {
  const right = `import { DataImportClient, type Account, type ContractTerm, type Customer } from 'data-import-sdk';
    import { createSandbox } from 'data-import-sdk/sandbox';
    import { sandboxHandlers } from 'data-import-sdk/msw';
    import { accountSchema } from 'data-import-sdk/schemas';
    import { keepInvalid, omitEmpty, parseDate, parseDecimal, parsePhone } from 'data-import-sdk/mapping';
    export const amount: number | undefined = parseDecimal('1', ',');
    export const date: string | undefined = keepInvalid(parseDate)('1/2/24', 'D/M/YY', { latestYear: 2026 });
    export const phones: Customer = omitEmpty({ mobile: parsePhone('', 'FR') });
    const account: Account = { external_account_number: 'A', import_supplier: 'S', customers: [{ landline: '' }] };
    const term: ContractTerm = { term_type: 'DELAYER_DAYS', days: 1, strategy: 'ANY' };
    const client = new DataImportClient({ baseUrl: 'https://api.example.com', token: async () => 't' });
    export const outcome: Promise<'created' | 'updated'> = client.accounts.stage(account).then((r) => r.callOutcome);
    export const rest = [term, createSandbox, sandboxHandlers, accountSchema];`;
  const wrong = `import type { Account } from 'data-import-sdk';
    export const account: Account = { external_account_number: 'A', import_supplier: 'S', biling_postcode: '1' };`;
  const copies = `import { DataImportClient, type Accounts, type CallPromise, type StageResult } from 'data-import-sdk';
    import type * as other from 'data-import-sdk-copy';
    import type { MigrationOptions } from 'data-import-sdk-copy/migration';
    const client: other.DataImportClient = new DataImportClient({ baseUrl: 'https://api.example.com', token: 't' });
    export const back: DataImportClient = client;
    export const accounts: other.Accounts = back.accounts satisfies Accounts;
    export const call: CallPromise<StageResult> = accounts.stage({ external_account_number: 'A', import_supplier: 'S' });
    export const options: Pick<MigrationOptions, 'client'> = { client: back };`;

  /** What the compiler says about programs, without skipLibCheck. One call for several: nearly all of its time goes into the package. */
  function complaintsAbout(module: string, resolution: string, programs: Record<string, string>): string {
    write(folder, programs);
    const options = [
      ...['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2022', '--types', 'node'],
      ...['--module', module, '--moduleResolution', resolution],
    ];
    return outcome(folder, bin('tsc'), ...options, ...Object.keys(programs)).output;
  }

  test('hold for ESM, CommonJS and two installed copies, without skipLibCheck, and refuse a misspelt field', () => {
    const copy = join(folder, 'node_modules', 'data-import-sdk-copy');
    cpSync(join(folder, 'node_modules', 'data-import-sdk'), copy, { recursive: true });
    const programs = { 'consumer.mts': right, 'consumer.cts': right, 'copies.mts': copies, 'wrong.mts': wrong };
    expect(complaintsAbout('nodenext', 'nodenext', programs).match(/^\S+\(\d+,\d+\): error .*/gm)).toEqual([
      expect.stringMatching(
        /^wrong\.mts\(.*'biling_postcode' does not exist in type 'Account'.*Did you mean to write 'billing_postcode'\?/,
      ),
    ]);
  });

  test('hold for a bundler, without skipLibCheck', () => {
    expect(complaintsAbout('esnext', 'bundler', { 'consumer.ts': right })).toBe('');
  });
});

test('a bundle of only the client has no module of the sandbox', async () => {
  write(folder, { 'only-client.mjs': "export { DataImportClient } from 'data-import-sdk';" });
  const { metafile, outputFiles } = await build({
    entryPoints: [join(folder, 'only-client.mjs')],
    absWorkingDir: folder,
    bundle: true,
    platform: 'node',
    format: 'esm',
    minify: true,
    write: false,
    metafile: true,
    external: ['zod', 'undici', 'p-limit', 'p-retry'],
  });
  const [output] = Object.values(metafile.outputs);
  expect(Object.keys(output?.inputs ?? {}).filter((name) => /hono|msw|sandbox/.test(name))).toEqual([]);
  // Code of the sandbox would lie in a chunk whose name tells nothing.
  expect(outputFiles[0]?.text).toContain('DataImportClient');
  expect(outputFiles[0]?.text).not.toMatch(/sbx-vendor|SANDBOX_|sandbox-token/);
  // 129,989 when this was written: the bound shows what a change adds.
  expect(outputFiles[0]?.contents.length).toBeLessThan(130_200);
});

test('importing the client loads neither the sandbox nor its dependencies, nor undici before a client needs it', () => {
  write(folder, {
    'later.mjs': 'export {};',
    'loaded.cjs': `const { DataImportClient } = require('data-import-sdk');
      const loaded = () => Object.keys(require.cache).some((file) => /hono|msw|sandbox|undici/.test(file));
      const options = { baseUrl: 'https://api.example.com', token: 't' };
      (async () => {
        console.log(loaded());
        await new DataImportClient({ ...options, fetch: async () => Response.json([]) }).imports.all('ACME');
        // Modules that are loaded in parallel to the call are loaded when this one is.
        await import('./later.mjs');
        console.log(loaded());
        await new DataImportClient(options).close();
        console.log(loaded());
      })();`,
  });
  expect(run(folder, 'node', 'loaded.cjs')).toBe('false\nfalse\ntrue\n');
});

test('the tarball contains exactly the published files', () => {
  const files = run(folder, 'tar', '-tzf', tarball).trim().split('\n');
  const unexpected = files.filter(
    (file) =>
      !/^package\/(dist\/.*\.([cm]?js|[cm]?js\.map|d\.ts|d\.cts|json|html|css)|package\.json|README\.md|LICENSE|docs\/[\w/-]+\.md|docs\/fidelity\.json|examples\/.+|(CHANGELOG|CONTRIBUTING|SECURITY)\.md|llms\.txt)$/.test(
        file,
      ),
  );
  expect(unexpected).toEqual([]);
  expect(files).toContain('package/dist/openapi.json');
  expect(files).toContain('package/dist/json-schema/Account.json');
  expect(files).toEqual(expect.arrayContaining(['package/llms.txt', 'package/docs/agents.md']));
});

test("the sandbox's server finds the files of its console, from ESM and from CommonJS", () => {
  const serve = `.listen().then(async (server) => {
      for (const path of ['', 'assets/console.js', 'assets/styles/base.css', 'assets/tsconfig.json']) {
        const { status, headers } = await fetch(server.url + '/__sandbox/' + path);
        console.log(status, headers.get('content-type'));
      }
      await server.close();
    });`;
  write(folder, {
    'console.mjs': `import { createSandbox } from 'data-import-sdk/sandbox'; createSandbox()${serve}`,
    'console.cjs': `require('data-import-sdk/sandbox').createSandbox()${serve}`,
  });
  for (const file of ['console.mjs', 'console.cjs']) {
    expect(run(folder, 'node', file).trim().split('\n')).toEqual([
      '200 text/html; charset=utf-8',
      '200 text/javascript; charset=utf-8',
      '200 text/css; charset=utf-8',
      '404 application/json',
    ]);
  }
});

test('the shipped OpenAPI document and JSON Schemas can be imported by name', () => {
  const { openapi, paths } = createRequire(join(folder, 'x.js'))('data-import-sdk/openapi.json');
  expect(openapi).toBe('3.1.0');
  expect(Object.keys(paths)).toHaveLength(14);
  const note = createRequire(join(folder, 'x.js'))('data-import-sdk/json-schema/Note.json');
  expect(note.anyOf).toEqual([{ required: ['body'] }, { required: ['document_paths'] }]);
});

test('the command serves the sandbox, with its console, until it gets a signal', async () => {
  const command = join(folder, 'node_modules/.bin/data-import-sdk');
  expect(run(folder, command, '--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
  const server = spawn(command, ['sandbox', '--port', '0', '--json', '--file', 'state.json'], { cwd: folder });
  const exit = once(server, 'exit');
  const [line] = (await once(server.stdout, 'data')) as [Buffer];
  const { url, token, consoleUrl } = JSON.parse(line.toString()) as Record<string, string>;
  const list = await fetch(`${url}/v1/data-import/all-account-import-processes/SANDBOX_SUPPLIER/`, {
    headers: { Authorization: `Token ${token}` },
  });
  expect(await list.json()).toEqual([]);
  const page = await fetch(String(consoleUrl));
  expect(page.headers.get('content-type')).toContain('text/html');
  const [, script = ''] = /<script[^>]* src="([^"]+)"/.exec(await page.text()) ?? [];
  expect((await fetch(new URL(script, consoleUrl))).status).toBe(200);
  server.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
  expect(JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8'))).toMatchObject({
    state: { teams: ['SANDBOX_TEAM'] },
  });
});

test('the command carries a sample input into its sandbox, and leaves a report', () => {
  const command = join(folder, 'node_modules/.bin/data-import-sdk');
  write(folder, { 'sample.jsonl': run(folder, command, 'sample') });
  const rehearsal = outcome(folder, command, 'run', 'sample.jsonl', '--sandbox');
  expect(rehearsal.ok).toBe(false);
  expect(rehearsal.output).toContain('192 created + 0 already imported + 10 rejected + 1 skipped + 0 unknown = 203\n');
  expect(readFileSync(join(folder, 'data-import-rehearsal/report.html'), 'utf8')).toContain('192 records created');
});

describe('OpenTelemetry', () => {
  const MEASURE = `
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
    const meterProvider = new MeterProvider({ readers: [reader] });
    const print = async () => {
      await meterProvider.forceFlush();
      for (const { metrics } of exporter.getMetrics().at(-1).scopeMetrics)
        for (const { descriptor, dataPoints } of metrics)
          for (const { attributes, value } of dataPoints)
            console.log(descriptor.name, attributes['data_import.outcome'] ?? attributes['data_import.operation'], value.count ?? value);
    };`;
  const CALL = `
    const { url, close } = await sandbox.listen();
    const client = new DataImportClient({ baseUrl: url, token: sandbox.token });
    await client.accounts.stage({ external_account_number: 'A-1', import_supplier: SANDBOX_SUPPLIER });
    await client.close();
    await close();
    await print();`;
  const MEASURED = 'http.client.request.duration accounts.stage 1\nhttp.client.active_requests accounts.stage 0\n';

  test('measures requests with the SDK of version 2, from ESM', () => {
    write(folder, {
      'otel.mjs': `import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
        import { DataImportClient } from 'data-import-sdk';
        import { instrumentDataImport } from 'data-import-sdk/opentelemetry';
        import { createSandbox, SANDBOX_SUPPLIER } from 'data-import-sdk/sandbox';
        ${MEASURE} instrumentDataImport({ meterProvider }); const sandbox = createSandbox(); ${CALL}`,
    });
    expect(run(folder, 'node', 'otel.mjs')).toBe(MEASURED);
  });

  test('measures the client of the CommonJS copy too, because the channels belong to the process', () => {
    write(folder, {
      'otel.cjs': `const { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } = require('@opentelemetry/sdk-metrics');
        const { DataImportClient } = require('data-import-sdk');
        const { createSandbox, SANDBOX_SUPPLIER } = require('data-import-sdk/sandbox');
        (async () => {
          const { instrumentDataImport } = await import('data-import-sdk/opentelemetry');
          ${MEASURE} instrumentDataImport({ meterProvider }); const sandbox = createSandbox(); ${CALL}
        })();`,
    });
    expect(run(folder, 'node', 'otel.cjs')).toBe(MEASURED);
  });

  test('measures the command line, by a module of --import', () => {
    write(folder, {
      'otel-setup.mjs': `import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
        import { instrumentDataImport } from 'data-import-sdk/opentelemetry';
        ${MEASURE} instrumentDataImport({ meterProvider });
        process.once('beforeExit', print);`,
      'watched.jsonl': '{"account":{"import_supplier":"SANDBOX_SUPPLIER","external_account_number":"A-1"}}\n',
    });
    const cli = join(folder, 'node_modules/data-import-sdk/dist/cli.js');
    const flags = ['run', 'watched.jsonl', '--sandbox', '--run', 'watched'];
    const output = run(folder, 'node', '--import', './otel-setup.mjs', cli, ...flags);
    expect(output).toContain('http.client.request.duration accounts.process 1\n');
    expect(output).toContain('data_import.records created 1\n');
  });
});

const EXPORT = `N° client;Prénom;Nom;Né(e) le;Téléphone;Courriel;Adresse;Code postal;PDL;Solde
10041;Alix;Arbois;04/07/1983;06 39 98 00 41;alix.arbois@example.com;12 rue des Lilas;69003;12345678901231;-24,50
10042;Basile;Cormier;17/11/1961;06 39 98 00 42;;"3, place du Marché";69007;12345678901232;0,00
`;

describe('data-import-sdk init, in a folder with only a CSV export', () => {
  const project = join(folder, 'legacy');
  const cli = join(folder, 'node_modules/data-import-sdk/dist/cli.js');
  const command = (...args: string[]) => run(project, 'node', cli, ...args);

  beforeAll(() => {
    mkdirSync(project);
    write(project, { 'accounts.csv': EXPORT });
    command('init', '--from', 'accounts.csv', '--supplier', 'ACME', '--region', 'FR');
  });

  test('writes a mapping that the compiler accepts', () => {
    const flags = [
      '--noEmit',
      '--allowJs',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--types',
      'node',
    ];
    expect(run(project, bin('tsc'), ...flags, 'map.mjs')).toBe('');
  });

  test('writes a mapping whose records pass the check', () => {
    const out = command('check', 'accounts.csv', '--map', 'map.mjs', '--no-warnings');
    expect(out).toContain('2 lines, 0 errors');
    expect(out).toContain('the mapping never reads 1 column of 10: Solde');
  });

  test('writes a test that imports the export into the sandbox', () => {
    expect(run(project, 'node', '--test')).toContain('# pass 1');
  });

  test('writes a test that accepts a row that is in the export twice', () => {
    const [, row = ''] = EXPORT.split('\n');
    write(project, { 'accounts.csv': `${EXPORT}${row}\n` });
    const output = run(project, 'node', '--test');
    write(project, { 'accounts.csv': EXPORT });
    expect(output).toContain('# pass 1');
  });

  test('writes a test that names the field of a wrong record', () => {
    const map = readFileSync(join(project, 'map.mjs'), 'utf8');
    write(project, { 'map.mjs': map.replace(`date(row["Né(e) le"], 'DD/MM/YYYY')`, 'row["Né(e) le"]') });
    const { ok, output } = outcome(project, 'node', '--test');
    write(project, { 'map.mjs': map });
    expect(ok).toBe(false);
    expect(output).toContain('2 records: account.customers.*.date_of_birth invalid_date');
  });

  test('writes a test that fails with one clear error for a row that cannot be read, and no stack', () => {
    write(project, { 'accounts.csv': `${EXPORT}A-9;Mme\n` });
    const { ok, output } = outcome(project, 'node', '--test');
    write(project, { 'accounts.csv': EXPORT });
    expect(ok).toBe(false);
    expect(output).toContain('accounts.csv:4: The row has 2 fields, and the header 10 columns. Correct the row:');
    expect(output).not.toMatch(/^ +at |node:internal|AssertionError/m);
  });

  test('the check of a mapping with a syntax error names the command that shows the line', () => {
    write(project, { 'broken.mjs': 'export default function map(row) {\n  return { account: row[ };\n}\n' });
    const { ok, output } = outcome(project, 'node', cli, 'check', 'accounts.csv', '--map', 'broken.mjs');
    expect(ok).toBe(false);
    expect(output).toContain('; "node --check broken.mjs" shows the line)');
    expect(outcome(project, 'node', '--check', 'broken.mjs').output).toContain('broken.mjs:2\n');
  });

  test('names the next commands, which rehearse the migration', () => {
    const readme = readFileSync(join(project, 'README.md'), 'utf8');
    expect(readme).toContain('npx data-import-sdk run accounts.csv --map map.mjs --sandbox');
    expect(command('run', 'accounts.csv', '--map', 'map.mjs', '--sandbox')).toContain('2 created');
  });
});

test('the console is served by the CommonJS copy as well', () => {
  write(folder, {
    'console.cjs': `const { createSandbox } = require('data-import-sdk/sandbox');
      (async () => {
        const { url, close } = await createSandbox().listen();
        console.log((await fetch(url + '/__sandbox/')).status);
        await close();
      })();`,
  });
  expect(run(folder, 'node', 'console.cjs')).toBe('200\n');
});

test('publint finds nothing', () => {
  expect(outcome(root, bin('publint'), 'run', tarball, '--strict')).toMatchObject({ ok: true });
});

test('are-the-types-wrong finds nothing', () => {
  expect(outcome(root, bin('attw'), tarball, '--no-color', '--profile', 'node16')).toMatchObject({ ok: true });
});

test('no published file has a path of the machine that built it', () => {
  run(folder, 'tar', '-xzf', tarball);
  for (const file of ['index.js', 'index.cjs', 'sandbox.js', 'index.d.ts', 'openapi.json']) {
    expect(readFileSync(join(folder, 'package/dist', file), 'utf8')).not.toContain(root);
  }
});

describe('examples, on the installed package', () => {
  beforeAll(() => {
    cpSync(join(root, 'examples'), join(folder, 'examples'), { recursive: true });
    write(folder, { 'examples/package.json': JSON.stringify({ type: 'module' }) });
  });

  test.each(Object.entries(EXPECTED_LINES))('%s prints what the cookbook promises', (name, lines) => {
    const output = run(folder, bin('tsx'), `examples/${name}.ts`);
    expect(linesIn(output, lines)).toEqual(lines);
  });
});

test('the programs of the README print what the README says', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const programs = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);
  expect(programs).toHaveLength(2);
  const printed = programs.map((code) => {
    write(folder, { 'readme.mjs': code });
    const { ok, output } = outcome(folder, process.execPath, 'readme.mjs');
    expect(ok).toBe(true);
    return output.trim();
  });
  expect(printed).toEqual([
    'created string\n' +
      'accounts.stage: 400 account_already_imported, external_account_number account_already_imported. ' +
      'Not retried. The service already has the account. Use the existing account; it needs no second import. [validation-error]',
    'false\n' +
      'error customers.0.mobile invalid_phone_number\n' +
      'error customers.0.date_of_birth invalid_date\n' +
      'warning customers.0.family_name garbled_text',
  ]);
  // What the comments of the programs say, line by line.
  const said = programs.flatMap((code) => [...code.matchAll(/\/\/ (.+)$/gm)].map(([, text = '']) => text));
  expect(said.join(' ')).toBe(printed.join(' ').replaceAll('\n', ' '));
});
