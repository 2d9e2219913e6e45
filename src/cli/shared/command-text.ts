/** How a command is printed so that the user can paste it into a shell: the program's name, quotes, and no passwords. */

/** A program in the `node_modules` of a project: the project's folder, and the link in `.bin` if it was started by that. */
const IN_NODE_MODULES =
  /^(.*?)[\\/]node_modules[\\/](?:.*[\\/])?(?:(\.bin[\\/]data-import-sdk)(?:\.\w+)?|data-import-sdk[\\/]dist[\\/]cli\.js)$/;

/**
 * Returns how the user can start this program from `folder`.
 *
 * `started`: the path of the program, as Node.js has it. `npmCommand`: `exec` for npx.
 */
export function programName(started: string, folder: string, npmCommand: string | undefined): string {
  if (npmCommand === 'exec') return 'npx data-import-sdk';
  const [, project, link] = IN_NODE_MODULES.exec(started) ?? [];
  if (project === undefined) return 'data-import-sdk';
  const isInProject = folder === project || folder.startsWith(`${project}/`) || folder.startsWith(`${project}\\`);
  if (isInProject) return 'npx data-import-sdk';
  // With npx, npm would look for the package in the registry. A global installation is in the PATH.
  return link === undefined ? 'data-import-sdk' : shellWord(started);
}

/**
 * Quotes a word if the shell needs it: with single quotes for POSIX shells, and $'…' for one with line ends or controls; with double quotes
 * on Windows.
 */
export function shellWord(word: string, platform: NodeJS.Platform = process.platform): string {
  if (platform === 'win32') return /^[\w@%+=:,./\\-]+$/.test(word) ? word : `"${word.replaceAll('"', '\\"')}"`;
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (!NOT_VISIBLE.test(word)) return `'${word.replaceAll("'", "'\\''")}'`;
  const escaped = word.replace(/['\\]/g, '\\$&').replace(new RegExp(NOT_VISIBLE, 'gu'), escapedBytes);
  return `$'${escaped}'`;
}

const NOT_VISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

function escapedBytes(character: string): string {
  return [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
}

/** Replaces the password of a URL by `***`: in `postgres://ada:secret@db.example.com/run` and in its parameters. */
export function withoutPasswords(word: string): string {
  return withoutUserinfo(word).replace(/([?&](?:ssl)?password=)[^&]*/gi, '$1***');
}

/** A password may contain any character, so everything up to the last @ belongs to it. */
function withoutUserinfo(word: string): string {
  const start = word.indexOf('://') + '://'.length;
  const colon = word.indexOf(':', start);
  const end = word.lastIndexOf('@');
  return start < '://'.length || colon < 0 || colon > end ? word : `${word.slice(0, colon)}:***${word.slice(end)}`;
}

/**
 * Returns the words of a command as they may be shown and stored: without passwords, and without path and query of the URL of
 * `--notify`, which are the secret of many receivers. The command can be given again after the user has filled them in.
 */
export function withoutSecrets(words: readonly string[]): string[] {
  return words.map((word, index) => {
    const isNotify = word.startsWith('--notify=') || words[index - 1] === '--notify';
    return withoutPasswords(isNotify ? withoutPath(word) : word);
  });
}

/** In place of path and query. */
export const LEFT_OUT = '/***';

/** `https://hooks.example.com/T/B/secret` as `https://hooks.example.com/***`. */
function withoutPath(url: string): string {
  return url.replace(/(:\/\/[^/?#]+)[/?#].+$/, `$1${LEFT_OUT}`);
}
