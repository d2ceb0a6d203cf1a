import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { knownFields, type SchemaNode } from '../../src/config/json-schema.js';
import { resolveConfig } from '../../src/config/load.js';
import { agentEvalConfigSchema } from '../../src/kinds/agent-eval/schema.js';
import { evolveConfigSchema } from '../../src/kinds/evolve/schema.js';
import { judgeConfigs } from '../../src/kinds/judge/config.js';
import { judgeConfigSchema } from '../../src/kinds/judge/schema.js';
import { runConfigs } from '../../src/kinds/run/config.js';
import { configOf, MINIMAL, refusal } from '../support/configs.js';
import { agentEvalConfigWith, MINIMAL_AGENT_EVAL } from './agent-eval-support.js';
import { evolveConfigWith, MINIMAL_EVOLUTION } from './evolve-support.js';

type Mapping = Record<string, unknown>;

const isSection = (value: unknown): value is Mapping =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Paths of all fields that a whole config of this kind has, and that the least one leaves out. */
function leftOut(
  whole: Mapping,
  least: Mapping,
  known: (path: string[]) => string[],
  path: string[] = [],
): string[][] {
  return known(path).flatMap((name) => {
    const here = [...path, name];
    const [value, given] = [whole[name], least[name]];
    const inner =
      isSection(value) && known(here).length > 0
        ? leftOut(value, isSection(given) ? given : {}, known, here)
        : [];
    return given === undefined ? [here, ...inner] : inner;
  });
}

/** A copy of a config with null at a path. */
function withNull(config: Mapping, [name, ...rest]: string[]): Mapping {
  const inner = isSection(config[name as string]) ? (config[name as string] as Mapping) : {};
  return { ...config, [name as string]: rest.length === 0 ? null : withNull(inner, rest) };
}

const schemaOf = (schema: z.ZodType) =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as SchemaNode;

const RUN = { ...MINIMAL, agent: { type: 'reflexion_agent' }, memory: { _type: 'history_list' } };
const SHEET = { ...MINIMAL, agent: { type: 'dynamic_cheatsheet_agent' }, memory: { _type: 'cheatsheet' } };
const JUDGE = { experiment: '/tmp', lm: { provider: 'simulated' } };
const evolution = schemaOf(evolveConfigSchema);
const evaluation = schemaOf(agentEvalConfigSchema);
const judgement = schemaOf(judgeConfigSchema);
const judged = (raw: Mapping) => resolveConfig(judgeConfigs, raw, { source: 'it', folder: '/' });

describe.each<[string, Mapping, (raw: Mapping) => object, SchemaNode, number]>([
  ['run', RUN, (raw) => configOf(raw), runConfigs.jsonSchema(), 50],
  ['run with a cheatsheet', SHEET, (raw) => configOf(raw), runConfigs.jsonSchema(), 50],
  ['evolution', MINIMAL_EVOLUTION, (raw) => evolveConfigWith(raw), evolution, 30],
  ['evaluation', MINIMAL_AGENT_EVAL, (raw) => agentEvalConfigWith(raw), evaluation, 20],
  ['judgement', JUDGE, judged, judgement, 15],
])('in the config of a %s, null', (_kind, least, resolve, schema, atLeast) => {
  const whole = resolve(least) as Mapping;
  const paths = leftOut(whole, least, (path) => knownFields(path, { ...whole, ...least }, schema));

  test('is said of many fields', () => {
    expect(paths.length).toBeGreaterThan(atLeast);
  });

  // A model without a temperature is asked for none.
  test.each(
    paths.filter((path) => path.at(-1) !== 'temperature').map((path) => [path.join('.'), path] as const),
  )('of %s says the same as leaving out', (_name, path) => {
    // A field within a section that may be missing as a whole, such as a user's, needs the others of the section.
    const raw = withNull(structuredClone(least), path);
    const section = path.slice(0, -1);
    const without = section.length === 0 ? least : withoutField(raw, path);
    expect(outcomeOf(() => resolve(structuredClone(raw)))).toEqual(
      outcomeOf(() => resolve(structuredClone(without))),
    );
  });
});

function withoutField(config: Mapping, [name, ...rest]: string[]): Mapping {
  const copy = { ...config };
  if (rest.length === 0) delete copy[name as string];
  else copy[name as string] = withoutField(copy[name as string] as Mapping, rest);
  return copy;
}

/** A config, or what it is refused with. */
function outcomeOf(resolve: () => object): unknown {
  try {
    return resolve();
  } catch (error) {
    return (error as Error).message;
  }
}

test('a field that is needed is missing where it is null', () => {
  expect(refusal(() => configOf({ dataset: null })).message).toContain('dataset: is missing');
  expect(refusal(() => configOf({ lm: { provider: 'openai', model: null } })).message).toContain('lm.model');
});

test('null within rows and options of one’s own is a value', () => {
  const items = [{ question: 'q', answer: 'a', note: null }];
  const { dataset } = configOf({ dataset: { items, env_options: { limit: null } } });
  expect(dataset).toMatchObject({ items, env_options: { limit: null } });
});
