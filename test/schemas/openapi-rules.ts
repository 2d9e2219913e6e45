/**
 * The rules of OpenAPI 3.1.0 for the objects that our document uses, written by hand from the specification as a JSON
 * Schema. Stricter than the specification in one thing: an object that we do not use is refused.
 */
const nonEmpty = { type: 'string', minLength: 1 };

const schemaObject = { $ref: 'https://json-schema.org/draft/2020-12/schema' };

const mediaTypes = {
  type: 'object',
  minProperties: 1,
  propertyNames: { pattern: '^[^/ ]+/[^/ ]+$' },
  additionalProperties: {
    type: 'object',
    properties: { schema: schemaObject },
    required: ['schema'],
    additionalProperties: false,
  },
};

const parameter = {
  type: 'object',
  properties: {
    name: nonEmpty,
    in: { enum: ['query', 'path'] },
    description: nonEmpty,
    required: { type: 'boolean' },
    schema: schemaObject,
  },
  required: ['name', 'in', 'schema'],
  additionalProperties: false,
  // A path parameter must be required.
  if: { type: 'object', properties: { in: { const: 'path' } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { type: 'object', properties: { required: { const: true } }, required: ['required'] },
};

const operation = {
  type: 'object',
  properties: {
    operationId: nonEmpty,
    summary: nonEmpty,
    description: nonEmpty,
    tags: { type: 'array', items: nonEmpty },
    parameters: { type: 'array', items: parameter, uniqueItems: true },
    requestBody: {
      type: 'object',
      properties: { description: nonEmpty, required: { type: 'boolean' }, content: mediaTypes },
      required: ['content'],
      additionalProperties: false,
    },
    responses: {
      type: 'object',
      minProperties: 1,
      propertyNames: { pattern: '^[1-5][0-9]{2}$' },
      additionalProperties: {
        type: 'object',
        properties: { description: nonEmpty, content: mediaTypes },
        required: ['description'],
        additionalProperties: false,
      },
    },
  },
  required: ['responses'],
  additionalProperties: false,
};

export const openApiRules = {
  $id: 'openapi-3.1-rules.json',
  type: 'object',
  properties: {
    openapi: { const: '3.1.0' },
    info: {
      type: 'object',
      properties: {
        title: nonEmpty,
        version: nonEmpty,
        description: nonEmpty,
        license: {
          type: 'object',
          properties: { name: nonEmpty, identifier: nonEmpty },
          required: ['name'],
          additionalProperties: false,
        },
      },
      required: ['title', 'version'],
      additionalProperties: false,
    },
    servers: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          url: nonEmpty,
          variables: {
            type: 'object',
            additionalProperties: {
              type: 'object',
              properties: { default: nonEmpty, description: nonEmpty },
              required: ['default'],
              additionalProperties: false,
            },
          },
        },
        required: ['url'],
        additionalProperties: false,
      },
    },
    tags: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: nonEmpty, description: nonEmpty },
        required: ['name'],
        additionalProperties: false,
      },
    },
    security: {
      type: 'array',
      items: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
    },
    paths: {
      type: 'object',
      propertyNames: { pattern: '^/' },
      additionalProperties: {
        type: 'object',
        properties: { get: operation, post: operation },
        additionalProperties: false,
      },
    },
    components: {
      type: 'object',
      properties: {
        schemas: {
          type: 'object',
          propertyNames: { pattern: '^[a-zA-Z0-9._-]+$' },
          additionalProperties: schemaObject,
        },
        securitySchemes: {
          type: 'object',
          propertyNames: { pattern: '^[a-zA-Z0-9._-]+$' },
          additionalProperties: {
            type: 'object',
            properties: {
              type: { const: 'apiKey' },
              in: { enum: ['query', 'header', 'cookie'] },
              name: nonEmpty,
              description: nonEmpty,
            },
            required: ['type', 'in', 'name'],
            additionalProperties: false,
          },
        },
      },
      additionalProperties: false,
    },
  },
  required: ['openapi', 'info', 'paths', 'components'],
  additionalProperties: false,
};
