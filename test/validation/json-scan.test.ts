import { describe, expect, it } from 'vitest';
import { excessOf, JsonScan } from '../../src/validation/json-scan.js';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('a JSON text', () => {
  it.each([
    ['{"account":{"customers":[{}]}}', undefined],
    [nested(500), undefined],
    [nested(501), 'tooDeep'],
    [`{"a":"${'['.repeat(1000)}"}`, undefined],
    [`{"a":"\\"${'['.repeat(1000)}\\\\"}`, undefined],
    [`[${'1,'.repeat(99_998)}1]`, undefined],
    [`[${'1,'.repeat(100_000)}1]`, 'tooManyValues'],
    [`[${'{},'.repeat(50_000)}1]`, 'tooManyValues'],
    [`{${'"a":1,'.repeat(50_000)}"a":1}`, 'tooManyValues'],
    [`"${','.repeat(300_000)}"`, undefined],
  ])('%.30s… holds more than a payload may: case %#', (text, excess) => {
    expect(excessOf(text)).toBe(excess);
  });
});

describe('a scan', () => {
  it.each([1, 2, 3, 1000])('finds the same in parts of %i characters', (size) => {
    const text = '[1,{"a\\"]":[2,"\\\\"]},[]]';
    const ended: string[] = [];
    const scan = new JsonScan(text);
    scan.onEnd = (start, end) => ended.push(text.slice(start, end + 1));
    for (let at = 0; at < text.length; ) at = scan.read(at, Math.min(text.length, at + size));
    expect(ended).toEqual(['[2,"\\\\"]', '{"a\\"]":[2,"\\\\"]}', '[]', text]);
    expect([scan.tokens, scan.deepest]).toEqual([8, 3]);
  });
});
