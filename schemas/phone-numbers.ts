/** Schemas of telephone numbers, with the error code and the message of an invalid one. */
import type * as z from 'zod';
import { text } from './fields.js';

/** Documented error code for an invalid telephone number. */
export const INVALID_PHONE_NUMBER = 'invalid_phone_number';
/** Message for an invalid telephone number. */
export const NO_PHONE_NUMBER = 'Expected a telephone number, best in international form such as +33612345678.';

// Checks the form, not the number range, so that ranges assigned in future pass. Allowed between digits: spaces, brackets,
// points, slashes, hyphens and dashes. Allowed at the end: an extension.
const BETWEEN = '[\\s().\\-/‐-―]*';
const DIGITS = `${BETWEEN}[1-9](?:${BETWEEN}\\d){6,14}`;
const EXTENSION = `${BETWEEN}(?:(?:ext\\.?|x|#)\\s*\\d{1,7}\\s*)?`;
const INTERNATIONAL_PHONE = new RegExp(`^\\s*(?:[+＋]|00)${DIGITS}${EXTENSION}$`, 'i');
const LANDLINE = new RegExp(`^(?:\\s*(?:[+＋]${DIGITS}|\\(?\\d(?:${BETWEEN}\\d){3,14})${EXTENSION})?$`, 'i');

/** `mobile`: international form, such as +33612345678 (spec: Customer). */
export const mobileSchema: z.ZodString = text.regex(INTERNATIONAL_PHONE, { error: NO_PHONE_NUMBER });

/** `landline`: may be empty; a telephone number when given (spec: Customer). */
export const landlineSchema: z.ZodString = text.regex(LANDLINE, { error: NO_PHONE_NUMBER });
