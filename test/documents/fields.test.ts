/** docs/fields.md has each field of each payload once, with a valid example. Its complete accounts are imported into the sandbox. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validateAccount, validateBusiness } from 'data-import-sdk';
import { operations } from 'data-import-sdk/schemas';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { variantsOf } from '../../schemas/known-field-names.js';
import { typeCommand } from '../support/type-command.js';
import { blocksOf, textOf } from './documents.js';

type Field = z.ZodType;

/** The payloads by the name that the page has for them. An account is validated and staged with the same payload. */
const PAYLOADS: [string, Field][] = [
  ['account', operations['accounts.stage'].request],
  ['business', operations['businesses.create'].request],
  ['populate', operations['supplyPoints.populate'].request],
  ...Object.values(operations).flatMap((operation): [string, Field][] => {
    if (
      operation.method !== 'POST' ||
      /^(validate|account-import-process\/create|business\/|supply-)/.test(operation.path)
    )
      return [];
    const { path, request, query } = operation;
    return [[path, request], ...(query === undefined ? [] : [[`${path}?`, query] as [string, Field]])];
  }),
];

/** Each field of the payloads by its path. A schema that occurs at several places is read at the first. */
const fields = new Map<string, Field>();
const read = new Set<z.core.$ZodType>();
for (const [name, payload] of PAYLOADS) readInside(name, payload);

function readInside(path: string, schema: z.core.$ZodType): void {
  const variants = variantsOf(schema);
  for (const variant of variants) {
    const { def } = variant._zod;
    if (def.type === 'array') readInside(`${path}[]`, def.element);
    if (def.type !== 'object' || read.has(variant)) continue;
    read.add(variant);
    const kind = def.shape['term_type']?._zod.values?.values().next().value;
    for (const [name, field] of Object.entries(def.shape)) {
      const place = `${path}.${kind === undefined || name === 'term_type' ? '' : `${String(kind)}.`}${name}`;
      if (!fields.has(place)) fields.set(place, field as Field);
      readInside(place, field);
    }
  }
}

/** A row of the page: the fields that it is about, its example as JSON, and its remark. */
const rows = textOf('docs/fields.md')
  .split(/^### /m)
  .slice(1)
  .flatMap((section) => {
    const [, , intro = '', ...lines] = section.split('\n');
    const bases = [...intro.matchAll(/`([^`]+)`/g)].map(([, base = '']) => base);
    return lines
      .filter((line) => /^\| .*\| `/.test(line))
      .map((line) => {
        const [, field = '', example = '', remark = ''] = line
          .split(' |')
          .map((cell) => cell.replace(/^ ?\|?/, '').trim());
        const name = field.slice(1, -1);
        const paths = bases.map((base) => `${base}.${name}`).filter((path) => fields.has(path));
        return { name, paths, example, remark };
      });
  });

test('each field of each payload is in one row', () => {
  expect(fields.size).toBeGreaterThan(180);
  expect(rows.filter(({ paths }) => paths.length === 0).map(({ name }) => name)).toEqual([]);
  expect(rows.flatMap(({ paths }) => paths).sort()).toEqual([...fields.keys()].sort());
});

test('each example is valid', () => {
  const invalid = rows.filter(({ paths: [path = ''], example }) => {
    if (/^(below|\[.+\]\(#[\w-]+\))$/.test(example)) return false;
    const [, json = ''] = /^`(.+)`$/.exec(example) ?? [];
    return fields.get(path)?.safeParse(JSON.parse(json)).success !== true;
  });
  expect(invalid).toEqual([]);
});

test('a field that a payload must have is marked as required, and no other', () => {
  const isRequired = (path: string) => fields.get(path)?.safeParse(undefined).success === false;
  const wrong = rows.filter(({ paths, remark }) => paths.some(isRequired) !== remark.startsWith('Required'));
  expect(wrong.map(({ paths }) => paths)).toEqual([]);
});

describe('the complete accounts', () => {
  const records = blocksOf('json')
    .filter(({ document }) => document === 'docs/fields.md')
    .map(({ code }) => JSON.parse(code));
  const [household, business, account] = records;
  const folder = mkdtempSync(join(tmpdir(), 'fields-'));
  const before = process.cwd();
  beforeAll(() => process.chdir(folder));
  afterAll(() => {
    process.chdir(before);
    rmSync(folder, { recursive: true, force: true });
  });

  test('are valid, and have no warning', () => {
    expect(validateAccount(household.account).findings).toEqual([]);
    expect(validateBusiness(business.business).findings).toEqual([]);
    expect(validateAccount(account.account).findings).toEqual([]);
  });

  test('have two meters each, and the contract has the nine terms', () => {
    const meters = [household, account].map(({ account }) => account.supply_addresses[0].supply_points.length);
    expect(meters).toEqual([2, 2]);
    const { terms } = business.business.business.business_contracts[0].versions[0];
    expect(terms.map(({ term_type }: { term_type: string }) => term_type)).toEqual([
      ...['CONTRACT_METADATA', 'PRODUCT_RATE_OVERRIDE_SCHEDULE', 'TERMINATION_FEE', 'ISSUANCE_FREQUENCY'],
      ...['GUARANTEE_OF_ORIGIN_CONFIGURATION', 'PAYS_BY_DIRECT_DEBIT', 'DELAYER_DAYS', 'RATE_GROUP_ELIGIBILITY'],
      ...['CHARACTERISTIC_OVERRIDE'],
    ]);
  });

  test('are imported into the sandbox with all their items', { tags: 'long' }, async () => {
    writeFileSync('input.jsonl', records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    const check = await typeCommand('npx data-import-sdk check input.jsonl');
    expect(check.code).toBe(0);
    expect(check.out).toContain('3 lines, 0 errors\n');
    const run = await typeCommand('npx data-import-sdk run input.jsonl --sandbox');
    expect(run.code).toBe(0);
    expect(run.out).toContain('3 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 3');
    expect((await typeCommand('npx data-import-sdk verify --sandbox')).code).toBe(0);
  });
});
