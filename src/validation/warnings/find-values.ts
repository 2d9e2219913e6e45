/**
 * Exports `valueFinder`, which applies rules such as those of `rules.ts` to a payload. The places of all rules form one tree per payload type, so
 * that a payload is walked once.
 */
import { isObjectOrArray } from '../../../schemas/objects.js';
import { isPlainArray, isPlainObject } from '../accepts.js';
import { type Finding, toAttr } from '../findings.js';
import type { PayloadName } from '../payload-schemas.js';
import { EVERY_TEXT } from './places.js';
import type { Fields, ValueRule } from './rules.js';
import { isScientificNotation } from './value-forms.js';

/** A place in a payload: its rules, and the places in it. */
interface Place {
  rules: ValueRule[];
  inside: Map<string, Place>;
}

/** The rules of a payload type. */
interface Rules {
  root: Place;
  ofEachText: ValueRule[];
}

interface Walk extends Pick<Rules, 'ofEachText'> {
  /** Path of the current value. */
  path: (string | number)[];
  /** The objects that the current value is in. One of them again is a cycle, which no JSON has. */
  within: object[];
  found: { rule: ValueRule; attr: string }[];
  /** For rules about duplicates: the keys found so far. */
  seen: Map<ValueRule, Set<string>>;
}

/** No payload of the service is deeper. */
const MAX_DEPTH = 20;

/**
 * Returns a function that returns the findings of these rules about the values of a payload, which may be invalid, in the order of the rules.
 * `isErrorsOnly`: only of those whose findings are errors.
 */
/* @__NO_SIDE_EFFECTS__ */
export function valueFinder(rules: readonly ValueRule[], isErrorsOnly = false) {
  const byPayload = new Map<PayloadName, Rules>();
  return (name: PayloadName, payload: unknown): Finding[] => {
    let ofPayload = byPayload.get(name);
    if (ofPayload === undefined) {
      ofPayload = { root: emptyPlace(), ofEachText: [] };
      for (const rule of rules) if (!isErrorsOnly || rule.isError) addRule(rule, ofPayload, rule.at[name] ?? []);
      byPayload.set(name, ofPayload);
    }
    const { root, ofEachText } = ofPayload;
    // An object literal that begins with a spread takes ten times as long.
    const walk: Walk = { ofEachText, path: [], within: [], found: [], seen: new Map() };
    checkPlace(payload, root, walk);
    // Most payloads have none.
    if (walk.found.length === 0) return NONE;
    return rules.flatMap((rule) =>
      walk.found
        .filter((found) => found.rule === rule)
        .map(({ attr }) => ({
          detail: rule.detail,
          code: rule.code,
          attr,
          severity: rule.isError ? ('error' as const) : ('warning' as const),
        })),
    );
  };
}

const NONE: Finding[] = [];

function addRule(rule: ValueRule, { root, ofEachText }: Rules, patterns: readonly string[]): void {
  for (const pattern of patterns) {
    if (pattern === EVERY_TEXT) ofEachText.push(rule);
    else placeAt(root, pattern).rules.push(rule);
  }
}

function emptyPlace(): Place {
  return { rules: [], inside: new Map() };
}

function placeAt(root: Place, pattern: string): Place {
  let place = root;
  for (const part of pattern === '' ? [] : pattern.split('.')) {
    const next = place.inside.get(part) ?? emptyPlace();
    place.inside.set(part, next);
    place = next;
  }
  return place;
}

function checkPlace(value: unknown, place: Place | undefined, walk: Walk): void {
  if (place !== undefined) for (const rule of place.rules) applyRule(rule, value, walk);
  if (typeof value === 'string') {
    for (const rule of walk.ofEachText) if (rule.text?.(value)) addFinding(rule, '', walk);
  } else if (isObjectOrArray(value)) {
    if (walk.within.length === MAX_DEPTH || walk.within.includes(value)) return;
    walk.within.push(value);
    if (isPlainArray(value)) {
      const each = place?.inside.get('*');
      for (let index = 0; index < value.length; index++) enter(index, value[index], each, walk);
    } else if (isPlainObject(value)) {
      // A plain object inherits nothing. `Object.keys` would create a list of each.
      for (const key in value) enter(key, value[key], place?.inside.get(key), walk);
    }
    walk.within.pop();
  }
}

function enter(key: string | number, value: unknown, place: Place | undefined, walk: Walk): void {
  if (value === undefined || (place === undefined && walk.ofEachText.length === 0)) return;
  walk.path.push(key);
  checkPlace(value, place, walk);
  walk.path.pop();
}

function applyRule(rule: ValueRule, value: unknown, walk: Walk): void {
  const isSuspicious =
    (typeof value === 'string' && rule.text?.(value)) ||
    (typeof value === 'number' && rule.number?.(value)) ||
    (Array.isArray(value) && rule.list?.(value));
  if (isSuspicious === true) addFinding(rule, '', walk);
  if (!isPlainObject(value)) return;
  for (const field of rule.fields?.(value) ?? []) addFinding(rule, field, walk);
  if (rule.distinct !== undefined && isRepeated(rule, rule.distinct, value, walk))
    addFinding(rule, rule.distinct[0], walk);
}

function isRepeated(
  rule: ValueRule,
  [first, ...others]: readonly [string, ...string[]],
  value: Fields,
  { seen }: Walk,
) {
  const id = value[first];
  // A rounded id says nothing about other objects.
  if (typeof id !== 'string' || id === '' || isScientificNotation(id)) return false;
  const key = [id, ...others.map((field) => (typeof value[field] === 'string' ? value[field] : ''))].join('\n');
  const earlier = seen.get(rule);
  if (earlier?.has(key)) return true;
  if (earlier === undefined) seen.set(rule, new Set([key]));
  else earlier.add(key);
  return false;
}

function addFinding(rule: ValueRule, field: string, { path, found }: Walk): void {
  found.push({ rule, attr: toAttr(field === '' ? path : [...path, field]) });
}
