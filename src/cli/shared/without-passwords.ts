/** A word of the command line as it may be shown and kept: what continues a run stands on the screen and in its report. */

/** `postgres://ada:secret@db.example.com/run` without the secret; also where a parameter holds it. */
export function withoutPasswords(word: string): string {
  return withoutUserinfo(word).replace(/([?&](?:ssl)?password=)[^&]*/gi, '$1***');
}

/** A password may hold anything, so all up to the last @ counts. */
function withoutUserinfo(word: string): string {
  const start = word.indexOf('://') + '://'.length;
  const colon = word.indexOf(':', start);
  const end = word.lastIndexOf('@');
  return start < '://'.length || colon < 0 || colon > end ? word : `${word.slice(0, colon)}:***${word.slice(end)}`;
}
