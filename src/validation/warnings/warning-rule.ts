/** Exports `WarningRule`: a check for values that are probably wrong, although the API specification allows them. */
import type { Places } from './places.js';

export interface WarningRule {
  code: string;
  /** Places that the rule checks. */
  at: Places;
  /** Message of the finding, with the reason. */
  detail: string;
  /** For an object: returns the suspicious fields; '' is the object itself. */
  fields?: (object: Fields) => readonly string[];
  /** For a string: returns whether it is suspicious. */
  text?: (text: string) => boolean;
  /** For a number: returns whether it is suspicious. */
  number?: (number: number) => boolean;
  /** For a list: returns whether it is suspicious. */
  list?: (list: readonly unknown[]) => boolean;
  /** Documented values, or documented names of an object. Others are unlisted (U7). */
  listed?: readonly string[];
  /** For objects: no two may have the same values in these fields; the finding is at the first field. */
  distinct?: readonly [string, ...string[]];
}

export type Fields = Record<string, unknown>;
