/** Exports `initCommand`: `data-import-sdk init`, which writes the files of a migration project for a CSV export. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { decoded } from '../../../migration/input/text/code-pages.js';
import { linesWithAccents } from '../../../migration/input/text/plausible-encodings.js';
import { counted } from '../../../migration/shared/format.js';
import { defineCommand } from '../../options/command.js';
import { inputOptions } from '../../options/input-options.js';
import type { OptionTable, OptionValues } from '../../options/option.js';
import { retryRecordOptions } from '../../options/record-options.js';
import { repeated } from '../../options/values.js';
import type { CommandContext } from '../../shared/command-context.js';
import { UsageError } from '../../shared/errors.js';
import { isValue } from './column-content.js';
import { inOneLine } from './literals.js';
import { matchColumns } from './match-columns.js';
import { type Project, packagesOf, projectFiles, projectOf } from './project-files.js';
import { type ExportFile, readExport, valuesOf } from './read-export.js';
import { shownPath, type WrittenField, writtenFields } from './record-code.js';
import { type Plan, planRecords, type Related } from './related-exports.js';
import { areParsed } from './value-forms.js';

const DEFAULT_SUPPLIER = 'ACME';

const options = {
  from: {
    flags: '--from <path>',
    group: 'Input',
    help: 'CSV export to start from',
    details: 'For an export of several files, once for each; the first one has a row for each account.',
    parse: repeated,
    isFlagOnly: true,
  },
  as: {
    flags: '--as <language>',
    group: 'Input',
    help: 'code to write: map or sql',
    details: 'A mapping in JavaScript, or a query.',
    choices: ['map', 'sql'],
    shownDefault: 'map',
    isFlagOnly: true,
  },
  encoding: { ...inputOptions.encoding, shownDefault: 'found, or asked for' },
  supplier: {
    flags: '--supplier <code>',
    group: 'Records',
    help: 'import supplier',
    shownDefault: DEFAULT_SUPPLIER,
  },
  region: {
    flags: '--region <code>',
    group: 'Records',
    help: 'region of telephone numbers, such as FR',
    details: 'Required if the export has telephone numbers without a country code, such as 06 39 98 12 34.',
    parse: regionOf,
    isFlagOnly: true,
  },
  team: retryRecordOptions.team,
  yes: { flags: '--yes', group: 'Safety', help: 'ask no questions', isFlagOnly: true },
} as const satisfies OptionTable;

type Flags = OptionValues<typeof options>;

export const command = defineCommand({
  operands: [['[export...]', 'CSV exports, as with --from']],
  options,
  hasSettings: false,
  action: init,
});

/** Reads the code of a region, such as FR. */
function regionOf(text: string): string {
  const code = text.toUpperCase();
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  if (/^[A-Z]{2}$/.test(code) && names.of(code) !== undefined) return code;
  throw new InvalidArgumentError('Expected the two letters of a country, such as FR or DE.');
}

async function init(operands: readonly string[], flags: Flags, { out, ask }: CommandContext): Promise<void> {
  const named = [...operands, ...(flags.from ?? [])];
  const question = flags.yes ? undefined : ask;
  const paths = named.length > 0 ? named : await askedPath(question);
  const { as = 'map', encoding } = flags;
  const files: ExportFile[] = [];
  for (const path of paths) {
    const tables = files.map(({ table }) => table);
    files.push(await readExport(path, { encoding, tables, choose: question && chooser(question, out) }));
  }
  for (const one of files) expectHeader(one);
  const [file, ...others] = files;
  if (file === undefined) throw new UsageError('--from: name a CSV export.');
  const plan = planRecords(file, matchColumns(file.columns), others);
  const supplier = flags.supplier ?? (await answerTo(question, `Import supplier code [${DEFAULT_SUPPLIER}]: `));
  const region = flags.region ?? (await askedRegion(question, localNumbersIn(plan)));
  const team = flags.team ?? (await answerTo(question, 'Operations team, if you know it: '));
  const latestYear = new Date().getFullYear();
  const settings = { as, region, latestYear, team: team || undefined, supplier: supplier || DEFAULT_SUPPLIER };
  const project = projectOf(plan, { ...settings, configSchema: configSchema() });
  const lines = files.map((one) => linesOf(one, project));
  for (const [index, one] of files.entries()) out(`${describe(one)}\n${inWords(lines[index] ?? [], one, plan)}`);
  const written = await write(projectFiles(project));
  out(written.map(([name, isNew]) => `${isNew ? 'written' : 'kept unchanged, because it exists:'} ${name}\n`).join(''));
  const open = lines.flat().filter(({ isQuestion }) => isQuestion).length;
  out(nextSteps(project, { open, isCodeNew: written[0]?.[1] === true, isSupplierOpen: !supplier }));
}

/** Shows the lines with accents in each encoding, and asks for one. */
function chooser(ask: NonNullable<CommandContext['ask']>, out: CommandContext['out']) {
  return async (path: string, first: Buffer, encodings: readonly string[]): Promise<string> => {
    const lines = linesWithAccents(first, encodings);
    out(`${path} may be in ${encodings.length} encodings, which read its lines as\n`);
    for (const [index, encoding] of encodings.entries()) {
      const read = lines.map(({ number, bytes }) => `  ${number}: ${inOneLine(decoded(encoding, bytes) ?? '')}\n`);
      out(`${index + 1} ${encoding}\n${read.join('')}`);
    }
    const answer = await answerTo(ask, `Which one is right, 1 to ${encodings.length}? `);
    const chosen = encodings[Number(answer) - 1] ?? encodings.find((encoding) => encoding === answer);
    if (chosen !== undefined) return chosen;
    throw new UsageError(`encoding: expected a number from 1 to ${encodings.length}. Or name one with --encoding.`);
  };
}

/** Stops for a file without a header: its first row would be printed and written as names, and may be personal data. */
function expectHeader({ path, columns }: ExportFile): void {
  const isRepeated = ({ name, values }: ExportFile['columns'][number]) => values.includes(name);
  const isRow =
    columns.some(({ name, values }) => isValue(name) && values.filter(isValue).length * 2 >= values.length) ||
    (columns.some(isRepeated) && !columns.every(isRepeated));
  if (!isRow && matchColumns(columns).isHeaderKnown) return;
  const what = isRow ? 'the first row has values' : `no name of the ${columns.length} columns is known`;
  throw new UsageError(
    `${path}: ${what}; expected a header with names such as account number, Nachname or code postal. Correct the names in the first of the rows that have all columns, or add a header there.`,
  );
}

/** The first column with telephone numbers that have no country code. */
function localNumbersIn({ columns }: Plan): string | undefined {
  return columns.find(
    ({ file, column, field }) => field.kind === 'phone' && areParsed(valuesOf(file, column), undefined),
  )?.column;
}

async function askedRegion(ask: CommandContext['ask'], column: string | undefined): Promise<string | undefined> {
  if (column === undefined) return undefined;
  const what = `the telephone numbers of the column ${inOneLine(column)} have no country code`;
  const answer = await answerTo(ask, `Region (${what}), such as FR: `);
  if (!answer) throw new UsageError(`--region: ${what}. Name their region, such as --region FR.`);
  try {
    return regionOf(answer);
  } catch (error) {
    throw new UsageError(`region: ${(error as Error).message}`, { cause: error });
  }
}

/** Returns the path from here to the JSON Schema in the installed package, which may be in a folder above. */
function configSchema(): string {
  const inPackage = join('node_modules', 'data-import-sdk', 'dist', 'json-schema', 'config.json');
  const here = process.cwd();
  for (let folder = here; ; folder = dirname(folder)) {
    if (existsSync(join(folder, inPackage))) {
      const path = relative(here, join(folder, inPackage)).split(sep).join('/');
      return path.startsWith('.') ? path : `./${path}`;
    }
    if (dirname(folder) === folder) return `./${inPackage.split(sep).join('/')}`;
  }
}

async function askedPath(ask: CommandContext['ask']): Promise<string[]> {
  const path = await answerTo(ask, 'CSV export to start from: ');
  if (path) return [path];
  throw new UsageError('--from: name a CSV export, such as --from customers.csv.');
}

async function answerTo(ask: CommandContext['ask'], question: string): Promise<string | undefined> {
  return ask === undefined ? undefined : (await ask(question)).trim();
}

function describe({ path, encoding, delimiter, skipLines, rows, unread, columns }: ExportFile): string {
  const above = skipLines === 0 ? '' : `, header in line ${skipLines + 1}`;
  const form = `encoding ${encoding}, delimiter ${delimiter === '\t' ? 'tab' : JSON.stringify(delimiter)}${above}`;
  const others = unread.length === 0 ? '' : `, ${unread.length} cannot be read, such as ${unread[0]}`;
  return `${path}: ${form}, ${counted(columns.length, 'column')}, first ${counted(rows, 'row')} read${others}`;
}

/** What is said of a column. */
type ColumnLine = { name: string } & ReturnType<typeof fieldsInWords>;

/**
 * Returns a line for each column: the fields that the code writes from it, the field that it may be for, or its part in a join. A question
 * ends with what to check. Fields without a column that have a question follow.
 */
function linesOf(file: ExportFile, { plan, codes, uses }: Project): ColumnLine[] {
  const isOpen = (one: WrittenField) => one.file === undefined && one.remark !== undefined;
  const open = file === plan.file ? writtenFields(codes).filter(isOpen) : [];
  const lines = uses.flatMap(({ file: of, column, fields, joined, remark, isQuestion }): ColumnLine[] => {
    if (of !== file) return [];
    const name = inOneLine(column);
    if (fields.length > 0) return [{ name, ...fieldsInWords(fields) }];
    if (joined !== undefined) return [{ name, text: joined, isQuestion: false }];
    return [{ name, text: remark === undefined ? '(no field)' : `(no field): ${remark}`, isQuestion }];
  });
  return [...lines, ...open.map((one) => ({ name: NO_COLUMN, ...fieldsInWords([one]) }))];
}

function inWords(lines: readonly ColumnLine[], file: ExportFile, plan: Plan): string {
  const width = Math.max(...lines.map(({ name }) => name.length));
  const related = plan.related.find((one) => one.file === file);
  const all = lines.map(({ name, text }) => `  ${name.padEnd(width)}  ${text}\n`);
  return all.join('') + (related?.isUsed === false ? unusedInWords(related, plan.file.table) : '');
}

function unusedInWords({ file: { table }, key, near }: Related, first: string): string {
  const why =
    key !== undefined
      ? `no column of ${table} has a field`
      : near === undefined
        ? `in the first rows, no column of ${table} has values of a column of ${first}: it is not joined`
        : `${inOneLine(near.column)} has values of ${inOneLine(near.inFirst)} of ${first}, and neither shows a key: it is not joined`;
  return `  ${why}; check rejects it until its rows make a field, such as transactions or notes\n`;
}

const NO_COLUMN = '(no column)';

function fieldsInWords(fields: readonly WrittenField[]) {
  const remarks = new Set(fields.flatMap(({ remark }) => remark ?? []));
  const paths = fields.map(({ path }) => shownPath(path)).join(', ');
  const isQuestion = remarks.size > 0;
  return { text: isQuestion ? `${paths}? ${[...remarks].join('; ')}` : paths, isQuestion };
}

/** Creates the files. Returns for each whether it is new: a file that exists is kept. */
async function write(files: readonly { name: string; text: string }[]): Promise<[name: string, isNew: boolean][]> {
  const written: [string, boolean][] = [];
  for (const { name, text } of files) {
    try {
      await writeFile(name, text, { flag: 'wx' });
      written.push([name, true]);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EEXIST') throw new UsageError(`${name} cannot be written (${code}).`, { cause: error });
      written.push([name, false]);
    }
  }
  return written;
}

function nextSteps(
  project: Project,
  { open, isCodeNew, isSupplierOpen }: { open: number; isCodeNew: boolean; isSupplierOpen: boolean },
): string {
  const { code, words, left } = project;
  const packages = packagesOf(project).flatMap(([name, spec]) => (isInstalled(name) ? [] : [spec]));
  const steps = [
    ...(packages.length === 0 ? [] : [`npm install ${packages.join(' ')}`]),
    ...(isCodeNew
      ? [
          `compare ${code} with the export${open === 0 ? '' : `; ${counted(open, 'question')} in it`}${left.length === 0 ? '' : `; ${counted(left.length, 'column')} without a field at its end`}`,
        ]
      : [`remove ${code} and repeat the command to have it written again`]),
    ...(isCodeNew && isSupplierOpen ? [`replace the import supplier ${DEFAULT_SUPPLIER} in ${code}`] : []),
    `npx data-import-sdk check ${words}`,
    'node --test  # fails while one of the first 200 records is invalid',
  ];
  return steps.map((step) => `Next: ${step}\n`).join('');
}

function isInstalled(name: string): boolean {
  try {
    createRequire(join(process.cwd(), 'package.json')).resolve(name);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED';
  }
}
