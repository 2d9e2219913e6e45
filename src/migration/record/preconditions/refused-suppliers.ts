/**
 * Import suppliers that the service refuses in this session: their records stay unfinished, and records of other
 * suppliers continue.
 */
import { counted } from '../../shared/format.js';

export type RefusedSuppliers = ReturnType<typeof createRefusedSuppliers>;

export function createRefusedSuppliers() {
  const codes = new Map<string, string>();
  let left = 0;
  return {
    /** `code`: the error code of the service; may be empty. */
    add(supplier: string, code: string): void {
      if (!codes.has(supplier)) codes.set(supplier, code);
    },
    has: (supplier: string) => codes.size > 0 && codes.has(supplier),
    /** Counts a line of such a supplier that is not started. */
    leave: () => void left++,
    /** Number of lines that were not started. */
    get left() {
      return left;
    },
    /** Returns whether every supplier of `met` is refused. */
    areAll: (met: ReadonlySet<string>) => codes.size > 0 && [...met].every((supplier) => codes.has(supplier)),
    /** Returns a text for the user; undefined if none was refused. */
    describe(): string | undefined {
      if (codes.size === 0) return undefined;
      const each = [...codes].map(([supplier, code]) => refusalInWords(supplier, code));
      return each.join('; ') + (left === 0 ? '' : `; ${counted(left, 'line')} of such a supplier not started`);
    },
  };
}

/** Returns the reason why records of the supplier do not continue. */
export function refusalInWords(supplier: string, code: string): string {
  const said = code === '' ? '' : ` (${code})`;
  return `the service refuses import supplier ${supplier}${said}: it is Paused or Complete, or has another code. Ask the operator`;
}
