/** Exports `zeros`: numbers that are counted up, by name. */

export function zeros<const Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
}
