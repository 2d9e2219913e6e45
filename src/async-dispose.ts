/** Exports `AsyncDisposableObject`, the type of what `await using` closes. */

/**
 * Has `[Symbol.asyncDispose]` for programs whose type library knows that symbol (`esnext.disposable`, or the types of Node.js), and
 * nothing for others: a declaration with the symbol itself would be an error in them.
 */
export type AsyncDisposableObject = SymbolConstructor extends { readonly asyncDispose: infer Key extends symbol }
  ? { [Name in Key]: () => Promise<void> }
  : Record<never, never>;
