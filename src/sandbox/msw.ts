/** `data-import-sdk/msw`: the sandbox behind MSW, for tests of code that calls the service by the global fetch. */
import { type HttpHandler, HttpResponse, http } from 'msw';
import { PATH_PREFIX } from '../../schemas/operations.js';
import { refuseUnknownOptions } from '../validation/known-names.js';
import { expectFits, withMethods } from '../validation/option-kinds.js';
import type { Sandbox } from './sandbox.js';

/** Options of `sandboxHandlers`. */
export interface SandboxHandlersOptions {
  /** The base URL that your code calls, such as `https://platform.example.com`; it may end in a path. */
  baseUrl: string;
}

/**
 * Returns two MSW handlers: one for the REST endpoints, one for the GraphQL call at `sandbox.graphqlPath`, both below
 * `baseUrl`. Throws a TypeError if `baseUrl` is not an absolute URL, or has the path of the endpoints.
 *
 *     const server = setupServer(...sandboxHandlers(createSandbox(), { baseUrl: 'https://platform.example.com' }));
 */
export function sandboxHandlers(sandbox: Sandbox, options: SandboxHandlersOptions): HttpHandler[] {
  expectFits('sandboxHandlers', sandbox, withMethods('a sandbox', 'fetch', 'listen'));
  refuseUnknownOptions('sandboxHandlers', options, ['baseUrl']);
  const { origin, pathname } = absoluteUrl(options.baseUrl);
  const basePath = pathname.replace(/(?<!\/)\/+$/, '');
  if (`${basePath}/`.endsWith(PATH_PREFIX))
    throw new TypeError(`sandboxHandlers: baseUrl: leave out ${PATH_PREFIX}; the handlers add it.`);
  // The sandbox knows only the documented paths, so the path of the base URL is removed.
  const pass = ({ request }: { request: Request }) => {
    const url = new URL(request.url);
    url.pathname = url.pathname.slice(basePath.length);
    return sandbox.fetch(new Request(url, request)).catch(() => HttpResponse.error());
  };
  // Regular expressions, not paths with `*`: MSW decodes the part behind `*`, and answers 500 if it cannot.
  const beginsWith = (path: string) => `^${escaped(origin + basePath + path)}`;
  return [beginsWith(PATH_PREFIX), `${beginsWith(sandbox.graphqlPath)}$`].map((pattern) =>
    http.all(new RegExp(pattern), pass),
  );
}

function absoluteUrl(baseUrl: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  const expected = 'an absolute URL such as https://platform.example.com';
  throw new TypeError(`sandboxHandlers: baseUrl must be ${expected}, found ${JSON.stringify(baseUrl)}.`);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
