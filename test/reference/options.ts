/** The page of everything that can be set in code: each options object with its fields, their defaults and their meaning. */
import type { DeclarationReflection, ProjectReflection } from 'typedoc';
import { defaultOf, summaryOf } from './doc-text.js';
import { code, page, table } from './markdown.js';

/** By entry point, in the order of the page. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  'data-import-sdk': [
    ...['DataImportClientOptions', 'AdvancedOptions', 'CallOptions', 'TransactionsOptions', 'GraphqlTokenOptions'],
    ...['Hooks', 'ValidateOptions', 'CheckRecordsOptions', 'Profile'],
  ],
  'data-import-sdk/sandbox': ['SandboxOptions', 'SandboxSupplier', 'ListenOptions', 'FaultRule'],
  'data-import-sdk/msw': ['SandboxHandlersOptions'],
  'data-import-sdk/migration': [
    ...['MigrationOptions', 'StepOptions', 'ThrottleOptions', 'ThrottleSettings', 'HaltRules', 'OpenInputOptions'],
    ...['SqliteLedgerOptions', 'PostgresLedgerOptions', 'SampleOptions'],
  ],
  'data-import-sdk/mapping': ['ParseDateOptions', 'ReadCsvOptions'],
  'data-import-sdk/opentelemetry': ['OpenTelemetryOptions'],
};

export function optionsPage(project: ProjectReflection): string {
  const parts = Object.entries(OPTIONS).flatMap(([entry, names]) => [
    `## ${entry}`,
    ...names.map((name) => section(entry, declarationOf(project, entry, name))),
  ]);
  return page(
    'Options',
    'Every option in code with its default. The settings of the sandbox are on [their own page](settings.md), the flags of the command line on [theirs](cli/README.md).',
    ...parts,
  );
}

/** Throws where the entry point exports no such thing: the page would lose it without a word. */
export function declarationOf(project: ProjectReflection, entry: string, name: string): DeclarationReflection {
  const found = project.children?.find((child) => child.name === entry)?.children?.find((child) => child.name === name);
  if (found === undefined) throw new Error(`${entry} exports no ${name}, which the reference documents.`);
  return found;
}

function section(entry: string, options: DeclarationReflection): string {
  const rows = (options.children ?? [])
    .filter((child) => child.inheritedFrom === undefined)
    .map((child) => [
      code(`${child.name}${child.flags.isOptional ? '' : ' (needed)'}`).replace(' (needed)`', '` (needed)'),
      code(String(child.type ?? '').replace(/ \| undefined$/, '')),
      code(defaultOf(child)),
      summaryOf(child),
    ]);
  const more = (options.extendedTypes ?? []).map((type) => `All of \`${type}\` as well.`);
  const link = `[Its page](api/${entry}/interfaces/${options.name}.md).`;
  return [`### ${options.name}`, [summaryOf(options), ...more, link].join(' '), table({ heads: HEADS, rows })].join(
    '\n\n',
  );
}

const HEADS = ['option', 'type', 'default', 'meaning'];
