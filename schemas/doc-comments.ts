/**
 * Exports `docComments`: the doc comments of the types in this folder. The build puts them here, so that they are written once, in the
 * sources; code that runs from the sources has none.
 */

/** The doc comments of types by their name. */
export type DocComments = Readonly<Record<string, DocComment>>;

interface DocComment {
  text: string;
  /** Names of the types that it consists of: members of a union, or what it extends. */
  types: readonly string[];
  fields: Readonly<Record<string, { text: string; types: readonly string[] }>>;
}

export const docComments: DocComments = {};
