/**
 * Values that the document does not list, in fields of which it lists some (U7). The table of advice knows the fields;
 * here it becomes one tree for each payload, so that every call can afford a look: a payload is walked once.
 */

import type { PayloadName } from '../../validation/payload-schemas.js';
import { WARNING_RULES } from '../../validation/warnings/warning-rules.js';

export interface Unlisted {
  attr: string;
  /** What the document lists there. */
  listed: readonly string[];
}

interface Node {
  /** By field; `*` stands for every index. */
  fields: Map<string, Node>;
  listed?: readonly string[];
}

const TREES: ReadonlyMap<PayloadName, Node> = plantTrees();

/** Those of a payload of any shape. */
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
  // Of an object with free names, such as consent_data, the names are what is listed.
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

function plantTrees(): Map<PayloadName, Node> {
  const trees = new Map<PayloadName, Node>();
  for (const { at, listed } of WARNING_RULES) {
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
