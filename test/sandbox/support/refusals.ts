/** Answers of failed calls, in the form of the specification. A detail that is left out may be any text. */
import { expect } from 'vitest';

/** A body without a list of errors. */
export const failed = (status: number, code: string, detail: string) => ({ status, body: { detail, code } });

/** 400 with one error (Validation error body): the body has its code and its detail. */
export const refused = (code: string, attr: string, detail: unknown = expect.any(String)) => ({
  status: 400,
  body: { detail, code, errors: [{ detail, code, attr }] },
});

export const fieldError = (code: string, attr: string, detail: string) => ({ detail, code, attr });

/** The error of a field that the specification does not have. */
export const unknownField = (attr: string) =>
  fieldError('unknown_field', attr, 'This field is not documented; only documented fields may be sent.');

/** 400 with several invalid fields: the body has the path and the detail of the first, and how many they are. */
export const invalidFields = (code: string, ...errors: { detail: string; code: string; attr: string }[]) => ({
  status: 400,
  body: {
    detail: `${errors[0]?.attr}: ${errors[0]?.detail}${errors.length > 1 ? ` (1 of ${errors.length} errors)` : ''}`,
    code,
    errors,
  },
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
