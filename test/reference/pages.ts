/** Every page of the reference, by its path from the root of the repository. */
import { cliPages } from './cli.js';
import { readDocComments } from './doc-comments.js';
import { errorsPage } from './errors.js';
import type { Generated } from './generated.js';
import { page, table } from './markdown.js';
import { operationsPage } from './operations.js';
import { optionsPage } from './options.js';
import { describedSettings, settingsPage } from './settings.js';
import { silentPage } from './silent.js';

const FOLDER = 'docs/reference';

export async function referencePages(): Promise<Generated> {
  const { project, pages } = await readDocComments();
  const settings = describedSettings(project);
  const below = (folder: string, texts: ReadonlyMap<string, string>) =>
    [...texts].map(([path, text]): [string, string] => [`${folder}/${path}`, text]);
  const files = new Map([
    [`${FOLDER}/README.md`, contents()],
    [`${FOLDER}/operations.md`, operationsPage()],
    [`${FOLDER}/options.md`, optionsPage(project)],
    [`${FOLDER}/errors.md`, errorsPage(project)],
    [`${FOLDER}/settings.md`, settingsPage(settings)],
    ['docs/unspecified-behaviour.md', silentPage(settings)],
    ...below(FOLDER, await cliPages()),
    ...below(`${FOLDER}/api`, await pages()),
  ]);
  return { files, folders: [FOLDER] };
}

function contents(): string {
  return page(
    'Reference',
    'Every name, generated from the code and its comments. Start with the README to learn how to use the package.',
    table({
      heads: ['page', 'content'],
      rows: [
        [
          '[Operations](operations.md)',
          'the fourteen endpoints: path, payload, answers, and the behaviour of the client after a failure',
        ],
        ['[Options](options.md)', 'every option in code, with its default'],
        [
          '[Errors](errors.md)',
          'every error class with its fields; the remedies are in [docs/errors.md](../errors.md)',
        ],
        [
          '[The command line](cli/README.md)',
          'every command with its flags, environment variables and config keys; exit codes',
        ],
        ['[Settings of the sandbox](settings.md)', 'one for every question that the API specification does not answer'],
        ['[Behaviour that the API specification does not show](../unspecified-behaviour.md)', 'the register U1 to U32'],
        ['[All exported names](api/README.md)', 'by entry point, a page each'],
      ],
    }),
  );
}
