/** Exports `WarningRule`: a check for values that are probably wrong, although the API specification allows them. */
import type { Places } from './places.js';

export interface WarningRule {
  code: string;
  /** Where to look. */
  at: Places;
  /** What to tell, and why. */
  detail: string;
  /** For a place that holds an object: the fields of it that are suspicious; '' is the object itself. */
  fields?: (object: Fields) => readonly string[];
  /** For a place that holds a string: whether it is suspicious. */
  text?: (text: string) => boolean;
  /** For a place that holds a number: whether it is suspicious. */
  number?: (number: number) => boolean;
  /** For a place that holds a list: whether it is suspicious. */
  list?: (list: readonly unknown[]) => boolean;
  /** For a value, or for the names in an object: those that the document shows. Others are unlisted (U7). */
  listed?: readonly string[];
  /** For places that hold objects of which no two may agree in these fields; told at the first field. */
  distinct?: readonly [string, ...string[]];
}

export type Fields = Record<string, unknown>;
