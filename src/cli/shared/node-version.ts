/** The oldest Node.js that this package runs on, as `engines` in package.json has it. */
const OLDEST = [20, 19] as const;

/** What is wrong with this version of Node.js; undefined for nothing. */
export function wrongNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return undefined;
  return `data-import: needs Node.js ${OLDEST.join('.')} or newer; this is Node.js ${version}.`;
}
