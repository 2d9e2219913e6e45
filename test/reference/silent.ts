/** `silentPage`: writes docs/unspecified-behaviour.md, with one section for each entry of the register. */
import type { Title } from '../trace/titles.js';
import { code, page, table } from './markdown.js';
import { REGISTER, type Silence } from './register.js';
import type { DescribedSetting } from './settings.js';

export function silentPage(settings: readonly DescribedSetting[], titles: readonly Title[]): string {
  const entries = Object.entries(REGISTER);
  return page(
    'Behaviour that the API specification does not show',
    'The API specification leaves some behaviour open, in many places with the words "not shown". Each such question has a number, U1 to U32. The client works with every possible answer. The sandbox implements one answer by default, and a setting selects another: `createSandbox({ settings: { accountNotFound: 404 } })`. The request log of the sandbox lists in `assumed` the questions that an answer depends on. If you learn how your deployment behaves, set it in your rehearsals, and report it to the maintainers.',
    table({
      heads: ['', 'question', 'default of the sandbox'],
      rows: entries.map(([id, { question }]) => [
        `[${id}](#${id.toLowerCase()})`,
        question,
        settings
          .filter(({ settles }) => settles === id)
          .map(({ name, byDefault }) => code(`${name}: ${byDefault}`))
          .join(', '),
      ]),
    }),
    ...entries.map(([id, silence]) => section(id, silence, settings, titles)),
  );
}

function section(
  id: string,
  { question, client, evidence }: Silence,
  settings: readonly DescribedSetting[],
  titles: readonly Title[],
): string {
  const own = settings.filter(({ settles }) => settles === id);
  return [
    `## ${id}`,
    `**${question}**`,
    `The client: ${client}`,
    `The sandbox:`,
    table({
      heads: ['setting', 'default', 'values', 'meaning'],
      rows: own.map(({ name, byDefault, type, text }) => [code(name), code(byDefault), code(type), text]),
    }),
    `Evidence: ${evidence}`,
    `Tests: ${testsOf(id, titles).join(', ')}.`,
  ].join('\n\n');
}

/** Returns the files with a test whose title has the id. */
function testsOf(id: string, titles: readonly Title[]): string[] {
  const hasId = new RegExp(`\\b${id}\\b`);
  const files = new Set(titles.filter(({ full }) => hasId.test(full)).map(({ file }) => file));
  // No links, because the package contains the page but not the tests.
  return [...files].sort().map(code);
}
