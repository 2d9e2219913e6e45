/** What the trace table is made of. */

/** A sentence of the document, or a row or cell of one of its tables, that says what the service does. */
export interface Row {
  /** D1, D2 …: never given twice, and in no order that matters. */
  id: string;
  /** Quoted, or shortened with …; a field of a payload as `name: what it is`. */
  says: string;
  /** The ids of the acceptance page: C common, E endpoints, I invariants, U what the API specification does not show. */
  checks: readonly string[];
  /** The tests that check this very sentence, by title: see `resolve.ts` for what counts as one. */
  tests: readonly string[];
}

/** A sentence that says nothing that a test could check. */
interface NotChecked {
  says: string;
  why: string;
}

export interface Chapter {
  title: string;
  rows: readonly Row[];
  notChecked: readonly NotChecked[];
}
