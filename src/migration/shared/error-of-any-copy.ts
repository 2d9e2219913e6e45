/** Exports `ofAnyCopy`: `instanceof` of an error class holds for the errors of every copy of this package (decision 74). */

/**
 * Marks the errors of a class by its name, and makes `instanceof` read that mark: a program, or a mapping module in CommonJS, may load
 * another copy than the command. A class that is derived from it and not marked keeps the usual `instanceof`.
 */
export function ofAnyCopy(errorClass: abstract new (...args: never[]) => Error, name: string): void {
  const mark = Symbol.for(`data-import-sdk.${name}`);
  Object.defineProperty(errorClass.prototype, mark, { value: true });
  Object.defineProperty(errorClass, Symbol.hasInstance, {
    value(this: unknown, error: unknown) {
      if (this !== errorClass) return Function.prototype[Symbol.hasInstance].call(this, error);
      return error instanceof Error && mark in error;
    },
  });
}
