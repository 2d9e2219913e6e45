/** Exports `describeSchema`, which puts the doc comments of a type into its JSON Schema. */
import { docComments } from './doc-comments.js';

type Node = Record<string, unknown>;

/** Types whose JSON Schema has another name: bodies that are lists, or one of several types. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  NotesAnswer: ['NoteResult'],
  AccountImportProcesses: ['AccountImportProcess'],
  ImportedAccountImportProcesses: ['ImportedAccountImportProcess'],
  Record: ['PopulateRecord', 'BusinessRecord', 'AccountRecord'],
  HistoricalStatementsAnswer: ['HistoricalStatementsPayload', 'HistoricalStatement'],
};

/** Adds the doc comments of the type with this name, and of its fields, to its JSON Schema. Keeps descriptions that it has. */
export function describeSchema(name: string, schema: Node): void {
  describeTypes(schema, NAMES[name] ?? [name]);
  addText(schema, docComments[name]?.text);
}

/** Returns the doc comment of a field of a type, for parameters; undefined if there is none. */
export function fieldText(type: string, field: string): string | undefined {
  return docComments[type]?.fields[field]?.text;
}

function describeTypes(schema: Node, types: readonly string[]): void {
  for (const part of [schema['anyOf'], schema['oneOf']].flat() as (Node | undefined)[]) {
    if (part !== undefined) describeTypes(part, types);
  }
  const { items, properties } = schema as { items?: Node; properties?: Record<string, Node> };
  if (items !== undefined) {
    describeTypes(items, types);
    if (items['$ref'] === undefined && items['properties'] !== undefined) addText(items, typeOf(items, types)?.text);
  }
  if (properties === undefined) return;
  const fields = typeOf(schema, types)?.fields ?? {};
  for (const [name, property] of Object.entries(properties)) {
    const field = fields[name];
    if (field === undefined) continue;
    describeTypes(property, field.types);
    addText(property, field.text);
  }
}

/** Returns the doc comments of the first of these types that has all properties of the schema. */
function typeOf(schema: Node, types: readonly string[]) {
  const names = Object.keys((schema['properties'] ?? {}) as object);
  return types.flatMap(withParts).find(({ fields }) => names.every((name) => name in fields));
}

/** Returns the doc comments of the type, with the fields of what it extends, and of the members of a union. */
function withParts(name: string): { text: string; fields: (typeof docComments)[string]['fields'] }[] {
  const comment = docComments[name];
  if (comment === undefined) return [];
  const parts = comment.types.flatMap(withParts);
  const fields = Object.assign({}, ...parts.map((part) => part.fields), comment.fields);
  return [...(Object.keys(comment.fields).length > 0 ? [{ text: comment.text, fields }] : []), ...parts];
}

function addText(schema: Node, text: string | undefined): void {
  if (text) schema['description'] ??= text;
}
