/** Each property of the published documents has a description: the doc comment of its field. */
import { describe, expect, it } from 'vitest';
import { openApiDocument, payloadJsonSchemas, recordJsonSchema } from '../../schemas/index.js';

type Node = Record<string, unknown>;

/** Returns the paths of the properties without a description, of a document as JSON. */
function undescribed(part: unknown, at = ''): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const { properties, ...others } = part as Node & { properties?: Record<string, Node> };
  const own = Object.entries(properties ?? {}).flatMap(([name, property]) => [
    ...(property['description'] === undefined ? [`${at}.${name}`] : []),
    ...undescribed(property, `${at}.${name}`),
  ]);
  return [...own, ...Object.entries(others).flatMap(([key, value]) => undescribed(value, `${at}/${key}`))];
}

describe('each property has a description', () => {
  it('in the OpenAPI document', () => {
    const { components, paths } = openApiDocument();
    expect(undescribed(components.schemas)).toEqual([]);
    expect(JSON.stringify(paths).match(/"name":"[^"]*","in":"[^"]*","required":(true|false),(?!"description")/)).toBe(
      null,
    );
  });

  it('in the JSON Schema of every payload', () => {
    expect(undescribed(payloadJsonSchemas())).toEqual([]);
  });

  it('in the JSON Schema of a record', () => {
    expect(undescribed(recordJsonSchema())).toEqual([]);
  });
});

describe('a description is the doc comment of the field, or of the type', () => {
  const schemas = openApiDocument().components.schemas as Record<string, Node & { properties: Record<string, Node> }>;

  it.each([
    ['Account', 'import_supplier', 'Import supplier code.'],
    ['Account', 'customers', 'The people of the account.'],
    ['Customer', 'landline', 'May be empty; a telephone number when given.'],
    ['Note', 'is_pinned', 'Pins the note to the top of the account support page.'],
    ['TransactionEcho', 'amount', 'A decimal in a string, such as "12.50".'],
    ['ValidatedAccount', 'customers', 'The people of the account.'],
    ['ValidationErrorBody', 'errors', 'All errors, one entry per invalid field.'],
  ])('%s.%s: %s', (type, field, text) => {
    const schema = type === 'TransactionEcho' ? echo() : schemas[type];
    for (const { properties } of (schema?.['anyOf'] ?? [schema]) as { properties: Node }[]) {
      expect(properties[field]).toMatchObject({ description: text });
    }
  });

  it('a type has its own', () => {
    expect(schemas['Customer']).toMatchObject({ description: 'A person of the account (spec: Customer).' });
    expect(schemas['Note']).toMatchObject({ description: 'A note holds a `body`, `document_paths`, or both.' });
  });

  it('each term of a contract has that of its kind', () => {
    const { oneOf } = schemas['ContractTerm'] as unknown as { oneOf: { properties: Record<string, Node> }[] };
    expect(oneOf.map(({ properties }) => properties['days']?.['description']).filter(Boolean)).toEqual(['An integer.']);
  });

  function echo() {
    const answer = schemas['TransactionsAnswer'] as unknown as {
      properties: {
        results: { items: { properties: { transaction_data: { anyOf: [(typeof schemas)[string]] } } } };
      };
    };
    return answer.properties.results.items.properties.transaction_data.anyOf[0];
  }
});

const BODIES = [
  { $ref: '#/components/schemas/ValidationErrorBody' },
  { $ref: '#/components/schemas/PaymentVendorErrorBody' },
];

describe('answers are typed', () => {
  const schemas = openApiDocument().components.schemas as Record<string, Node & { properties: Record<string, Node> }>;

  it('the validated data have the fields of the account, and nothing that a service leaves out or adds is an error', () => {
    const { properties } = schemas['ValidatedAccount'] ?? { properties: {} };
    expect(Object.keys(properties)).toEqual(Object.keys(schemas['Account']?.properties ?? {}));
    expect(properties['customers']).toMatchObject({
      type: 'array',
      items: { type: 'object', properties: { landline: { type: 'string' } } },
    });
    expect(JSON.stringify(schemas['ValidatedAccount'])).not.toMatch(/"required"|"additionalProperties":false/);
  });

  it('transaction_data has every field of a transaction', () => {
    const data = JSON.stringify(schemas['TransactionsAnswer']);
    for (const name of Object.keys(schemas['Transaction']?.properties ?? {})) expect(data).toContain(`"${name}":{`);
    expect(data).toContain('"number_of_units":{"type":"number"');
  });

  it('a refused payment instruction has the body of a validation error, or that of a vendor failure', () => {
    const { paths } = openApiDocument();
    for (const path of ['payment-instruction', 'business-payment-instruction']) {
      const item = paths[`/v1/data-import/${path}/create/`] as { post: { responses: Record<string, unknown> } };
      expect(item.post.responses['400']).toMatchObject({
        content: { 'application/json': { schema: { anyOf: BODIES } } },
      });
    }
  });
});
