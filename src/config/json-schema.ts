import { z } from 'zod';

export interface SchemaNode {
  properties?: Record<string, SchemaNode>;
  items?: SchemaNode;
  anyOf?: SchemaNode[];
  oneOf?: SchemaNode[];
  const?: unknown;
  enum?: readonly unknown[];
  required?: string[];
  [key: string]: unknown;
}

/** Top-level fields for a config's author alone, such as anchors for merge keys. */
const OWN_FIELDS: SchemaNode = { patternProperties: { '^x-': {} } };

/** Returns the JSON Schema (draft 2020-12) of a config, from which editors complete YAML. */
export function schemaOf(title: string, config: z.ZodObject): SchemaNode {
  const schema = z.toJSONSchema(config, { io: 'input', unrepresentable: 'any' }) as SchemaNode;
  return { title, ...schema, ...OWN_FIELDS };
}

/** Allows a short form of a field as well. */
export function allow(schema: SchemaNode, key: string, short: SchemaNode): void {
  const whole = schema.properties?.[key] as SchemaNode;
  const { description, ...rest } = whole;
  (schema.properties as Record<string, SchemaNode>)[key] = {
    ...(description === undefined ? {} : { description }),
    ...('default' in rest ? { default: rest.default } : {}),
    anyOf: [rest, short],
  };
}

/** Returns the alternative schemas of a value. */
export function branchesOf(node: SchemaNode | undefined): SchemaNode[] {
  const branches = node?.anyOf ?? node?.oneOf;
  return branches === undefined ? (node === undefined ? [] : [node]) : branches.flatMap(branchesOf);
}

/** Makes a field optional that the loader fills in. */
export function makeOptional(node: SchemaNode, key: string): void {
  node.required = node.required?.filter((required) => required !== key);
}

/** Returns the alternative whose constants (`type: history_agent`) match the value; else the first one. */
function chooseBranch(node: SchemaNode, value: unknown): SchemaNode {
  const flattened = branchesOf(node);
  const fits = flattened.find((branch) =>
    Object.entries(branch.properties ?? {}).some(([key, { const: word, enum: words = [word] }]) => {
      const given = (value as Record<string, unknown> | undefined)?.[key];
      return given !== undefined && words.includes(given);
    }),
  );
  return fits ?? flattened.find((branch) => branch.properties !== undefined) ?? node;
}

/** Returns the fields that are allowed at a path of a config, for messages. */
export function knownFields(path: readonly PropertyKey[], root: unknown, schema: SchemaNode): string[] {
  let node: SchemaNode | undefined = schema;
  let value = root;
  for (const part of path) {
    node = chooseBranch(node, value);
    node = typeof part === 'number' ? node.items : node.properties?.[String(part)];
    if (node === undefined) return [];
    value = (value as Record<PropertyKey, unknown> | undefined)?.[part];
  }
  return Object.keys(chooseBranch(node, value).properties ?? {});
}
