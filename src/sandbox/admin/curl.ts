/** A logged request as a line for a shell, to send it once more. */

import { MASK } from '../calls/mask-personal-data.js';
import type { LogEntry } from '../calls/request-log.js';
import type { SandboxSettings } from '../settings/settings.js';

/** How the header carries the token; `$TOKEN` stands for it, so that the line can be passed on. */
const CREDENTIALS: Readonly<Record<SandboxSettings['authScheme'], string>> = {
  Token: 'Token $TOKEN',
  Bearer: 'Bearer $TOKEN',
  bare: '$TOKEN',
  any: 'Token $TOKEN',
};

/** One line. Where it is not the whole request, a comment at its end says so. */
export function curlLine(
  { method, path, request }: LogEntry,
  baseUrl: string,
  { authScheme }: SandboxSettings,
): string {
  const body = request === null || method === 'GET' ? undefined : JSON.stringify(request);
  const parts = [
    `curl -X ${method} ${quoted(baseUrl + path)}`,
    `-H "Authorization: ${CREDENTIALS[authScheme]}"`,
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `--data-raw ${quoted(body)}`]),
  ];
  if (body?.includes(MASK)) parts.push(`# ${MASK} stands for personal data: put the true values in place`);
  if (body === undefined && method !== 'GET') parts.push('# without its body: the log holds none');
  return parts.join(' ');
}

/** Nothing inside single quotes means anything to a shell, but for the quote itself. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
