import type { ErrorItem } from '../../schemas/error-bodies.js';
import { type ApiErrorName, DataImportError, defineUnprinted, type NextAction } from './data-import-error.js';
import { type DecodedError, WHOLE } from './decode.js';
import { type ErrorTree, firstItem, itemsAt, itemTree, presentable, presentablePath, printedErrors } from './items.js';
import { causeOutsidePayload, type ErrorCode } from './known-errors.js';

/** An answer of the service, as the errors need it. */
export interface AnswerFacts {
  operation: string;
  attempts: number;
  status: number;
  decoded: DecodedError;
  /** The parsed body, or its text where it was no JSON; undefined where it was empty. */
  body: unknown;
  /** Names in lower case. */
  headers: Record<string, string>;
  requestId?: string | undefined;
  retryAfterMs?: number | undefined;
  mayHaveSucceeded?: boolean;
}

/** What to do about an answer: a word for programs and a sentence for people. */
export interface Remedy {
  nextAction: NextAction;
  sentence: string;
}

/**
 * The service answered, and the answer is an error. Decide by `status`, `code` and the `attr` of `errors`; never by
 * `detail`, whose wording may change.
 */
export class ApiError extends DataImportError {
  /** @internal */
  static override readonly className: string = 'ApiError';
  /** Tells this class from the others. */
  declare readonly name: ApiErrorName;
  /** Everything that the service found wrong; empty where the body does not say. */
  declare readonly errors: readonly ErrorItem[];
  /** HTTP status of the answer. */
  readonly status: number;
  /** The service's identifier of the request, where it sent one. */
  readonly requestId: string | undefined;
  /** How long the service asked to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  // Private, so that neither console.log nor a logger shows them: any string of an answer may quote personal data.
  readonly #decoded: DecodedError;
  readonly #body: unknown;
  readonly #headers: Record<string, string>;

  /** @internal */
  constructor(facts: AnswerFacts, remedy: Remedy = REFUSED) {
    super(describe(facts, remedy), { ...facts, nextAction: remedy.nextAction });
    this.status = facts.status;
    this.requestId = facts.requestId;
    this.retryAfterMs = facts.retryAfterMs;
    this.#decoded = facts.decoded;
    defineUnprinted(this, 'errors', facts.decoded.errors);
    this.#body = facts.body;
    this.#headers = facts.headers;
  }

  /** The stable code of the whole answer, as it came; undefined where the body has none. */
  get code(): ErrorCode | undefined {
    return this.#decoded.code;
  }

  /** For people; the wording may change and may quote the payload. */
  get detail(): string | undefined {
    return this.#decoded.detail;
  }

  /** The body as it came: parsed JSON, or the text where it was none. May hold personal data. */
  get body(): unknown {
    return this.#body;
  }

  /** Headers of the answer, names in lower case. */
  get headers(): Record<string, string> {
    return this.#headers;
  }

  /** The errors at exactly this path, such as `customers.0.landline`. */
  at(attr: string): ErrorItem[] {
    return itemsAt(this.errors, attr);
  }

  /** True if the answer, or any error in it, has this code. */
  hasCode(code: ErrorCode): boolean {
    return this.code === code || this.errors.some((item) => item.code === code);
  }

  /** The errors as a tree of field names and indexes. */
  tree(): ErrorTree {
    return itemTree(this.errors);
  }

  /** What may be logged: the error, and of the answer status, codes and paths; neither details nor the body. */
  override toJSON(): Record<string, unknown> {
    const printed = printedErrors(this.errors, ({ code, attr }) => ({
      code: presentable(code),
      attr: presentablePath(attr),
    }));
    const { status, requestId, retryAfterMs } = this;
    return { ...super.toJSON(), status, code: presentable(this.code), requestId, retryAfterMs, ...printed };
  }
}

const REFUSED: Remedy = { nextAction: 'inspect', sentence: 'Not retried: look at status and body.' };

function describe({ operation, attempts, status, decoded, mayHaveSucceeded }: AnswerFacts, remedy: Remedy): string {
  const answer = [String(status), presentable(decoded.code)].filter((word) => word !== undefined).join(' ');
  const first = firstItem(decoded.errors);
  const tries = attempts > 1 ? ` after ${attempts} attempts` : '';
  const reason = isReasonInDetail(status, decoded) ? ' error.detail has the reason.' : '';
  const doubt = mayHaveSucceeded && status < 500 ? ' An earlier attempt may have succeeded.' : '';
  return `${operation}: ${answer}${first === undefined ? '' : `, ${first}`}${tries}.${reason}${doubt} ${remedy.sentence}`;
}

/** Whether neither code nor path of the answer says why the service refuses. The detail may quote the payload, so messages leave it out. */
function isReasonInDetail(status: number, { code, detail, errors }: DecodedError): boolean {
  const isRefusal = status >= 400 && status < 500 && status !== 401 && status !== 429;
  const isOfWhole = errors.every((item) => item.attr === WHOLE && causeOutsidePayload(item.code) === undefined);
  return isRefusal && detail !== undefined && detail !== '' && causeOutsidePayload(code) === undefined && isOfWhole;
}
