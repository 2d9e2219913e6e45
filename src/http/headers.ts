/** The headers of a request, made once for each token; the token goes into no other place. */
import { VERSION } from '../version.js';
import type { HeldToken } from './token.js';

export type HeadersOf = (token: HeldToken, hasBody: boolean) => Readonly<Record<string, string>>;

/** `scheme` is the word before the token; empty for the bare token. */
export function createHeaders(scheme: string): HeadersOf {
  let of: HeldToken | undefined;
  let bare: Readonly<Record<string, string>> = {};
  let withBody = bare;
  return (token, hasBody) => {
    if (token !== of) {
      of = token;
      bare = {
        authorization: scheme === '' ? token.value : `${scheme} ${token.value}`,
        accept: 'application/json',
        'user-agent': `data-import-sdk/${VERSION}`,
      };
      withBody = { ...bare, 'content-type': 'application/json' };
    }
    return hasBody ? withBody : bare;
  };
}
