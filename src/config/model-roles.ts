import { isMapping } from '../contracts/json.js';
import { InvalidInputError } from './errors.js';
import { type Flag, sectionOf, withModel } from './flags.js';
import type { SchemaNode } from './json-schema.js';
import { namedModel } from './named-model.js';
import { resolveLocation } from './paths.js';

type Written = Record<string, unknown>;

/** Role of a model in experiments of a kind. */
interface Role {
  /** What its model does, such as `the agent`. */
  description: string;
  /** Words that are no model, such as `human`. `none` is one in every role but the main one. */
  words?: readonly string[];
  /** Environment variable that may name it. */
  variable?: string;
}

/** Roles of the models of a kind. A config names them in `models`, by role; `lm` is short for the main one. */
export interface ModelRoles {
  /** Roles by name, the main one first. Empty: a user's own kind names them, and none is the main one. */
  roles: Readonly<Record<string, Role>>;
  /** True if a whole config has the model of the main role as `lm`, since mostly it is the only one. */
  asLm?: true;
}

const mainOf = ({ roles }: ModelRoles): string | undefined => Object.keys(roles)[0];

/** Returns the section of a role's model in a whole config: `lm`, or such as `models.user`. */
function sectionOfRole(kind: ModelRoles, role: string): string {
  return kind.asLm === true && role === mainOf(kind) ? 'lm' : `models.${role}`;
}

/** Returns the model that a config names, written out: a name becomes a mapping, and `none` null. */
function modelOf(given: unknown, kind: ModelRoles, role: string): unknown {
  if (typeof given !== 'string') return given;
  if (given === 'none' && role !== mainOf(kind)) return null;
  return kind.roles[role]?.words?.includes(given) ? given : namedModel(given);
}

/**
 * Returns a config whose roles have no models in sections of their own: `agent.lm` is short for `models.agent`, and
 * `user: human` for `models.user: human`.
 * @throws InvalidInputError if a role has two.
 */
function withoutModelsInSections(raw: Written, kind: ModelRoles): Written {
  const result = { ...raw };
  for (const role of Object.keys(kind.roles)) {
    const section = result[role];
    const isName = typeof section === 'string' && kind.asLm !== true;
    const { lm, ...rest } = isName ? { lm: section } : sectionOf(result, role);
    if (lm == null) continue;
    const models = sectionOf(result, 'models');
    const others: Written = {
      [`models.${role}`]: models[role],
      ...(role === mainOf(kind) && { lm: result.lm }),
    };
    const other = Object.keys(others).find((field) => others[field] != null);
    if (other !== undefined) {
      const field = isName ? role : `${role}.lm`;
      throw new InvalidInputError(`${field}: stands beside ${other}, which is the same; give one`, field);
    }
    result.models = { ...models, [role]: lm };
    if (Object.keys(rest).length > 0) result[role] = rest;
    else delete result[role];
  }
  return result;
}

/**
 * Writes out the models of a config: names become mappings, and the model of the main role stands in the section that
 * whole configs have it in, whether it was given as `lm` or by its role.
 * @throws InvalidInputError if it is given both ways.
 */
export function withModels(written: Written, kind: ModelRoles): Written {
  const raw = withoutModelsInSections(written, kind);
  const main = mainOf(kind);
  const result = { ...raw };
  const models = isMapping(raw.models) ? { ...raw.models } : undefined;
  if (main !== undefined && raw.lm != null) {
    if (models?.[main] != null) {
      throw new InvalidInputError(
        `models.${main}: stands beside lm, which is short for it; give one of them`,
        `models.${main}`,
      );
    }
    if (kind.asLm !== true) result.models = { [main]: raw.lm, ...models };
  } else if (main !== undefined && kind.asLm === true && models?.[main] !== undefined) {
    result.lm = models[main];
  }
  if (main !== undefined && kind.asLm !== true) delete result.lm;
  else if (result.lm !== undefined && main !== undefined) result.lm = modelOf(result.lm, kind, main);
  if (main !== undefined && kind.asLm !== true) result.models ??= {};
  if (raw.models === null && kind.asLm === true) delete result.models;
  if (!isMapping(result.models)) return result;
  const others = Object.entries(result.models).filter(([role]) => sectionOfRole(kind, role) !== 'lm');
  result.models = Object.fromEntries(others.map(([role, given]) => [role, modelOf(given, kind, role)]));
  if (kind.asLm === true && others.length === 0) delete result.models;
  return result;
}

/** Returns an assignment such as `lm.temperature=0`, to the section that whole configs have the model in. */
export function assignmentOfModel(assignment: string, kind: ModelRoles): string {
  const main = mainOf(kind);
  if (main === undefined) return assignment;
  const [, field = '', rest = ''] = /^\s*(lm|models\.\w+|\w+\.lm)(\s*[.=].*)$/s.exec(assignment) ?? [];
  const role = field === 'lm' ? main : field.replace(/^models\.|\.lm$/g, '');
  return role in kind.roles ? `${sectionOfRole(kind, role)}${rest}` : assignment;
}

/** Returns a model named by the command line or a variable; its files are relative to the working folder. */
export function modelFromHere(model: string, workingFolder: string): Written & { model: string } {
  const { script, recording, ...named } = namedModel(model);
  return {
    ...named,
    ...(script === undefined ? {} : { script: resolveLocation(script, workingFolder) }),
    ...(recording === undefined ? {} : { recording: resolveLocation(recording, workingFolder) }),
  };
}

/** Replaces the model of a role in a config, and keeps the parameters of its requests. */
function setModel(raw: Written, kind: ModelRoles, role: string, name: string, working: string): void {
  const given = modelOf(name, kind, role);
  const isLm = sectionOfRole(kind, role) === 'lm';
  const before = isLm ? raw.lm : sectionOf(raw, 'models')[role];
  const model = isMapping(given) ? { ...withModel(before, name), ...modelFromHere(name, working) } : given;
  if (isLm) raw.lm = model;
  else raw.models = { ...sectionOf(raw, 'models'), [role]: model };
}

/** Returns the flag of one role's model. */
export function modelFlag(kind: ModelRoles, role: string, option: string): Flag {
  const { description = '', variable } = kind.roles[role] ?? {};
  return {
    option: `${option} <provider/model>`,
    description: variable === undefined ? description : `${description} (${variable})`,
    fields: [sectionOfRole(kind, role)],
    ...(variable === undefined ? {} : { or: `set ${variable}` }),
    apply: (raw, given, working) => setModel(raw, kind, role, String(given), working),
  };
}

/**
 * Reads `role=provider/model`.
 * @param roles those that there are; empty: any
 * @throws InvalidInputError
 */
export function readModelRole(text: string, roles: readonly string[]): { role: string; model: string } {
  const [role = '', ...rest] = text.split('=');
  const found = { role: role.trim(), model: rest.join('=').trim() };
  const isKnown = roles.length === 0 ? found.role !== '' : roles.includes(found.role);
  if (isKnown && found.model !== '') return found;
  const known = roles.length === 0 ? '' : `; the roles are ${roles.join(', ')}`;
  throw new InvalidInputError(
    `--model-role ${text}: write it as role=provider/model, e.g. ${roles[0] ?? 'writer'}=openai/gpt-4.1${known}`,
  );
}

/** Returns the flag that names models by their roles. */
function roleFlag(kind: ModelRoles): Flag {
  const roles = Object.keys(kind.roles);
  const others = roles.slice(1);
  return {
    option: '--model-role <role=provider/model>',
    description: `the model of a role${others.length === 0 ? '' : ` (${others.join(', ')})`}; repeatable`,
    isRepeatable: true,
    fields: others.map((role) => `models.${role}`),
    apply: (raw, given, working) => {
      for (const text of given as readonly string[]) {
        const { role, model } = readModelRole(text, roles);
        setModel(raw, kind, role, model, working);
      }
    },
  };
}

/** Returns the flags that name models, in every kind: `--model` that of the main role, `--model-role` any. */
export function modelFlags(kind: ModelRoles): Record<string, Flag> {
  const main = mainOf(kind);
  return {
    ...(main === undefined ? {} : { model: modelFlag(kind, main, '--model') }),
    model_role: roleFlag(kind),
  };
}

/** Allows, in the JSON Schema of a config, models by their names, and `lm` and `models` as they may be written. */
export function allowModels(schema: SchemaNode, kind: ModelRoles): void {
  const properties = schema.properties as Record<string, SchemaNode>;
  const name: SchemaNode = { type: 'string', minLength: 1 };
  const orName = (node: SchemaNode): SchemaNode => {
    const { description, ...rest } = node;
    return { ...(description === undefined ? {} : { description }), anyOf: [name, rest] };
  };
  const models = properties.models ?? { type: 'object', properties: {}, additionalProperties: false };
  const byRole = models.properties ?? {};
  for (const [role, node] of Object.entries(byRole)) byRole[role] = orName(node);
  const { additionalProperties } = models;
  if (typeof additionalProperties === 'object' && additionalProperties !== null) {
    models.additionalProperties = orName(additionalProperties as SchemaNode);
  }
  const main = mainOf(kind);
  if (main === undefined) return;
  const ofMain = kind.asLm === true ? orName(properties.lm ?? {}) : (byRole[main] ?? {});
  const { [main]: _main, ...others } = byRole;
  models.properties = { [main]: ofMain, ...others };
  properties.models = models;
  properties.lm = { ...ofMain, description: `Short for models.${main}.` };
  for (const node of [schema, models]) {
    node.required = node.required?.filter((field) => !['lm', 'models', main].includes(field));
  }
}

/** Returns the role whose model a field names, such as `lm`, `lm.model` or `models.user`; null: another field. */
export function roleOfField(field: string, kind: ModelRoles): string | null {
  const name = field.replace(/\.model$/, '');
  const main = mainOf(kind);
  if ((name === 'lm' || field === 'model') && main !== undefined) return main;
  const [, role] = /^models\.([^.]+)$/.exec(name) ?? [];
  return role ?? null;
}
