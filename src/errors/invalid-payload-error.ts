import type { Finding } from '../validation/findings.js';
import { DataImportError, defineUnprinted } from './data-import-error.js';
import { type ErrorTree, firstItem, itemsAt, itemTree, presentablePath, printedErrors } from './items.js';
import type { ErrorCode } from './known-errors.js';

/** The local check refuses the payload, a parameter or an identifier in the path. Nothing was sent. */
export class InvalidPayloadError extends DataImportError {
  /** @internal */
  static override readonly className: string = 'InvalidPayloadError';
  /** Tells this class from the others. */
  declare readonly name: 'InvalidPayloadError';
  /** The same for all of these errors; `errors` has the codes of the findings. */
  readonly code: 'invalid_payload' = 'invalid_payload';
  /** Everything that blocks, up to 10,000 findings; the same shape as the errors of an answer. */
  declare readonly errors: readonly Finding[];
  readonly #total: number;

  /** `errors`: the findings that block, in the service's own shape; `total`: how many there are, where not all are listed. */
  constructor(operation: string | undefined, errors: readonly Finding[], total = errors.length) {
    const where = operation === undefined ? '' : `${operation}: `;
    super(`${where}invalid_payload, ${firstItem(errors, total) ?? 'see errors'}. Nothing was sent: fix the payload.`, {
      operation,
      nextAction: 'fixPayload',
    });
    defineUnprinted(this, 'errors', errors);
    this.#total = total;
  }

  /** The errors at exactly this path, such as `customers.0.landline`. */
  at(attr: string): Finding[] {
    return itemsAt(this.errors, attr);
  }

  /** True if any error has this code. */
  hasCode(code: ErrorCode): boolean {
    return this.errors.some((item) => item.code === code);
  }

  /** The errors as a tree of field names and indexes. */
  tree(): ErrorTree<Finding> {
    return itemTree(this.errors);
  }

  /** What may be logged: codes and paths; neither details nor values. */
  override toJSON(): Record<string, unknown> {
    const print = ({ code, attr, didYouMean }: Finding) => ({ code, attr: presentablePath(attr), didYouMean });
    return { ...super.toJSON(), code: this.code, ...printedErrors(this.errors, print, this.#total) };
  }
}
