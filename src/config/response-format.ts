import { isMapping, type JsonObject } from '../contracts/json.js';
import { quotable } from './named-files.js';

/** Keywords of which every JSON Schema of a reply has at least one. */
const KEYWORDS = ['type', 'properties', 'anyOf', 'oneOf', 'allOf', 'enum', 'const', '$ref'];
/** Keywords that hold a schema, a list of schemas, and schemas by name. */
const ONE = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'];
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const NAMED = ['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas'];

/** Returns a schema and all schemas in it, each with its place, such as `properties.steps.items`. */
function schemasIn(schema: unknown, place = ''): { schema: Record<string, unknown>; place: string }[] {
  if (!isMapping(schema)) return [];
  const at = (name: string | number) => (place === '' ? String(name) : `${place}.${name}`);
  const named = (keyword: string) => {
    const inner = schema[keyword];
    return isMapping(inner) || Array.isArray(inner) ? Object.entries(inner) : [];
  };
  return [
    { schema, place },
    ...ONE.flatMap((keyword) => schemasIn(schema[keyword], at(keyword))),
    ...[...LISTS, ...NAMED].flatMap((keyword) =>
      named(keyword).flatMap(([name, inner]) => schemasIn(inner, at(`${keyword}.${name}`))),
    ),
  ];
}

function isObject({ type, properties }: Record<string, unknown>): boolean {
  return [type].flat().includes('object') || properties !== undefined;
}

/** Returns the place of the first object that allows properties it does not name; null if there is none. */
function openObject(schema: JsonObject): string | null {
  const open = schemasIn(schema).find(
    (inner) => isObject(inner.schema) && inner.schema.additionalProperties !== false,
  );
  return open?.place ?? null;
}

/**
 * Reports whether OpenAI takes a schema as strict: an object, all of whose objects have exactly the properties they
 * name. https://platform.openai.com/docs/guides/structured-outputs
 */
export function isStrict(schema: JsonObject): boolean {
  const hasAll = ({ required, properties }: Record<string, unknown>) =>
    !isMapping(properties) ||
    Object.keys(properties).every((name) => Array.isArray(required) && required.includes(name));
  return (
    schema.type === 'object' &&
    openObject(schema) === null &&
    schemasIn(schema).every((inner) => hasAll(inner.schema))
  );
}

/** Returns what is wrong with the format of replies as a provider takes it; null if nothing is. */
export function problemOfFormat(schema: Record<string, unknown>, provider: string): string | null {
  const { type } = schema;
  if (type === 'json_schema' || isMapping(schema.json_schema))
    return 'write the JSON Schema itself, which stands in json_schema.schema here';
  if (type === 'json_object') return 'write a JSON Schema; any JSON object is {type: object}';
  if (!KEYWORDS.some((keyword) => keyword in schema))
    return `this is no JSON Schema: it has none of ${KEYWORDS.join(', ')}`;
  const open = provider === 'anthropic' ? openObject(schema as JsonObject) : null;
  if (open === null) return null;
  const place = open === '' ? 'the outermost' : quotable(open, 'one of them');
  return `Anthropic's API wants additionalProperties: false in every object, and ${place} has none`;
}
