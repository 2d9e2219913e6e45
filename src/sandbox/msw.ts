/** `data-import-sdk/msw`: the sandbox behind MSW, for code that calls the service through the global fetch. */
import { type HttpHandler, HttpResponse, http } from 'msw';
import { PATH_PREFIX } from '../../schemas/operations.js';
import type { Sandbox } from './sandbox.js';

/** Of `sandboxHandlers(sandbox, options)`. */
export interface SandboxHandlersOptions {
  /** The base URL that your code calls, such as `https://platform.example.com`; it may end in a path. */
  baseUrl: string;
}

/**
 * Two handlers: the REST side, and the GraphQL call for the token at `sandbox.graphqlPath` below the same base URL.
 * Throws a TypeError where `baseUrl` is not an absolute URL.
 *
 *     const server = setupServer(...sandboxHandlers(createSandbox(), { baseUrl: 'https://platform.example.com' }));
 */
export function sandboxHandlers(sandbox: Sandbox, options: SandboxHandlersOptions): HttpHandler[] {
  const { origin, pathname } = absoluteUrl(options?.baseUrl);
  const basePath = pathname.replace(/(?<!\/)\/+$/, '');
  // The sandbox knows the paths of the document alone, so what stands before them is taken away.
  const pass = ({ request }: { request: Request }) => {
    const url = new URL(request.url);
    url.pathname = url.pathname.slice(basePath.length);
    return sandbox.fetch(new Request(url, request)).catch(() => HttpResponse.error());
  };
  // Patterns, and not paths with a star: what a star stands for is decoded by MSW, which answers 500 where it cannot.
  const beginsWith = (path: string) => `^${literally(origin + basePath + path)}`;
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

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
