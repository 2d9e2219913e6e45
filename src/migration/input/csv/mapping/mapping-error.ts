/** Exports `MappingError`, which the functions of `data-import-sdk/mapping` throw, `IncompleteRowError`, and what checks their calls. */
import { ofAnyCopy } from '../../../shared/error-of-any-copy.js';

/**
 * A text cannot be parsed, a related file cannot be read, or a function of `data-import-sdk/mapping` was called with an invalid form,
 * decimal mark or region. `check`, `run` and the report show its message whole, and add the file, the line and the column. Therefore
 * the message must not contain the text, which may be personal data. Throw it from your own functions too:
 *
 * @example
 * throw new MappingError('tariff: expected BASE or HC.', row.tariff);
 */
export class MappingError extends Error {
  /** Discriminates this class. */
  override readonly name = 'MappingError';
  /** Not a property: loggers and `console.log` print those. */
  readonly #value: string | undefined;

  /** `message`: what was expected, without the text. `value`: the text that cannot be parsed. */
  constructor(message: string, value?: string) {
    super(message);
    this.#value = value;
  }

  /** The text that cannot be parsed; undefined if the call is wrong for every text. May be personal data. */
  get value(): string | undefined {
    return this.#value;
  }
}
ofAnyCopy(MappingError, 'MappingError');

/** A row of a related file that belongs to the row cannot be read: the mapping is right. */
export class IncompleteRowError extends MappingError {}
ofAnyCopy(IncompleteRowError, 'IncompleteRowError');

/** Returns an error whose stack begins where `caller`, a function of this package, was called: messages name that line of the mapping. */
export function errorAtCallOf(caller: (...args: never[]) => unknown, message: string, value?: string): MappingError {
  const error = new MappingError(message, value);
  Error.captureStackTrace(error, caller);
  return error;
}

/** Runs a check of arguments. Its error is one at the call of `caller`. */
export function checkCall(caller: (...args: never[]) => unknown, check: () => void): void {
  try {
    check();
  } catch (error) {
    throw errorAtCallOf(caller, (error as Error).message);
  }
}

/** Returns whether there is no text to parse. Throws for a value of another type, without the value: it may be personal data. */
export function isBlank(
  caller: (...args: never[]) => unknown,
  name: string,
  text: string | undefined,
): text is undefined | '' {
  if (typeof text === 'string') return text.trim() === '';
  if (text === undefined || text === null) return true;
  throw errorAtCallOf(caller, `${name}: expected a text, found a value of type ${typeof text}.`);
}
