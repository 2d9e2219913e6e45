/** The JSON Schemas of the config file, of a profile and of a record accept what the package accepts, and find mistakes in an editor. */

import { writeFileSync } from 'node:fs';
import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { payloadJsonSchemas, recordJsonSchema } from '../../../schemas/index.js';
import { isKnownField } from '../../../schemas/known-field-names.js';
import { optionsOfAll } from '../../../src/cli/commands.js';
import { configJsonSchema } from '../../../src/cli/options/config-file.js';
import { sampleRecords } from '../../../src/migration/index.js';
import { defineProfile, profileJsonSchema } from '../../../src/validation/profile.js';
import { account, openFolder, run, valueIn } from '../typed.js';

const { at, inputFile } = openFolder();
const SCHEMA = './node_modules/data-import-sdk/dist/json-schema/config.json';

/** Compiling a schema takes far longer than a check by it. */
const compiled = new WeakMap<object, ValidateFunction>();

function accepts(schema: Record<string, unknown>, value: unknown): boolean {
  let validate = compiled.get(schema);
  if (validate === undefined) {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    validate = ajv.compile(schema as AnySchemaObject);
    compiled.set(schema, validate);
  }
  return validate(value) === true;
}

test.each([
  ['config', configJsonSchema(await optionsOfAll())],
  ['profile', profileJsonSchema()],
  ['record', recordJsonSchema()],
  ['Account', payloadJsonSchemas()['Account'] ?? {}],
])('the schema %s has an absolute id, and refers to nothing outside itself', (name, schema) => {
  expect(schema['$id']).toBe(`urn:data-import-sdk:${name}`);
  const refs = [...JSON.stringify(schema).matchAll(/"\$ref":"([^"]*)"/g)].map(([, ref]) => ref);
  expect(refs.filter((ref) => !ref?.startsWith('#/$defs/'))).toEqual([]);
});

describe('the config file', async () => {
  const schema = configJsonSchema(await optionsOfAll());

  test.each([
    [{}],
    [{ $schema: SCHEMA, team: 'EAST', encoding: 'windows-1252' }],
    [{ warnings: false, color: false, yes: true }],
    [{ baseUrl: 'https://api.example.com', rps: 20, sandbox: true, checkPreviouslyAdded: false }],
    [{ sources: { customers: { file: 'customers.csv', encoding: 'windows-1252', delimiter: ';' } } }],
    [{ sources: { customers: { file: 'customers.csv', skipLines: 2, quote: '' } } }],
  ])('%j is valid', (config) => {
    expect(accepts(schema, config)).toBe(true);
  });

  test.each([
    [{ taem: 'EAST' }],
    [{ team: 1 }],
    [{ sandbox: 'yes' }],
    [{ sources: { customers: { path: 'customers.csv' } } }],
    [{ token: 'secret' }],
    [{ config: 'other.json' }],
    [{ port: 4011 }],
  ])('%j is invalid', (config) => {
    expect(accepts(schema, config)).toBe(false);
  });

  test.each([
    ['checkPreviouslyAdded', 'false: do not skip transactions that exist. '],
    ['forceCurrentStatement', 'false: reject transactions outside the open period. '],
    ['warnings', 'false: print errors only'],
    ['color', 'false: no colours, as with NO_COLOR'],
    ['retryRejected', 'send unchanged rejected records again'],
  ])('the description of %s says what its value does', (name, description) => {
    const { [name]: setting } = schema['properties'] as Record<string, { description: string }>;
    expect(setting?.description.startsWith(description)).toBe(true);
  });

  test('may name its schema', async () => {
    writeFileSync(at('config.json'), JSON.stringify({ $schema: SCHEMA }));
    expect((await run('check', inputFile('one.jsonl', account('A-1')), '--config', at('config.json'))).code).toBe(0);
  });
});

describe('a profile', () => {
  const example = valueIn('examples/deployment-profile.json');

  test.each([
    [{}],
    [{ required: { Account: ['customers.*.email'] }, lengths: { Account: { sales_channel: 10 } } }],
    [example],
  ])('%j is valid', (profile) => {
    expect(accepts(profileJsonSchema(), profile)).toBe(true);
  });

  test.each([
    [{ requierd: {} }],
    [{ required: { Acount: ['customers'] } }],
    [{ fields: { Account: { iban: 'text' } } }],
  ])('%j is invalid', (profile) => {
    expect(accepts(profileJsonSchema(), profile)).toBe(false);
  });

  test('may name its schema, which is no rule', async () => {
    const profile = { $schema: SCHEMA, required: { Account: ['sales_channel'] } };
    expect(defineProfile(profile).required).toEqual({ Account: ['sales_channel'] });
    // Messages may show the field names of a profile. The characters of the path are none: a list of them would have this index.
    expect(isKnownField(String(SCHEMA.length - 1))).toBe(false);
    writeFileSync(at('profile.json'), JSON.stringify(profile));
    const input = inputFile('two.jsonl', account('A-1', { sales_channel: 'WEB' }));
    expect((await run('check', input, '--profile', at('profile.json'))).code).toBe(0);
  });
});

test('the settings of a rehearsal may name their schema', async () => {
  writeFileSync(at('settings.json'), JSON.stringify({ $schema: SCHEMA, processConcurrency: 2 }));
  const input = inputFile('three.jsonl', account('A-1'));
  const flags = ['--sandbox', '--sandbox-settings', at('settings.json'), '--run', at('run')];
  expect((await run('run', input, ...flags)).code).toBe(0);
});

describe('a record', () => {
  const schema = recordJsonSchema();
  const ids = { import_supplier: 'ACME', external_account_number: 'A-1' };

  test('every valid record of a sample is valid', () => {
    const lines = [...sampleRecords({ accounts: 100, mistakes: 0 })];
    expect(lines.length).toBeGreaterThan(100);
    for (const { line } of lines) expect(accepts(schema, JSON.parse(line)), line).toBe(true);
  });

  test.each([
    [{ account: ids, notes: [{ body: 'Prefers letters.' }] }],
    [{ account: ids, payment_instruction: { vendor: 'V', reference: 'R' } }],
    [{ account: ids, payment_instructions: [{ vendor: 'V', reference: 'R' }] }],
  ])('%j is valid', (record) => {
    expect(accepts(schema, record)).toBe(true);
  });

  test.each([
    [{}],
    [{ acount: ids }],
    [{ account: { ...ids, billing_adress1: '1 rue de la Gare' } }],
    [{ account: { import_supplier: 'ACME' } }],
    [{ account: ids, notes: [{ text: 'Prefers letters.' }] }],
    [{ account: ids, note: [{ body: 'Prefers letters.' }] }],
    // The runner adds the identifiers of the account.
    [{ account: ids, payment_instruction: { vendor: 'V', reference: 'R', ...ids } }],
  ])('%j is invalid', (record) => {
    expect(accepts(schema, record)).toBe(false);
  });
});
