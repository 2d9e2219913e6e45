/** Answers of failed calls, in the form of the specification. A detail that is left out may be any text. */
import { expect } from 'vitest';

/** A body without a list of errors. */
export const failed = (status: number, code: string, detail: string) => ({ status, body: { detail, code } });

/** 400 with one error (Validation error body): the body has its code and its detail. */
export const refused = (code: string, attr: string, detail: unknown = expect.any(String)) => ({
  status: 400,
  body: { detail, code, errors: [{ detail, code, attr }] },
});

/** 400 with one invalid field: the body has its path before the detail. */
export const invalid = (code: string, attr: string, detail?: string) => ({
  status: 400,
  body: {
    detail: detail === undefined ? expect.stringContaining(`${attr}: `) : `${attr}: ${detail}`,
    code: 'validation_failed',
    errors: [{ detail: detail ?? expect.any(String), code, attr }],
  },
});
