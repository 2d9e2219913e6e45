/** `requestAttributes`: the attributes of a request by the HTTP conventions of OpenTelemetry, without values of a payload or a path. */
import { type OperationName, operations, PATH_PREFIX } from '../../../schemas/operations.js';
import type { CallEvent } from '../call/observe.js';

/** Supplier codes and account numbers in a path are `*` in `url.full`, and there is no query. */
export function requestAttributes({ operation, baseUrl }: Pick<CallEvent, 'operation' | 'baseUrl'>) {
  const { method, path } = endpointOf(operation);
  const { protocol, hostname, port, pathname } = new URL(baseUrl);
  const template = `${pathname.replace(/\/$/, '')}${PATH_PREFIX}${path}`;
  const ofService = {
    'data_import.operation': operation,
    'http.request.method': method,
    'server.address': hostname,
    'server.port': port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
  };
  return {
    /** Name of a span: method and path, with names in place of values. */
    name: `${method} ${template}`,
    /** For metrics: few different values. */
    ofService,
    ofRequest: {
      ...ofService,
      'url.full': `${baseUrl}${PATH_PREFIX}${path.replace(/\{\w+\}/g, '*')}`,
      'url.template': template,
    },
  };
}

export type RequestAttributes = ReturnType<typeof requestAttributes>;

/** The endpoints of methods that are no name of an operation. */
const ENDPOINTS: Readonly<Record<string, OperationName>> = {
  'accounts.dryRun': 'accounts.process',
  'imports.streamAll': 'imports.all',
  'imports.streamPending': 'imports.pending',
  'imports.waitFor': 'imports.status',
};

/** `GET meters/*` is a call of `client.request`, whose name has `*` in place of values. */
function endpointOf(operation: string): { method: string; path: string } {
  const [method = '', path] = operation.split(' ', 2);
  return path === undefined ? operations[ENDPOINTS[operation] ?? (operation as OperationName)] : { method, path };
}
