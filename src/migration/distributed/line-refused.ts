/** What a server may answer instead of the part of a file that it was asked for, and what to do about each. */
import { inWords } from './line-address.js';
import { LineError } from './line-error.js';

const ELSEWHERE =
  'Put the book on a server that answers Range requests or on a shared path, or keep it in the database: --book-in database.';
const LET_IN =
  'Give an address with --book-at that lets this member in, with user and password or as the store signs it.';
const ADDRESS = 'Say with --book-at where the book is, or put the file back.';

/** By the status: what was found, and what to do. */
const ANSWERS: Readonly<Record<number, readonly [found: string, remedy: string]>> = {
  200: ['the server sends the whole file (200) where a part of it was asked for', ELSEWHERE],
  206: ['the server sends another part of the file than was asked for (206)', ELSEWHERE],
  401: ['the server does not let this member in (401)', LET_IN],
  403: ['the server does not let this member in (403)', LET_IN],
  404: ['there is no such file (404)', ADDRESS],
  410: ['there is no such file any more (410)', ADDRESS],
};

const EXPECTED = 'expected the part of the file (206)';

/** Worth another request: the server is busy, or away behind what answers for it. */
const PASSING = (status: number) => status === 408 || status === 425 || status === 429 || status >= 500;

export function refused(url: URL, status: number): LineError {
  const [found, remedy] = ANSWERS[status] ?? otherAnswer(status);
  return new LineError(`${inWords(url)}: ${found}; ${EXPECTED}. ${remedy}`, { mayPass: PASSING(status) });
}

function otherAnswer(status: number): readonly [found: string, remedy: string] {
  if (status >= 300 && status < 400) {
    return [`the server sends on to another address (${status})`, 'Give that one with --book-at.'];
  }
  return [`the server answers ${status}`, 'Mend the server of the book, or give another address with --book-at.'];
}

/** By the code of the system or the client: what will not be otherwise by itself. */
const LASTING = /^ENOTFOUND$|CERT|SIGNATURE|ALTNAME|^ERR_(?:TLS|SSL)/;

export function cannotReach(url: URL, reason: string, cause?: unknown): LineError {
  return new LineError(
    `${inWords(url)}: cannot be read (${reason}); ${EXPECTED}. Mend the server of the book or the way to it, or give another address with --book-at.`,
    { mayPass: !LASTING.test(reason), cause },
  );
}
