/** Exports `findNamesAgain`, which finds the rows with the names of the columns, such as the header of a joined file. */

/**
 * Returns what tells rows with names of the columns from rows of data. Names are compared without case, accents, and the spaces, quotes or byte
 * order mark around them.
 */
export function findNamesAgain(columns: readonly string[]) {
  // A text may differ from the name of the only column in its case, and so may two names.
  const isFolded = columns.length > 1 && new Set(columns.map(foldName)).size === columns.length;
  const nameOf = isFolded ? foldName : (text: string) => text;
  const names = columns.map(nameOf);
  const known = new Set(names);
  const firstCharacters = new Set(
    [...columns, ...names].flatMap((name) => [name.charCodeAt(0), name.toUpperCase().charCodeAt(0)]),
  );
  /** By byte of UTF-8 or code unit. All names are folded only if it is worth it: most cells begin with another character. */
  const begins = Uint8Array.from({ length: 128 }, (_, code) =>
    ` "'`.includes(String.fromCharCode(code)) || firstCharacters.has(code) ? 1 : 0,
  );
  const mayBegin = (code: number) => begins[code] ?? 1;
  return {
    /** Returns 1 if a cell with this first byte or code unit may be a name, otherwise 0. */
    mayBegin,
    nameOf,
    names,
    /**
     * Returns `same` for the header again, and `other` for a row with two names and more than half of them, which shows that the rows after it
     * have other columns or another order; undefined for a row of data.
     */
    in(fields: readonly string[]): 'same' | 'other' | undefined {
      let most = 0;
      for (const field of fields) if (field !== '') most += mayBegin(field.charCodeAt(0));
      if (most * 2 <= names.length) return undefined;
      const found = fields.map(nameOf);
      while (found.length > names.length && found.at(-1) === '') found.pop();
      if (found.length === names.length && found.every((name, at) => name === names[at])) return 'same';
      const shared = new Set(found.filter((name) => known.has(name))).size;
      return shared > 1 && shared * 2 > names.length ? 'other' : undefined;
    },
  };
}

function foldName(name: string): string {
  const text = name
    .trim()
    .replace(/^(["'])(.*)\1$/s, '$2')
    .trim();
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
