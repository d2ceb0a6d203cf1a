import { basename, extname } from 'node:path';
import { z } from 'zod';
import { isMapping } from '../contracts/json.js';
import { AGENT_RUBRIC } from './agent-rubric.js';
import { InvalidInputError } from './errors.js';
import type { SchemaNode } from './json-schema.js';
import { type JudgeConfig, judgeConfigSchema } from './judge-schema.js';
import { checkServer } from './named-files.js';
import { namedModel } from './named-model.js';
import { applyOverride } from './overrides.js';
import { parseConfig } from './parse-config.js';
import { inputLocation, isRemote, outputLocation, requireFile, resolveLocation } from './paths.js';
import { asMapping, invalidConfig, readYaml } from './read-config.js';
import { refuseSecrets } from './secrets.js';

const SECTIONS = 'experiment, rubric, lm, concurrency, limits and log_level';

/** The rubric of a file, named after it, the one that is given whole, or where none is given the agent's. */
function rubricOf(given: unknown, folder: string): unknown {
  if (given == null) return structuredClone(AGENT_RUBRIC);
  if (typeof given !== 'string') return given;
  const path = resolveLocation(given, folder, 'rubric');
  if (isRemote(path)) {
    throw new InvalidInputError(`rubric: ${path}: a rubric is a file of this machine`, 'rubric');
  }
  requireFile(path, 'rubric');
  const rubric = readYaml(path, 'rubric');
  if (!isMapping(rubric)) {
    throw new InvalidInputError(`rubric: ${path} is no mapping with criteria`, 'rubric');
  }
  return { name: basename(path, extname(path)), ...rubric };
}

/** `lm: gemini/gemini-2.5-pro` is short for `lm: {model: …}`, and a model may be a file that answers. */
function modelOf(given: unknown): unknown {
  return typeof given === 'string' ? namedModel(given) : given;
}

/**
 * Validates a judgement given as a plain object, whose rubric may be a file: every default is filled in, every path is
 * absolute. What it answers is accepted again as it is.
 * @throws InvalidInputError with a line for each thing that is wrong.
 */
export function resolveJudgeConfig(
  value: unknown,
  { source, folder, overrides = [] }: { source: string; folder: string; overrides?: readonly string[] },
): JudgeConfig {
  const raw = asMapping(value, source, SECTIONS);
  const writeOut = () => {
    raw.rubric = rubricOf(raw.rubric, folder);
    raw.lm = modelOf(raw.lm);
  };
  writeOut();
  for (const assignment of overrides) applyOverride(raw, assignment);
  writeOut();
  refuseSecrets(raw);
  const parsed = parseConfig(judgeConfigSchema, raw);
  if (!parsed.success) throw invalidConfig(parsed.error, raw, source, { schema: judgeConfigJsonSchema() });
  const { rubric, lm, ...config } = parsed.data;
  if (rubric.name === undefined) {
    throw new InvalidInputError(`${source}: rubric.name: is missing; only a file is a name`, 'rubric.name');
  }
  checkServer('lm.base_url', lm.base_url);
  return {
    ...config,
    // The judgement is written there, too.
    experiment: outputLocation(config.experiment, 'experiment', folder),
    rubric: { ...rubric, name: rubric.name },
    lm: {
      ...lm,
      script: inputLocation(lm.script, 'lm.script', folder),
      recording: inputLocation(lm.recording, 'lm.recording', folder),
    },
  };
}

/** The JSON Schema (draft 2020-12) of a judgement, for messages. */
function judgeConfigJsonSchema(): SchemaNode {
  return z.toJSONSchema(judgeConfigSchema, { io: 'input', unrepresentable: 'any' }) as SchemaNode;
}
