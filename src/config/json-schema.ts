import { z } from 'zod';
import { builtInAgentSchema, customAgentSchema } from './agent-schemas.js';
import { runConfigSchema } from './schema.js';

export interface SchemaNode {
  properties?: Record<string, SchemaNode>;
  items?: SchemaNode;
  anyOf?: SchemaNode[];
  oneOf?: SchemaNode[];
  const?: unknown;
  required?: string[];
  [key: string]: unknown;
}

/** The JSON Schema (draft 2020-12) of a run's config, as a user writes it. Editors complete YAML from it. */
export function configJsonSchema(): SchemaNode {
  const everyAgent = runConfigSchema.extend({ agent: z.union([builtInAgentSchema, customAgentSchema]) });
  const schema = z.toJSONSchema(everyAgent, { io: 'input', unrepresentable: 'any' }) as SchemaNode;
  // The loader fills these in, so a config may leave them out.
  for (const key of ['memory', 'agent']) makeOptional(schema, key);
  for (const branch of branchesOf(schema.properties?.memory)) makeOptional(branch, '_type');
  for (const branch of branchesOf(schema.properties?.agent)) {
    if (branch.properties?.type?.const === 'history_agent') makeOptional(branch, 'type');
  }
  return { title: 'Reprise run config', ...schema };
}

function branchesOf(node: SchemaNode | undefined): SchemaNode[] {
  const branches = node?.anyOf ?? node?.oneOf;
  return branches === undefined ? (node === undefined ? [] : [node]) : branches.flatMap(branchesOf);
}

function makeOptional(node: SchemaNode, key: string): void {
  node.required = node.required?.filter((required) => required !== key);
}

let ofRuns: SchemaNode | undefined;

/** Among the alternatives, the one whose constants (`type: history_agent`) agree with the value; else the first. */
function chooseBranch(node: SchemaNode, value: unknown): SchemaNode {
  const flattened = branchesOf(node);
  const fits = flattened.find((branch) =>
    Object.entries(branch.properties ?? {}).some(
      ([key, property]) =>
        property.const !== undefined &&
        property.const === (value as Record<string, unknown> | undefined)?.[key],
    ),
  );
  return fits ?? flattened.find((branch) => branch.properties !== undefined) ?? node;
}

/** The fields that may stand at a path of the config, for messages. Without a schema: of a run's. */
export function knownFields(path: readonly PropertyKey[], root: unknown, schema?: SchemaNode): string[] {
  ofRuns ??= configJsonSchema();
  let node: SchemaNode | undefined = schema ?? ofRuns;
  let value = root;
  for (const part of path) {
    node = chooseBranch(node, value);
    node = typeof part === 'number' ? node.items : node.properties?.[String(part)];
    if (node === undefined) return [];
    value = (value as Record<PropertyKey, unknown> | undefined)?.[part];
  }
  return Object.keys(chooseBranch(node, value).properties ?? {});
}
