/** Answers 400 with one error, in the form of the specification (Validation error body). A detail that is left out may be any text. */
import { expect } from 'vitest';

/** The body has the code and the detail of the error. */
export const refused = (code: string, attr: string, detail: unknown = expect.any(String)) => ({
  status: 400,
  body: { detail, code, errors: [{ detail, code, attr }] },
});

/** A field is invalid: the body has its path before the detail. */
export const invalid = (code: string, attr: string, detail?: string) => ({
  status: 400,
  body: {
    detail: detail === undefined ? expect.stringContaining(`${attr}: `) : `${attr}: ${detail}`,
    code: 'validation_failed',
    errors: [{ detail: detail ?? expect.any(String), code, attr }],
  },
});
