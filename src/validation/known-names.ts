/** Refuses a name that is no option: a misspelt one would count as left out. Throws a `TypeError` that names those there are. */
export function refuseUnknown(options: object, known: readonly string[], of: string): void {
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) throw new TypeError(`${name}: not an option of ${of} (${known.join(', ')})`);
  }
}
