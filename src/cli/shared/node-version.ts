/** `wrongNode`: checks the version of Node.js before anything else is loaded. */

/** The oldest version that this package supports, as `engines` in package.json. */
const OLDEST = [20, 19] as const;

/** The message for an unsupported version of Node.js; undefined for a supported one. */
export function wrongNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return undefined;
  return `data-import-sdk: needs Node.js ${OLDEST.join('.')} or newer; this is Node.js ${version}.`;
}
