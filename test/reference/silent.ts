/** docs/unspecified-behaviour.md: what we do where the document is silent, one section an entry of the register. */
import type { Title } from '../trace/titles.js';
import { code, page, table } from './markdown.js';
import { REGISTER, type Silence } from './register.js';
import type { DescribedSetting } from './settings.js';

export function silentPage(settings: readonly DescribedSetting[], titles: readonly Title[]): string {
  const entries = Object.entries(REGISTER);
  return page(
    'What we do where the document is silent',
    'The document says "not shown" in many places, and nothing in others. Each such place has a number, U1 to U32. The client is made so that every answer to the question works; the sandbox must choose one, and a setting chooses another: `createSandbox({ settings: { accountNotFound: 404 } })`. Every answer of the sandbox tells in its log (`assumed`) on which of these it rests. If you learn the answer for your deployment, set it in your rehearsals, and tell us.',
    table({
      heads: ['', 'the question', 'what the sandbox does by default'],
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
      heads: ['setting', 'default', 'values', 'what it decides'],
      rows: own.map(({ name, byDefault, type, text }) => [code(name), code(byDefault), code(type), text]),
    }),
    `Evidence: ${evidence}`,
    `Tests: ${testsOf(id, titles).join(', ')}.`,
  ].join('\n\n');
}

/** Files with a test that carries the id. */
function testsOf(id: string, titles: readonly Title[]): string[] {
  const carries = new RegExp(`\\b${id}\\b`);
  const files = new Set(titles.filter(({ full }) => carries.test(full)).map(({ file }) => file));
  // No links: the page is published, and the tests are not.
  return [...files].sort().map(code);
}
