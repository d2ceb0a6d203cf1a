import {
  type Flag,
  fieldFlag,
  limitFlag,
  numberFlag,
  resultsDirFlag,
  sectionOf,
} from '../../config/flags.js';
import type { WrittenConfig } from '../../config/kind.js';
import { type ModelRoles, modelFlag, modelFlags, modelFromHere } from '../../config/model-roles.js';
import { resolveLocation } from '../../config/paths.js';
import { isMapping } from '../../contracts/json.js';

/** Roles of the models of an evaluation. */
export const AGENT_EVAL_MODELS: ModelRoles = {
  roles: {
    agent: { description: 'the agent', variable: 'MODEL_AGENT' },
    user: { description: 'who plays the user', variable: 'MODEL_SIM', words: ['human'] },
  },
};

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
  ...modelFlags(AGENT_EVAL_MODELS),
  // Their fields are mentioned by the options of all kinds.
  agent: { ...modelFlag(AGENT_EVAL_MODELS, 'agent', '--agent'), fields: [] },
  user: { ...modelFlag(AGENT_EVAL_MODELS, 'user', '--user'), fields: [] },
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

/** Returns the model of a role that names none itself with the one of an environment variable. */
function withDefaultModel(
  given: unknown,
  { model, base_url }: VariableModel,
  workingFolder: string,
): unknown {
  const lm = given === undefined ? {} : given;
  if (!isMapping(lm) || 'model' in lm || 'provider' in lm) return given;
  const server = base_url === undefined ? {} : { base_url };
  return { ...server, ...lm, ...modelFromHere(model, workingFolder) };
}

/**
 * Fills in models that neither the config nor the command line names: those of `MODEL_AGENT` and `MODEL_SIM`, at the
 * servers of `MODEL_AGENT_BASE_URL` and `MODEL_SIM_BASE_URL`.
 */
export function withModelVariables(
  raw: WrittenConfig,
  { environment, working }: { environment: NodeJS.ProcessEnv; working: string },
): WrittenConfig {
  const models = sectionOf(raw, 'models');
  const agent = variableModel('MODEL_AGENT', environment);
  const user = variableModel('MODEL_SIM', environment);
  if (agent !== null) models.agent = withDefaultModel(models.agent, agent, working);
  if (user?.model === 'human') models.user ??= 'human';
  else if (user !== null && user.model !== 'none') models.user = withDefaultModel(models.user, user, working);
  return { ...raw, models };
}
