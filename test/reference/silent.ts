/** `silentPage`: writes docs/unspecified-behaviour.md, with one section for each entry of the register. */
import { code, page, table } from './markdown.js';
import { REGISTER, type Silence } from './register.js';
import type { DescribedSetting } from './settings.js';

export function silentPage(settings: readonly DescribedSetting[]): string {
  const entries = Object.entries(REGISTER);
  return page(
    'Behaviour that the API specification does not show',
    'The API specification leaves some behaviour open, in many places with the words "not shown". Each such question has a number, U1 to U32. The client works with every possible answer. The sandbox implements one answer by default, and a setting selects another: `createSandbox({ settings: { accountNotFound: 404 } })`. The evidence for each default, and its tests, are in [fidelity.md](fidelity.md). The request log of the sandbox lists in `assumed` the questions that an answer depends on. If you learn how your deployment behaves, set it in your rehearsals, and report it to the maintainers.',
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
    ...entries.map(([id, silence]) => section(id, silence, settings)),
  );
}

function section(id: string, { question, client }: Silence, settings: readonly DescribedSetting[]): string {
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
  ].join('\n\n');
}
