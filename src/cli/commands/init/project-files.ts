/** Exports `projectFiles`: the files that `data-import-sdk init` writes, with their texts. */
import { readFileSync } from 'node:fs';
import { hasOwnSqlite } from '../../../migration/ledger/sqlite/driver.js';
import { shellWord } from '../../shared/command-text.js';
import { jsonText } from './literals.js';
import { mappingCodes, mappingText } from './mapping-text.js';
import { queryCodes, queryText } from './query-text.js';
import type { FieldCodes, RecordSettings } from './record-code.js';
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

/** The code of the fields of a record. */
export function codesOf({ plan, settings }: Project): FieldCodes {
  return settings.as === 'map' ? mappingCodes(plan, settings) : queryCodes(plan, settings);
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
  return filled(TEST, {
    import: isMap ? "import map from './map.mjs';\n" : '',
    input: jsonText(input),
    options,
  });
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
