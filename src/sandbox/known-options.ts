/** Options by their names: one that is misspelt would otherwise do nothing, without a word. */
export function refuseUnknownOptions(where: string, given: object, names: Readonly<Record<string, true>>): void {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(names, name));
  if (unknown === undefined) return;
  throw new TypeError(`${where}: no option ${unknown}; there are ${Object.keys(names).join(', ')}.`);
}
