/**
 * Exports `findWarnings`, which applies the warning rules to a payload. The places of all rules form one tree per payload
 * type, so that a payload is walked once.
 */

import type { Finding } from '../findings.js';
import { isObject } from '../objects.js';
import { keysOf } from '../path-patterns.js';
import type { PayloadName } from '../payload-schemas.js';
import { WARNING_RULES } from './all-rules.js';
import type { Fields, WarningRule } from './warning-rule.js';

/** A place in a payload: its rules, and the places in it. */
interface Place {
  rules: WarningRule[];
  inside: Map<string, Place>;
}

interface Walk {
  /** Path of the current value. */
  path: (string | number)[];
  found: { rule: WarningRule; attr: string }[];
  /** For rules about duplicates: the keys found so far. */
  seen: Map<WarningRule, Set<string>>;
}

const trees = new Map<PayloadName, Place>();

/** Returns the warnings of a payload, which may be invalid, in the order of the rules. */
export function findWarnings(name: PayloadName, payload: unknown): Finding[] {
  const walk: Walk = { path: [], found: [], seen: new Map() };
  checkPlace(payload, treeOf(name), walk);
  // Most payloads have none.
  if (walk.found.length === 0) return [];
  return WARNING_RULES.filter((rule) => walk.found.some((found) => found.rule === rule)).flatMap((rule) =>
    walk.found
      .filter((found) => found.rule === rule)
      .map(({ attr }) => ({ detail: rule.detail, code: rule.code, attr, severity: 'warning' as const })),
  );
}

function treeOf(name: PayloadName): Place {
  let tree = trees.get(name);
  if (tree === undefined) {
    tree = emptyPlace();
    for (const rule of WARNING_RULES)
      for (const pattern of rule.at[name] ?? []) placeAt(tree, pattern).rules.push(rule);
    trees.set(name, tree);
  }
  return tree;
}

function emptyPlace(): Place {
  return { rules: [], inside: new Map() };
}

function placeAt(tree: Place, pattern: string): Place {
  let place = tree;
  for (const part of pattern === '' ? [] : pattern.split('.')) {
    const next = place.inside.get(part) ?? emptyPlace();
    place.inside.set(part, next);
    place = next;
  }
  return place;
}

function checkPlace(value: unknown, { rules, inside }: Place, walk: Walk): void {
  for (const rule of rules) applyRule(rule, value, walk);
  if (typeof value !== 'object' || value === null) return;
  for (const [part, place] of inside) {
    if (!part.startsWith('*')) enter(value, part, place, walk);
    else if (part === '*' && Array.isArray(value)) checkEach(value, place, walk);
    else for (const key of keysOf(value, part)) enter(value, key, place, walk);
  }
}

function checkEach(list: readonly unknown[], place: Place, walk: Walk): void {
  for (let index = 0; index < list.length; index++) {
    walk.path.push(index);
    checkPlace(list[index], place, walk);
    walk.path.pop();
  }
}

function enter(value: object, key: string, place: Place, walk: Walk): void {
  if (!Object.hasOwn(value, key)) return;
  walk.path.push(key);
  checkPlace((value as Fields)[key], place, walk);
  walk.path.pop();
}

function applyRule(rule: WarningRule, value: unknown, walk: Walk): void {
  if (!isObject(value)) {
    const isSuspicious =
      (typeof value === 'string' && rule.text?.(value)) ||
      (typeof value === 'number' && rule.number?.(value)) ||
      (Array.isArray(value) && rule.list?.(value));
    if (isSuspicious === true) addWarning(rule, '', walk);
    return;
  }
  for (const field of rule.fields?.(value) ?? []) addWarning(rule, field, walk);
  if (rule.distinct !== undefined && isRepeated(rule, rule.distinct, value, walk))
    addWarning(rule, rule.distinct[0], walk);
}

function isRepeated(
  rule: WarningRule,
  [first, ...others]: readonly [string, ...string[]],
  value: Fields,
  { seen }: Walk,
) {
  const id = value[first];
  if (typeof id !== 'string' || id === '') return false;
  const key = [id, ...others.map((field) => (typeof value[field] === 'string' ? value[field] : ''))].join('\n');
  const earlier = seen.get(rule);
  if (earlier?.has(key)) return true;
  if (earlier === undefined) seen.set(rule, new Set([key]));
  else earlier.add(key);
  return false;
}

function addWarning(rule: WarningRule, field: string, { path, found }: Walk): void {
  found.push({ rule, attr: [...path, field].filter((part) => part !== '').join('.') });
}
