/** The program's name in printed commands: as it can be given again in the same folder. */
import { shellWord } from './shell-word.js';

/** Of this program in the `node_modules` of a folder: that folder, and the link in `.bin` where it was started by that. */
const IN_NODE_MODULES =
  /^(.*?)[\\/]node_modules[\\/](?:.*[\\/])?(?:(\.bin[\\/]data-import)(?:\.\w+)?|data-import-sdk[\\/]dist[\\/]cli\.js)$/;

/** `started`: the path of the program, as Node.js has it. `npmCommand`: `exec` where npx started it. */
export function programName(started: string, folder: string, npmCommand: string | undefined): string {
  if (npmCommand === 'exec') return 'npx data-import';
  const [, project, link] = IN_NODE_MODULES.exec(started) ?? [];
  if (project === undefined) return 'data-import';
  const isInProject = folder === project || folder.startsWith(`${project}/`) || folder.startsWith(`${project}\\`);
  if (isInProject) return 'npx data-import';
  // npx would look for it in the registry; a global installation has it in the PATH.
  return link === undefined ? 'data-import' : shellWord(started);
}
