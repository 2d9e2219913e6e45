/** Exports `projectFiles`: the files that `data-import-sdk init` writes, with their texts. */
import { hasOwnSqlite } from '../../../migration/ledger/sqlite/driver.js';
import { shellWord } from '../../shared/command-text.js';
import { jsonText } from './literals.js';
import { mappingText, type RecordSettings } from './mapping-text.js';
import { queryText } from './query-text.js';
import type { Plan } from './related-exports.js';

/** What `init` knows about the project. */
export interface Project {
  plan: Plan;
  settings: ProjectSettings;
}

interface ProjectSettings extends RecordSettings {
  /** Path of the JSON Schema of the config file, from the folder of the project. */
  configSchema: string;
  /** How records are made: by a function in JavaScript, or by a query in SQL. */
  as: 'map' | 'sql';
  /** Operations team; undefined if not known yet. */
  team: string | undefined;
}

/** The file with the code that the user completes, and the words after `data-import-sdk check`. */
export function inputOf({ plan: { file }, settings }: Project): { code: string; words: string } {
  const code = settings.as === 'map' ? 'map.mjs' : `${file.table}.sql`;
  return { code, words: settings.as === 'map' ? `${shellWord(asArgument(file.path))} --map ${code}` : code };
}

/** A path that begins with - would be read as an option. */
function asArgument(path: string): string {
  return path.startsWith('-') ? `./${path}` : path;
}

export interface ProjectFile {
  name: string;
  text: string;
}

/** The files of the project. The first one is the code that the user completes. */
export function projectFiles(project: Project): ProjectFile[] {
  return [
    { name: inputOf(project).code, text: codeText(project) },
    { name: 'data-import.config.json', text: configText(project) },
    { name: 'rehearsal.test.mjs', text: testText(project) },
    { name: 'README.md', text: readmeText(project) },
    { name: '.gitignore', text: IGNORED },
  ];
}

/** Optional packages that the files of the project and a run need, each with what `npm install` takes. */
export function packagesOf(project: Project): [name: string, spec: string][] {
  const code = codeText(project);
  return [
    ...(project.settings.as === 'sql' ? [named('@duckdb/node-api', '1.5.6-r.1')] : []),
    ...(/parsePhone|phone_e164/.test(code) ? [named('libphonenumber-js', '1')] : []),
    ...(hasOwnSqlite() ? [] : [named('@photostructure/sqlite', '1.2.1')]),
  ];
}

function named(name: string, version: string): [name: string, spec: string] {
  return [name, `${name}@${version}`];
}

function codeText({ plan, settings }: Project): string {
  return settings.as === 'map' ? mappingText(plan, settings) : queryText(plan, settings);
}

function configText({ plan: { file }, settings: { as, team, configSchema } }: Project): string {
  const { encoding } = file;
  const config = {
    $schema: configSchema,
    ...(as === 'map' && encoding !== 'utf-8' && !encoding.startsWith('utf-16') && { encoding }),
    ...(team !== undefined && { team }),
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

function testText(project: Project): string {
  const { encoding, path } = project.plan.file;
  const { as } = project.settings;
  const isMap = as === 'map';
  const input = isMap ? path : inputOf(project).code;
  const options = isMap ? `, { map${encoding === 'utf-8' ? '' : `, encoding: ${jsonText(encoding)}`} }` : '';
  return `// Imports the first records of the export into the sandbox, in this process. Start it with: node --test
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { DataImportClient } from 'data-import-sdk';
import { createMemoryLedger, inputFromRecords, openInput, runMigration } from 'data-import-sdk/migration';
import { createSandbox, SANDBOX_TEAM } from 'data-import-sdk/sandbox';
${isMap ? "import map from './map.mjs';\n" : ''}
const MOST_RECORDS = 200;

test('the sandbox imports the first records of the export', async () => {
  const records = await firstRecords().catch(({ message }) => fail(message));
  const codes = new Set(records.map(({ account, business }) => account?.import_supplier ?? business?.import_supplier_code));
  const sandbox = createSandbox({ suppliers: [...codes].map((code) => ({ code })) });
  const server = await sandbox.listen();
  const client = new DataImportClient({ baseUrl: server.url, token: sandbox.token });
  const folder = await mkdtemp(join(tmpdir(), 'data-import-'));
  const { state, summary } = await runMigration({
    client,
    input: inputFromRecords(records),
    folder,
    team: SANDBOX_TEAM,
    ledger: createMemoryLedger(),
  });
  await client.close();
  await server.close();
  await rm(folder, { recursive: true });

  // A record that is in the export twice with equal content is imported once.
  const errors = summary.errors.filter(({ code }) => code !== 'duplicate_record');
  if (errors.length > 0) fail(errors.map(({ code, attr, count }) => \`\${count} records: \${attr} \${code}\`).join('\\n'));
  assert.equal(state, 'finished');
  assert.equal(summary.created + summary.duplicates, records.length, summary.balance.text);
});

async function firstRecords() {
  const records = [];
  const input = await openInput([${jsonText(input)}]${options});
  for await (const line of input) {
    const { record, problem } = line.read();
    if (problem !== undefined) throw new Error(\`\${line.source}:\${line.line}: \${problem.detail}\`);
    if (records.push(record) === MOST_RECORDS) break;
  }
  await input.close();
  return records;
}

/** Ends the test with this text and no stack. */
function fail(text) {
  throw Object.assign(new Error(text), { stack: text });
}
`;
}

function readmeText(project: Project): string {
  const { code, words } = inputOf(project);
  const { team = 'EAST' } = project.settings;
  const ofTeam = `--team ${shellWord(team)}`;
  const packages = packagesOf(project).map(([, spec]) => spec);
  const commands: [command: string, what: string][] = [
    [`npx data-import-sdk profile ${words}`, 'shows what is in each field, with the sums of the amounts'],
    [`npx data-import-sdk check ${words}`, 'validates every record, without the service'],
    ['node --test', 'imports the first 200 records into the sandbox; fails while one of them is invalid'],
    [`npx data-import-sdk run ${words} --sandbox`, 'rehearses the whole migration'],
    ['npx data-import-sdk verify --sandbox', 'compares the ledger of the rehearsal with the sandbox'],
  ];
  const ofService: [command: string, what: string][] = [
    [`npx data-import-sdk doctor ${words}`, 'checks the service; stages nothing'],
    [`npx data-import-sdk run ${words} ${ofTeam} --canary 100`, 'imports 100 accounts, then asks whether to continue'],
    ['npx data-import-sdk verify', 'compares the ledger with the service'],
    [
      `npx data-import-sdk retry data-import-run/rejected.jsonl ${ofTeam}`,
      'sends rejected records that you have corrected',
    ],
  ];
  return `# Migration project

\`${code}\` turns the export into records. Packages:

\`\`\`sh
npm install data-import-sdk ${packages.join(' ')}
\`\`\`

The next commands:

\`\`\`sh
${inColumns(commands)}
\`\`\`

The migration itself needs the address and the token of the service:

\`\`\`sh
export DATA_IMPORT_BASE_URL=https://api.example.com DATA_IMPORT_TOKEN=…
${inColumns(ofService)}
\`\`\`

Each session prints lines that begin with \`Next\`: what to do about each kind of record that needs you. \`data-import-run/report.html\` shows
the whole run.
`;
}

function inColumns(commands: readonly [command: string, what: string][]): string {
  const width = Math.max(...commands.map(([command]) => command.length));
  return commands.map(([command, what]) => `${command.padEnd(width)}  # ${what}`).join('\n');
}

/** Exports and run folders hold personal data. */
const IGNORED = `node_modules/
data-import-run*/
data-import-rehearsal*/
*.csv
*.csv.gz
*.jsonl
*.jsonl.gz
`;
