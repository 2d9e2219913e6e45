/** Exports `projectFiles`: the files that `data-import-sdk init` writes, with their texts. */
import { readFileSync } from 'node:fs';
import { hasOwnSqlite } from '../../../migration/ledger/sqlite/driver.js';
import { shellWord } from '../../shared/command-text.js';
import { jsonText } from './literals.js';
import { mappingCodes, mappingText } from './mapping-text.js';
import { queryCodes, queryText } from './query-text.js';
import { columnUses, type RecordSettings } from './record-code.js';
import type { Plan } from './related-exports.js';

// The build puts the texts of the files here (build/text-files.ts).
const TEST = readFileSync(new URL('templates/rehearsal-test.txt', import.meta.url), 'utf8');
const README = readFileSync(new URL('templates/readme.txt', import.meta.url), 'utf8');
/** Exports and run folders hold personal data. */
const IGNORED = readFileSync(new URL('templates/gitignore.txt', import.meta.url), 'utf8');

/** Returns a template with the values in place of their names. */
function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/<<(\w+)>>/g, (_, name: string) => values[name] ?? '');
}

interface ProjectSettings extends RecordSettings {
  /** Path of the JSON Schema of the config file, from the folder of the project. */
  configSchema: string;
  /** How records are made: by a function in JavaScript, or by a query in SQL. */
  as: 'map' | 'sql';
  /** Operations team; undefined if not known yet. */
  team: string | undefined;
}

/** What `init` knows about the project. */
export type Project = ReturnType<typeof projectOf>;

export function projectOf(plan: Plan, settings: ProjectSettings) {
  const { path, table } = plan.file;
  const isMap = settings.as === 'map';
  const codes = isMap ? mappingCodes(plan, settings) : queryCodes(plan, settings);
  const uses = columnUses(plan, codes);
  const left = uses.filter(({ isLeft }) => isLeft);
  const code = isMap ? 'map.mjs' : `${table}.sql`;
  // A path that begins with - would be read as an option.
  const argument = path.startsWith('-') ? `./${path}` : path;
  return {
    plan,
    settings,
    /** The code of the fields of a record. */
    codes,
    uses,
    /** The columns that the code does not read. */
    left,
    /** The file with the code that the user completes. */
    code,
    text: isMap ? mappingText(plan, codes, left) : queryText(plan, settings, codes, left),
    /** The words after `data-import-sdk check`. */
    words: isMap ? `${shellWord(argument)} --map ${code}` : code,
  };
}

/** The files of the project. The first one is the code that the user completes. */
export function projectFiles(project: Project): { name: string; text: string }[] {
  return [
    { name: project.code, text: project.text },
    { name: 'data-import.config.json', text: configText(project) },
    { name: 'rehearsal.test.mjs', text: testText(project) },
    { name: 'README.md', text: readmeText(project) },
    { name: '.gitignore', text: IGNORED },
  ];
}

/** Optional packages that the files of the project and a run need, each with what `npm install` takes. */
export function packagesOf({ settings, text }: Project): [name: string, spec: string][] {
  const packages = [
    ...(settings.as === 'sql' ? [['@duckdb/node-api', '1.5.6-r.1']] : []),
    ...(/parsePhone|phone_e164/.test(text) ? [['libphonenumber-js', '1']] : []),
    ...(hasOwnSqlite() ? [] : [['@photostructure/sqlite', '1.2.1']]),
  ];
  return packages.map(([name = '', version]) => [name, `${name}@${version}`]);
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
  const isMap = project.settings.as === 'map';
  const input = isMap ? path : project.code;
  const options = isMap ? `, { map${encoding === 'utf-8' ? '' : `, encoding: ${jsonText(encoding)}`} }` : '';
  return filled(TEST, {
    import: isMap ? "import map from './map.mjs';\n" : '',
    input: jsonText(input),
    options,
  });
}

function readmeText(project: Project): string {
  const { code, words } = project;
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
  return filled(README, {
    code,
    packages: packages.join(' '),
    commands: inColumns(commands),
    ofService: inColumns(ofService),
  });
}

function inColumns(commands: readonly [command: string, what: string][]): string {
  const width = Math.max(...commands.map(([command]) => command.length));
  return commands.map(([command, what]) => `${command.padEnd(width)}  # ${what}`).join('\n');
}
