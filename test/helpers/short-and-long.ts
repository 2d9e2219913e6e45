/** The rows of a table for `npm test`, and those that test the same behaviour once more: these are long. */
export function shortAndLong<Row>(short: readonly Row[], long: readonly Row[]) {
  return [
    [short, {}],
    [long, { tags: 'long' as const }],
  ] as const;
}
