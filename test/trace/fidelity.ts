/**
 * `fidelityOf`: for each rule of the API specification, each documented answer and each assumption (U1 to U32) the evidence, the
 * tests and the settings. `pageOf` writes it as docs/fidelity.md; as data it is docs/fidelity.json.
 */
import { fileURLToPath } from 'node:url';
import { type OperationName, operations } from '../../schemas/operations.js';
import { SANDBOX_SETTINGS } from '../../src/sandbox/settings/settings-table.js';
import { code, literal, table } from '../reference/markdown.js';
import { REGISTER } from '../reference/register.js';
import { ANSWERS, NOT_IMPLEMENTED } from './answers.js';
import type { Chapter } from './chapter.js';
import { meant } from './resolve.js';
import type { Title } from './titles.js';

export const PAGE_FILE = fileURLToPath(new URL('../../docs/fidelity.md', import.meta.url));
export const DATA_FILE = fileURLToPath(new URL('../../docs/fidelity.json', import.meta.url));

/** A test by its file and its title. */
interface TestOf {
  file: string;
  title: string;
}

/** What a claim about the service rests on, what holds it, and what changes it. */
interface Held {
  /**
   * `specification`: a sentence of it says so. `relative`: a published deployment of the same family does so. `assumption`: neither;
   * the usual behaviour of such interfaces.
   */
  evidence: readonly ('specification' | 'relative' | 'assumption')[];
  tests: readonly TestOf[];
  /** Settings of the sandbox, with their defaults. */
  settings: Readonly<Record<string, unknown>>;
}

export interface Fidelity {
  rules: readonly (Held & { id: string; chapter: string; says: string; assumptions: readonly string[] })[];
  answers: readonly (Held & { operation: string; method: string; path: string; status: number })[];
  assumptions: readonly (Held & { id: string; question: string; reason: string })[];
  notImplemented: readonly { what: string; status: 501; tests: readonly TestOf[] }[];
  notTestable: readonly { chapter: string; says: string; why: string }[];
}

export function fidelityOf(chapters: readonly Chapter[], titles: readonly Title[]): Fidelity {
  const tests = (references: readonly string[]) => references.flatMap((reference) => testOf(reference, titles));
  return {
    rules: chapters.flatMap(({ title, rows }) =>
      rows.map(({ id, says, checks, tests: references }) => {
        const assumptions = checks.filter((check) => check.startsWith('U'));
        const held = { tests: tests(references), settings: settingsOf(assumptions) };
        return { id, chapter: title, says, evidence: ['specification'], assumptions, ...held };
      }),
    ),
    answers: Object.entries(ANSWERS).flatMap(([operation, byStatus]) =>
      Object.entries(byStatus).map(([status, reference]) => ({
        operation,
        method: operations[operation as OperationName].method,
        path: operations[operation as OperationName].path,
        status: Number(status),
        // "401 is stated for the business payment instruction endpoint".
        evidence: [
          status === '401' && operation !== 'businesses.createPaymentInstruction' ? 'assumption' : 'specification',
        ],
        tests: tests([reference]),
        settings: settingsOf(reference.match(/\bU\d+\b/g) ?? []),
      })),
    ),
    assumptions: Object.entries(REGISTER).map(([id, { question, evidence: reason }]) => ({
      id,
      question,
      reason,
      evidence: kindsOf(reason),
      tests: carrying(id, titles),
      settings: settingsOf([id]),
    })),
    notImplemented: NOT_IMPLEMENTED.map(({ what, tests: references }) => ({
      what,
      status: 501,
      tests: tests(references),
    })),
    notTestable: chapters.flatMap(({ title, notChecked }) => notChecked.map((each) => ({ chapter: title, ...each }))),
  };
}

/** The register quotes the API specification in quotation marks, and calls other deployments similar services. */
function kindsOf(reason: string): Held['evidence'] {
  // A quotation that says "not shown" speaks for no default.
  const quotations = (reason.match(/"[^"]*"/g) ?? []).filter((quotation) => !quotation.includes('not shown'));
  const kinds = [
    ...(quotations.length > 0 ? (['specification'] as const) : []),
    ...(/similar services/i.test(reason) ? (['relative'] as const) : []),
  ];
  return kinds.length > 0 ? kinds : ['assumption'];
}

function settingsOf(ids: readonly string[]): Held['settings'] {
  return Object.fromEntries(
    SANDBOX_SETTINGS.filter(({ settles }) => ids.includes(settles)).map(({ name, default: value }) => [name, value]),
  );
}

function testOf(reference: string, titles: readonly Title[]): TestOf[] {
  const [title] = meant(reference, titles);
  if (title === undefined) return [];
  // The beginning of a title is completed; a case stays as it is.
  const shown = [title.own, title.full].find((each) => each.startsWith(reference)) ?? reference;
  return [{ file: title.file, title: shown }];
}

function carrying(id: string, titles: readonly Title[]): TestOf[] {
  const hasId = new RegExp(`\\b${id}\\b`);
  return titles.filter(({ full }) => hasId.test(full)).map(({ file, own }) => ({ file, title: own }));
}

export function dataOf(fidelity: Fidelity): string {
  // A line for each row, so that a difference shows the row.
  const lists = Object.entries(fidelity).map(
    ([name, rows]) => `${JSON.stringify(name)}: [\n${rows.map((row: unknown) => JSON.stringify(row)).join(',\n')}\n]`,
  );
  return `{\n${lists.join(',\n')}\n}\n`;
}

export function pageOf(fidelity: Fidelity): string {
  const { rules, answers, assumptions, notImplemented, notTestable } = fidelity;
  const chapters = [...new Set(rules.map(({ chapter }) => chapter))];
  const files = new Set([...rules, ...answers, ...assumptions].flatMap(({ tests }) => tests).map(({ file }) => file));
  return [
    '# How faithful the sandbox is',
    '<!-- Written by `npm run fidelity`; do not edit. -->',
    `What the sandbox rests on: ${rules.length} rules of the API specification, ${answers.length} answers of its ${Object.keys(ANSWERS).length} endpoints and ${assumptions.length} assumptions, each with a test that holds it and the setting that changes it. The tests are in ${files.size} files of the repository; its \`docs/fidelity.json\` has every test by its title.`,
    'A sentence that is shortened or continued has a …. A rule that names an assumption (U1 to U32) is open in that point: the sandbox has a default, and the setting selects another behaviour. `data-import-sdk learn` finds the settings of your deployment from a recording ([learn.md](learn.md)).',
    '## Assumptions',
    'What the API specification does not show. Evidence: *specification*, where a sentence speaks for the default; *relative*, where a published deployment of the same family behaves so; *assumption*, where neither does. [Behaviour that the API specification does not show](unspecified-behaviour.md) has the client’s answer to each.',
    table({
      heads: ['', 'question', 'evidence', 'settings and their defaults', 'tests'],
      rows: assumptions.map(({ id, question, evidence, reason, tests, settings }) => [
        `[${id}](unspecified-behaviour.md#${id.toLowerCase()})`,
        question,
        `*${evidence.join(', ')}*: ${reason}`,
        settingsText(settings),
        testsText(tests),
      ]),
    }),
    '## Documented answers',
    table({
      heads: ['endpoint', 'status', 'evidence', 'setting', 'test'],
      rows: answers.map(({ method, path, status, evidence, settings, tests }) => [
        code(`${method} ${path}`),
        String(status),
        evidence.join(', '),
        settingsText(settings),
        testsText(tests),
      ]),
    }),
    '## Not implemented',
    'The sandbox answers 501 to what the API specification names and it does not implement, and the body says so.',
    table({
      heads: ['what', 'test'],
      rows: notImplemented.map(({ what, tests }) => [what, testsText(tests)]),
    }),
    '## Rules of the API specification',
    ...chapters.flatMap((chapter) => [
      `### ${plain(chapter)}`,
      table({
        heads: ['rule', 'sentence', 'assumes', 'settings', 'tests'],
        rows: rules
          .filter((rule) => rule.chapter === chapter)
          .map(({ id, says, assumptions: assumes, settings, tests }) => [
            id,
            plain(says),
            assumes.join(' '),
            Object.keys(settings).map(code).join(', '),
            testsText(tests),
          ]),
      }),
    ]),
    '## Sentences that no test can check',
    table({
      heads: ['chapter', 'sentence', 'why'],
      rows: notTestable.map(({ chapter, says, why }) => [chapter, says, why].map(plain)),
    }),
    '',
  ].join('\n\n');
}

function settingsText(settings: Held['settings']): string {
  return Object.entries(settings)
    .map(([name, value]) => code(`${name}: ${literal(value)}`))
    .join(', ');
}

/** The files, with the number of tests in each: the package does not contain them, so there are no links. */
function testsText(tests: readonly TestOf[]): string {
  const counts = new Map<string, number>();
  for (const { file } of tests) counts.set(file, (counts.get(file) ?? 0) + 1);
  return [...counts]
    .map(([file, count]) => `${code(file.slice('test/'.length))}${count === 1 ? '' : ` (${count})`}`)
    .join(', ');
}

/** Markdown must not take anything in it for its own, nor $…$ for a formula. */
function plain(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/[*_`[\]\\$]/g, '\\$&');
}
