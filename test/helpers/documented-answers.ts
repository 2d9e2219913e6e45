/** Whether an answer of the sandbox is one that the OpenAPI document has: its status, and a body of that shape. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { openApiDocument } from '../../schemas/openapi.js';

interface DocumentedOperation {
  method: string;
  path: RegExp;
  /** By status; made when first needed, since most files need few. */
  bodies: ReadonlyMap<number, () => ValidateFunction>;
}

export interface SentAnswer {
  method: string;
  /** From the root, without the query string. */
  path: string;
  status: number;
  contentType: string | null;
  /** undefined for none. */
  body: unknown;
}

let documented: readonly DocumentedOperation[] | undefined;

/** Returns how the answer differs from the API specification; undefined if it does not, or if the path names no operation. */
export function undocumented({ method, path, status, contentType, body }: SentAnswer): string | undefined {
  documented ??= readDocument();
  const operation = documented.find((candidate) => candidate.method === method && candidate.path.test(path));
  if (operation === undefined) return undefined;
  const validator = operation.bodies.get(status);
  if (validator === undefined) return `${method} ${path}: the API specification has no answer of status ${status}`;
  if (body === undefined) return `${method} ${path}: ${status} without a body`;
  if (contentType !== 'application/json') return `${method} ${path}: ${status} of content type ${contentType}`;
  const validate = validator();
  if (validate(body)) return undefined;
  const errors = (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);
  return `${method} ${path}: body of ${status} is not as documented: ${errors.join('; ')}`;
}

interface PathItem {
  [method: string]: { responses: Record<string, unknown> };
}

function readDocument(): DocumentedOperation[] {
  const document = JSON.parse(JSON.stringify(openApiDocument())) as { paths: Record<string, PathItem> };
  const ajv = new Ajv2020({ allowUnionTypes: true });
  addFormats.default(ajv);
  // So that a response can be addressed inside the document, as its own references do.
  ajv.addVocabulary(['openapi', 'info', 'servers', 'tags', 'security', 'paths', 'components']);
  ajv.addSchema({ ...document, $id: 'openapi.json' });
  const pointer = (parts: readonly string[]) =>
    parts.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
  const schemaOf = (path: string, method: string, status: string) => ({
    $ref: `openapi.json#/${pointer(['paths', path, method, 'responses', status, 'content', 'application/json', 'schema'])}`,
  });
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { responses }]) => ({
      method: method.toUpperCase(),
      path: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
      bodies: new Map(
        Object.keys(responses).map((status) => [
          Number(status),
          once(() => ajv.compile(schemaOf(path, method, status))),
        ]),
      ),
    })),
  );
}

function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
