import { z } from 'zod';
import { BUILT_IN_DOMAINS } from '../contracts/names.js';
import { agentEvalConfigSchema } from './agent-eval-schema.js';
import { builtInAgentSchema, customAgentSchema } from './agent-schemas.js';
import { evolveConfigSchema } from './evolve-schema.js';
import { SANDBOX_TYPES } from './sandbox-schema.js';
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

/** Top-level fields for a config's author alone, such as anchors for merge keys. */
const OWN_FIELDS: SchemaNode = { patternProperties: { '^x-': {} } };

/** The JSON Schema (draft 2020-12) of a run's config, as a user writes it. Editors complete YAML from it. */
export function configJsonSchema(): SchemaNode {
  const everyAgent = runConfigSchema.extend({ agent: z.union([builtInAgentSchema, customAgentSchema]) });
  const schema = z.toJSONSchema(everyAgent, { io: 'input', unrepresentable: 'any' }) as SchemaNode;
  // The loader fills these in, so a config may leave them out.
  for (const key of ['runtime', 'memory', 'agent']) makeOptional(schema, key);
  for (const branch of branchesOf(schema.properties?.runtime)) makeOptional(branch, 'memory_scope');
  for (const branch of branchesOf(schema.properties?.memory)) makeOptional(branch, '_type');
  for (const branch of branchesOf(schema.properties?.agent)) {
    if (branch.properties?.type?.const === 'history_agent') makeOptional(branch, 'type');
  }
  return { title: 'Reprise run config', ...schema, ...OWN_FIELDS };
}

/** The same of an evolution's config, with the short forms of its sections. */
export function evolveConfigJsonSchema(): SchemaNode {
  const schema = z.toJSONSchema(evolveConfigSchema, { io: 'input', unrepresentable: 'any' }) as SchemaNode;
  const text = { type: 'string', minLength: 1 };
  const shortForms: Record<string, SchemaNode> = {
    // The name of a file is short for a custom domain.
    domain: {
      anyOf: [{ enum: BUILT_IN_DOMAINS }, { ...text, pattern: '\\.[cm]?[jt]s$' }],
    },
    selection: { enum: ['top_k', 'islands', 'pareto'] },
    sandbox: { enum: [...SANDBOX_TYPES] },
    scaffolder: text,
    executor: text,
  };
  for (const [key, short] of Object.entries(shortForms)) allow(schema, key, short);
  return { title: 'Reprise evolution config', ...schema, ...OWN_FIELDS };
}

/** The same of an evaluation on task bundles. Models may also be named by environment variables. */
export function agentEvalConfigJsonSchema(): SchemaNode {
  const options = { io: 'input', unrepresentable: 'any' } as const;
  const schema = z.toJSONSchema(agentEvalConfigSchema, options) as SchemaNode;
  const text = { type: 'string', minLength: 1 };
  const properties = schema.properties as Record<string, SchemaNode>;
  for (const key of ['datasets', 'agent']) makeOptional(schema, key);
  for (const section of [properties.agent, properties.user]) {
    for (const branch of branchesOf(section)) if (branch.properties !== undefined) makeOptional(branch, 'lm');
  }
  allow(schema, 'agent', text);
  allow(schema, 'user', text);
  const { name, ...others } = properties;
  const dataset = { description: 'Short for a list of one.', ...text };
  return {
    title: 'Reprise config of an evaluation on task bundles',
    ...schema,
    ...OWN_FIELDS,
    properties: { ...(name && { name }), dataset, ...others },
  };
}

/** Lets a field be written in a short form as well. */
function allow(schema: SchemaNode, key: string, short: SchemaNode): void {
  const whole = schema.properties?.[key] as SchemaNode;
  const { description, ...rest } = whole;
  (schema.properties as Record<string, SchemaNode>)[key] = {
    ...(description === undefined ? {} : { description }),
    ...('default' in rest ? { default: rest.default } : {}),
    anyOf: [rest, short],
  };
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
