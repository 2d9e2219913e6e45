/** Schemas of telephone numbers, with the error code and the message of an invalid one. */
import type * as z from 'zod';
import { text } from './fields.js';

/** Documented error code for an invalid telephone number. */
export const INVALID_PHONE_NUMBER = 'invalid_phone_number';
/** Message for an invalid telephone number. */
export const NO_PHONE_NUMBER = 'Expected a telephone number, best in international form such as +33612345678.';

// Checks the form, not the number range, so that ranges assigned in future pass. Allowed between digits: spaces, brackets,
// points, slashes, hyphens and dashes. Allowed at the end: an extension.
const INTERNATIONAL_PHONE =
  /^\s*(?:[+＋]|00)[\s().\-/‐-―]*[1-9](?:[\s().\-/‐-―]*\d){6,14}[\s().\-/‐-―]*(?:(?:ext\.?|x|#)\s*\d{1,7}\s*)?$/i;
const LANDLINE =
  /^(?:\s*(?:[+＋][\s().\-/‐-―]*[1-9](?:[\s().\-/‐-―]*\d){6,14}|\(?\d(?:[\s().\-/‐-―]*\d){3,14})[\s().\-/‐-―]*(?:(?:ext\.?|x|#)\s*\d{1,7}\s*)?)?$/i;

/** `mobile`: international form, such as +33612345678 (spec: Customer). */
export const mobileSchema: z.ZodString = text.regex(INTERNATIONAL_PHONE, { error: NO_PHONE_NUMBER });

/** `landline`: may be empty; a telephone number when given (spec: Customer). */
export const landlineSchema: z.ZodString = text.regex(LANDLINE, { error: NO_PHONE_NUMBER });
