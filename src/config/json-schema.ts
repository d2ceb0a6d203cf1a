import { z } from 'zod';
import { builtInAgentSchema, customAgentSchema } from './agent-schemas.js';
import { runConfigSchema } from './schema.js';

interface SchemaNode {
  properties?: Record<string, SchemaNode>;
  items?: SchemaNode;
  anyOf?: SchemaNode[];
  oneOf?: SchemaNode[];
  const?: unknown;
  [key: string]: unknown;
}

/** The JSON Schema (draft 2020-12) of a run's config, as a user writes it. Editors complete YAML from it. */
export function configJsonSchema(): SchemaNode {
  const everyAgent = runConfigSchema.extend({ agent: z.union([builtInAgentSchema, customAgentSchema]) });
  const schema = z.toJSONSchema(everyAgent, { io: 'input', unrepresentable: 'any' }) as SchemaNode;
  // The loader fills these in, so a config may leave them out.
  schema.required = (schema.required as string[]).filter((key) => !['memory', 'agent'].includes(key));
  return { title: 'Reprise run config', ...schema };
}

let cached: SchemaNode | undefined;

/** Among the alternatives, the one whose constants (`type: history_agent`) agree with the value; else the first. */
function chooseBranch(node: SchemaNode, value: unknown): SchemaNode {
  const branches = node.anyOf ?? node.oneOf;
  if (branches === undefined) return node;
  const flattened = branches.flatMap((branch) => branch.anyOf ?? branch.oneOf ?? [branch]);
  const fits = flattened.find((branch) =>
    Object.entries(branch.properties ?? {}).some(
      ([key, property]) =>
        property.const !== undefined &&
        property.const === (value as Record<string, unknown> | undefined)?.[key],
    ),
  );
  return fits ?? flattened.find((branch) => branch.properties !== undefined) ?? node;
}

/** The fields that may stand at a path of the config, for messages. */
export function knownFields(path: readonly PropertyKey[], root: unknown): string[] {
  cached ??= configJsonSchema();
  let node: SchemaNode | undefined = cached;
  let value = root;
  for (const part of path) {
    node = chooseBranch(node, value);
    node = typeof part === 'number' ? node.items : node.properties?.[String(part)];
    if (node === undefined) return [];
    value = (value as Record<PropertyKey, unknown> | undefined)?.[part];
  }
  return Object.keys(chooseBranch(node, value).properties ?? {});
}
