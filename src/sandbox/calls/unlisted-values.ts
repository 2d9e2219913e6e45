/**
 * Exports `unlistedIn`: undocumented values in fields for which some values are documented (U7). The fields come from the
 * warning rules, as one tree per payload type, so that a payload is walked once per call.
 */

import type { PayloadName } from '../../validation/payload-schemas.js';
import { VALUE_RULES } from '../../validation/warnings/rules.js';

export interface Unlisted {
  attr: string;
  /** The documented values. */
  listed: readonly string[];
}

interface Node {
  /** By field; `*` matches every index. */
  fields: Map<string, Node>;
  listed?: readonly string[];
}

const TREES: ReadonlyMap<PayloadName, Node> = buildTrees();

/** Returns the undocumented values of a payload, which may be invalid. */
export function unlistedIn(name: PayloadName, payload: unknown): Unlisted[] {
  const tree = TREES.get(name);
  const found: Unlisted[] = [];
  if (tree !== undefined) visit(payload, tree, [], found);
  return found;
}

function visit(value: unknown, { fields, listed }: Node, path: (string | number)[], found: Unlisted[]): void {
  if (typeof value === 'string') {
    if (listed !== undefined && !listed.includes(value)) found.push({ attr: path.join('.'), listed });
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  // For an object with free names, such as consent_data, `listed` has the documented names.
  if (listed !== undefined) {
    const names = Object.keys(value).filter((name) => !listed.includes(name));
    found.push(...names.map((name) => ({ attr: [...path, name].join('.'), listed })));
  }
  for (const [field, node] of fields) {
    if (field === '*' && Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) enter(value, index, node, path, found);
    } else if (Object.hasOwn(value, field)) enter(value, field, node, path, found);
  }
}

function enter(value: object, key: string | number, node: Node, path: (string | number)[], found: Unlisted[]): void {
  path.push(key);
  visit((value as Record<string | number, unknown>)[key], node, path, found);
  path.pop();
}

function buildTrees(): Map<PayloadName, Node> {
  const trees = new Map<PayloadName, Node>();
  for (const { at, listed } of VALUE_RULES) {
    if (listed === undefined) continue;
    for (const [name, patterns] of Object.entries(at) as [PayloadName, readonly string[]][]) {
      for (const pattern of patterns) {
        let node = childOf(trees, name);
        for (const field of pattern.split('.')) node = childOf(node.fields, field);
        node.listed = listed;
      }
    }
  }
  return trees;
}

function childOf<Key>(nodes: Map<Key, Node>, key: Key): Node {
  const node = nodes.get(key) ?? { fields: new Map() };
  nodes.set(key, node);
  return node;
}
