import type { JsonObject } from '../../../contracts/json.js';
import type { ToolRegistry } from '../bundles/tool-registry.js';

export interface DescribedDesk {
  registry: ToolRegistry;
  /** Names of the tools that are offered; null for all. */
  allowed: readonly string[] | null;
  row: string;
  rows: readonly string[];
}

const json = (schema: JsonObject): JsonObject => ({ 'application/json': { schema } });
const answer = (description: string, schema: JsonObject): JsonObject => ({
  description,
  content: json(schema),
});
const FAULT: JsonObject = {
  type: 'object',
  properties: { error: { type: 'string' } },
  required: ['error'],
};
const STATE: JsonObject = {
  type: 'object',
  properties: {
    row: { type: 'string' },
    rows: { type: 'array', items: { type: 'string' } },
    calls: { type: 'integer' },
    goal: { type: ['boolean', 'null'] },
    goal_error: { type: 'string' },
  },
  required: ['row', 'rows', 'calls', 'goal'],
};

/** Returns the path of a tool's POST. */
function toolPath(name: string): string {
  return `/tools/${name}`;
}

/** Builds the OpenAPI 3.1 document of a bundle's tools: https://spec.openapis.org/oas/v3.1.0 */
export function openApiDocument({ registry, allowed, row, rows }: DescribedDesk): JsonObject {
  const offered = registry.tools.filter(({ name }) => allowed === null || allowed.includes(name));
  const tools = offered.map(({ name, description, parameters, readOnly }): [string, JsonObject] => [
    toolPath(name),
    {
      post: {
        operationId: name,
        summary: description,
        tags: [readOnly ? 'reads' : 'writes'],
        requestBody: { required: true, content: json(parameters) },
        responses: {
          '200': answer('What the tool answers, as JSON.', {}),
          '409': answer('What the tool failed with; the database is as it was.', FAULT),
          '422': answer('What is wrong with the arguments, field by field.', FAULT),
          '503': answer('What failed outside of the tool; the database is as it was.', FAULT),
        },
      },
    },
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: registry.name,
      version: row,
      description: `The tools on a throw-away database, seeded for the row ${row}.`,
    },
    paths: {
      ...Object.fromEntries(tools),
      '/reset': {
        post: {
          operationId: 'reset',
          summary: 'Seed a fresh database, and read changed modules anew.',
          tags: ['desk'],
          requestBody: {
            required: false,
            content: json({
              type: 'object',
              properties: { row: { type: 'string', enum: [...rows] } },
              additionalProperties: false,
            }),
          },
          responses: { '200': answer('What is on the desk now.', STATE) },
        },
      },
      '/state': {
        get: {
          operationId: 'state',
          summary: 'The row, the calls since the last reset, and whether the goal holds.',
          tags: ['desk'],
          responses: { '200': answer('What is on the desk.', STATE) },
        },
      },
    },
  };
}
