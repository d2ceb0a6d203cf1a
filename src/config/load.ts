import { basename, dirname, extname, resolve } from 'node:path';
import { isMapping } from '../contracts/json.js';
import { BUILT_IN_AGENTS } from './agent-schemas.js';
import { checkedName } from './checked-name.js';
import { checkCombinations, defaultMemory, isCheatsheetAgent } from './combinations.js';
import { refuseOtherKind } from './config-kind.js';
import { InvalidInputError } from './errors.js';
import { withFile } from './named-files.js';
import { applyOverride } from './overrides.js';
import { parseConfig } from './parse-config.js';
import { givesResults, resolvePaths } from './paths.js';
import { asMapping, invalidConfig, readYaml } from './read-config.js';
import { type RunConfig, runConfigSchema, runConfigWithCustomAgentSchema } from './schema.js';
import { refuseSecrets } from './secrets.js';

export interface LoadOptions {
  /** `--set` assignments, applied in order before validation. */
  overrides?: readonly string[];
  /** Takes the place of `name`. */
  name?: string;
  /** Takes the place of `output.results_dir`; relative to the working folder. */
  resultsDir?: string;
  /** Default: the process's. */
  workingFolder?: string;
}

const SECTIONS = 'runtime, dataset, lm, memory, agent, limits and output';

/** A mapping without those of its fields that are null. */
function withoutNull(value: unknown, ...names: string[]): unknown {
  if (!isMapping(value)) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([name, one]) => one !== null || !names.includes(name)),
  );
}

/** Whether a section says anything: null says the same as leaving out. */
function says(section: unknown): boolean {
  return isMapping(section) ? Object.values(section).some((value) => value !== null) : section != null;
}

/** Samples are independent unless something is named that lets them learn from each other. */
function defaultScope({ agent, memory }: Record<string, unknown>): RunConfig['runtime']['memory_scope'] {
  return says(agent) || says(memory) ? 'run' : 'sample';
}

/** A dataset that names choices is multiple choice, unless it says otherwise. */
function withTaskType(dataset: unknown): unknown {
  if (!isMapping(dataset) || dataset.task_type != null || dataset.env_class != null) return dataset;
  const { task_type: _none, ...rest } = dataset;
  return rest.choices_field == null && rest.choices == null ? dataset : { ...rest, task_type: 'mcq' };
}

/**
 * Fills in what may be left out before the schema looks: who shares a memory; the memory's and agent's type; `type` for
 * `_type`; `sandbox: TYPE`; `task_type: mcq` beside choices.
 */
function normalise(raw: Record<string, unknown>): Record<string, unknown> {
  // Null says the same as leaving out.
  const [memory, agent] = [raw.memory ?? {}, withoutNull(raw.agent ?? {}, 'type', 'file')];
  const runtime = withoutNull(raw.runtime ?? {}, 'memory_scope');
  const result: Record<string, unknown> = { ...raw, runtime, memory, agent };
  if (isMapping(runtime)) result.runtime = { memory_scope: defaultScope(raw), ...runtime };
  if (isMapping(memory) && memory._type == null) {
    const { type, _type: _none, ...rest } = memory;
    result.memory = { _type: type ?? defaultMemory(isMapping(agent) ? agent : {}), ...rest };
  }
  if (raw.dataset !== undefined) result.dataset = withTaskType(raw.dataset);
  if (typeof raw.sandbox === 'string') result.sandbox = { type: raw.sandbox };
  if (isMapping(agent)) result.agent = { type: 'history_agent', ...agent };
  return result;
}

function validate(raw: Record<string, unknown>, source: string, fallbackName: string): RunConfig {
  const isCustom = typeof raw.agent === 'object' && raw.agent !== null && 'file' in raw.agent;
  const schema = isCustom ? runConfigWithCustomAgentSchema : runConfigSchema;
  const parsed = parseConfig<typeof runConfigSchema | typeof runConfigWithCustomAgentSchema>(schema, raw);
  if (!parsed.success) {
    refuseOtherKind(raw, source, 'run');
    throw invalidConfig(parsed.error, raw, source);
  }
  const config = { ...parsed.data, name: checkedName(parsed.data.name ?? fallbackName, source) } as RunConfig;
  if (isCustom && (BUILT_IN_AGENTS as readonly string[]).includes(config.agent.type)) {
    throw new InvalidInputError(
      `${source}: agent.type: '${config.agent.type}' is a built-in agent; give the agent of agent.file a name of its own`,
      'agent.type',
    );
  }
  if (isCheatsheetAgent(config.agent)) config.agent.curator_max_tokens ??= 2 * config.lm.max_output_tokens;
  // With several trials of a sample, feedback that names the target would hand a retry the answer.
  config.agent.feedback ??= config.runtime.num_trials > 1 ? 'outcome' : 'full';
  return config;
}

/**
 * Validates a config given as a plain object.
 * @throws InvalidInputError with a line for each thing that is wrong.
 */
export function resolveConfig(
  value: unknown,
  context: { source: string; folder: string; fallbackName: string } & LoadOptions,
): RunConfig {
  const working = context.workingFolder ?? process.cwd();
  const raw = asMapping(value, context.source, SECTIONS);
  for (const assignment of context.overrides ?? []) applyOverride(raw, assignment);
  if (context.name !== undefined) raw.name = context.name;
  const resultsGiven = givesResults(raw);
  if (context.resultsDir !== undefined) {
    const absolute = context.resultsDir.includes('://')
      ? context.resultsDir
      : resolve(working, context.resultsDir);
    raw.output = { ...(raw.output as object | undefined), results_dir: absolute };
  }
  refuseSecrets(raw);
  const config = validate(normalise(raw), context.source, context.fallbackName);
  const resolved = resolvePaths(config, { config: context.folder, working, resultsGiven });
  checkCombinations(resolved, context.source);
  return resolved;
}

/** Reads a YAML (or JSON) file into a config with every default filled in and every path absolute. */
export function loadConfig(path: string, options: LoadOptions = {}): RunConfig {
  const absolute = resolve(options.workingFolder ?? process.cwd(), path);
  const file = readYaml(absolute);
  return withFile(file, options.overrides ?? [], () =>
    resolveConfig(file, {
      source: path,
      folder: dirname(absolute),
      fallbackName: basename(absolute, extname(absolute)),
      ...options,
    }),
  );
}
