/** The page of the error classes: which extends which, the fields of each, and when it is thrown. */
import { type DeclarationReflection, type ProjectReflection, ReflectionKind } from 'typedoc';
import { KNOWN_ERRORS } from '../../src/errors/known-errors.js';
import { summaryOf } from './doc-text.js';
import { code, page, table } from './markdown.js';
import { declarationOf } from './options.js';

const ENTRY = 'data-import-sdk';

export function errorsPage(project: ProjectReflection): string {
  const classes = (project.children?.find(({ name }) => name === ENTRY)?.children ?? []).filter(
    (child) => child.kindOf(ReflectionKind.Class) && child.name.endsWith('Error'),
  );
  const words = declarationOf(project, ENTRY, 'NextAction');
  return page(
    'Errors',
    'Every error class. The remedy of each, with an example of its message, is in [docs/errors.md](../errors.md), under its `id`. Distinguish errors with guards such as `error instanceof ValidationError`, which also work if a program has two copies of the package.',
    table({
      heads: ['class', 'extends', 'when', 'what to do'],
      rows: inOrder(classes).map((one) => [link(one), parentOf(one), summaryOf(one), remedy(one)]),
    }),
    '## Fields',
    ...inOrder(classes).map(section),
    '## Known codes',
    'Codes of `error.code` and of the items of `error.errors`, from `KNOWN_ERRORS`. The API specification shows the first two; a deployment may answer with further codes.',
    table({
      heads: ['code', 'cause', 'what to do', 'nextAction'],
      rows: Object.entries(KNOWN_ERRORS).map(([name, { cause, action, nextAction }]) => [
        code(name),
        cause,
        action,
        code(nextAction),
      ]),
    }),
    '## nextAction',
    `What a program can do about an error, in one word: ${code(String(words.type))}. [Its page](api/${ENTRY}/type-aliases/NextAction.md) says what each means.`,
  );
}

/** Parents before their children, otherwise by name. */
function inOrder(classes: readonly DeclarationReflection[]): DeclarationReflection[] {
  const depth = (one: DeclarationReflection): number => {
    const parent = classes.find(({ name }) => name === String(one.extendedTypes?.[0]));
    return parent === undefined ? 0 : 1 + depth(parent);
  };
  return [...classes].sort((a, b) => depth(a) - depth(b) || (a.name < b.name ? -1 : 1));
}

function section(one: DeclarationReflection): string {
  const own = (one.children ?? []).filter(
    (child) =>
      child.inheritedFrom === undefined && !child.kindOf(ReflectionKind.Constructor) && child.name !== 'toJSON',
  );
  const rows = own.map((child) => [fieldOf(child), typeOf(child), summaryOf(documented(child))]);
  const parent = parentOf(one);
  const rest = parent === '' ? '' : rows.length === 0 ? `The fields of ${parent}.` : `The fields of ${parent}, and:`;
  const body = rows.length === 0 ? [] : [table({ heads: ['field', 'type', 'meaning'], rows })];
  return [`### ${one.name}`, ...(rest === '' ? [] : [rest]), ...body].join('\n\n');
}

function fieldOf(child: DeclarationReflection): string {
  const [signature] = child.signatures ?? [];
  const parameters = signature?.parameters?.map(({ name }) => name).join(', ');
  return code(signature === undefined ? child.name : `${child.name}(${parameters})`);
}

function typeOf(child: DeclarationReflection): string {
  return code(String(child.type ?? child.getSignature?.type ?? child.signatures?.[0]?.type ?? ''));
}

/** Of a method or an accessor the comment is with its signature. */
function documented(child: DeclarationReflection): DeclarationReflection {
  return (child.signatures?.[0] ?? child.getSignature ?? child) as DeclarationReflection;
}

function parentOf(one: DeclarationReflection): string {
  const parent = String(one.extendedTypes?.[0] ?? '');
  return parent === 'Error' ? '' : code(parent);
}

function link({ name }: DeclarationReflection): string {
  return `[${code(name)}](api/${ENTRY}/classes/${name}.md)`;
}

function remedy({ name }: DeclarationReflection): string {
  const id = name.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
  return `[${id}](../errors.md#${id})`;
}
