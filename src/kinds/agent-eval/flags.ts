import {
  type Flag,
  fieldFlag,
  limitFlag,
  numberFlag,
  resultsDirFlag,
  sectionOf,
  withModel,
} from '../../config/flags.js';
import type { Written } from '../../config/kind.js';
import { namedModel } from '../../config/named-model.js';
import { resolveLocation } from '../../config/paths.js';
import { isMapping } from '../../contracts/json.js';

/** Expands `human`, `none` or a model's name to the section `user`. */
export function shortUser(user: string): unknown {
  if (user === 'human') return user;
  return user === 'none' ? null : { lm: namedModel(user) };
}

/** Returns a model named by the command line or a variable; its files are relative to the working folder. */
function modelFromHere(model: string, workingFolder: string): Written & { model: string } {
  const { script, recording, ...named } = namedModel(model);
  return {
    ...named,
    ...(script === undefined ? {} : { script: resolveLocation(script, workingFolder) }),
    ...(recording === undefined ? {} : { recording: resolveLocation(recording, workingFolder) }),
  };
}

/** Replaces the model of a section, and keeps the settings of its requests. */
function withOtherModel(section: Written, model: string, workingFolder: string): Written {
  const named = modelFromHere(model, workingFolder);
  const changed = withModel(section, named.model);
  return { ...changed, lm: { ...(changed.lm as Written), ...named } };
}

/** Flags of an evaluation. */
export const AGENT_EVAL_FLAGS: Readonly<Record<string, Flag>> = {
  datasets: {
    option: '--dataset <path...>',
    description: 'bundles: folders, or files such as task.jsonl',
    fields: ['datasets'],
    apply: (raw, datasets, workingFolder) => {
      delete raw.dataset;
      raw.datasets = (datasets as readonly string[]).map((path) => resolveLocation(path, workingFolder));
    },
  },
  rows: fieldFlag('--row <id...>', 'these rows only', 'rows'),
  limit: limitFlag('max_rows', 'rows'),
  rollouts: numberFlag('--rollouts <n>', 'of each row (what the row says)', 'rollouts'),
  concurrency: numberFlag('--concurrency <n>', 'rollouts at once (8)', 'concurrency'),
  agent: {
    option: '--agent <provider/model>',
    description: 'the agent (MODEL_AGENT)',
    fields: ['agent', 'agent.lm'],
    or: 'set MODEL_AGENT',
    apply: (raw, agent, workingFolder) => {
      raw.agent = withOtherModel(sectionOf(raw, 'agent'), String(agent), workingFolder);
    },
  },
  user: {
    option: '--user <provider/model>',
    description: 'who plays the user: a model, human, or none (MODEL_SIM)',
    fields: ['user.lm'],
    or: 'set MODEL_SIM',
    apply: (raw, given, workingFolder) => {
      const user = shortUser(String(given));
      const isModel = isMapping(user);
      raw.user = isModel ? withOtherModel(sectionOf(raw, 'user'), String(given), workingFolder) : user;
    },
  },
  name: fieldFlag('--name <name>', 'name of the run and of its folder', 'name'),
  results_dir: resultsDirFlag('results'),
};

/** Model, and server if given, that environment variables name. */
interface VariableModel {
  model: string;
  base_url: string | undefined;
}

function variableModel(
  variable: 'MODEL_AGENT' | 'MODEL_SIM',
  environment: NodeJS.ProcessEnv,
): VariableModel | null {
  const model = environment[variable]?.trim();
  return model ? { model, base_url: environment[`${variable}_BASE_URL`]?.trim() || undefined } : null;
}

/** Adds the model that an environment variable names to a section that names none itself. */
function withDefaultModel(
  section: Written,
  { model, base_url }: VariableModel,
  workingFolder: string,
): Written {
  const lm = section.lm ?? {};
  if (!isMapping(lm) || 'model' in lm || 'provider' in lm) return section;
  const server = base_url === undefined ? {} : { base_url };
  return { ...section, lm: { ...server, ...lm, ...modelFromHere(model, workingFolder) } };
}

/**
 * Fills in models that neither the config nor the command line names: those of `MODEL_AGENT` and `MODEL_SIM`, at the
 * servers of `MODEL_AGENT_BASE_URL` and `MODEL_SIM_BASE_URL`.
 */
export function withModelVariables(
  raw: Written,
  { environment, working }: { environment: NodeJS.ProcessEnv; working: string },
): Written {
  const result = { ...raw };
  const { agent = {}, user = {} } = raw;
  const agentModel = variableModel('MODEL_AGENT', environment);
  const userModel = variableModel('MODEL_SIM', environment);
  if (agentModel !== null && isMapping(agent)) result.agent = withDefaultModel(agent, agentModel, working);
  if (userModel === null || !isMapping(user)) return result;
  // The variable may also be `human` or `none`, as the flag may.
  const said = shortUser(userModel.model);
  if (isMapping(said)) result.user = withDefaultModel(user, userModel, working);
  else if (raw.user === undefined) result.user = said;
  return result;
}
