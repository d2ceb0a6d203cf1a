import { isMapping } from '../contracts/json.js';
import { shortUser } from './agent-eval-short-forms.js';
import { sectionOf } from './evolve-short-forms.js';
import { numeric, withModel } from './flag-values.js';
import { namedModel } from './named-model.js';
import { resolveLocation } from './paths.js';

type Mapping = Record<string, unknown>;

/** What the command line says of an evaluation, as it stands there. Paths are relative to the working folder. */
export interface AgentEvalFlags {
  datasets?: readonly string[];
  rows?: readonly string[];
  rollouts?: string;
  concurrency?: string;
  /** A model. */
  agent?: string;
  /** A model, `human` or `none`. */
  user?: string;
}

const FLAG_OF_FIELD: Readonly<Record<string, string>> = {
  datasets: '--dataset',
  agent: '--agent, or set MODEL_AGENT',
  'agent.lm': '--agent, or set MODEL_AGENT',
  'user.lm': '--user, or set MODEL_SIM',
};

/** ` (on the command line: --dataset)`, where the field has a flag. */
export function agentEvalFlagHint(field: string): string {
  const flag = FLAG_OF_FIELD[field];
  return flag === undefined ? '' : ` (on the command line: ${flag})`;
}

/** A model that the command line or a variable names: its file is relative to the working folder. */
function modelFromHere(model: string, workingFolder: string): Mapping & { model: string } {
  const { script, recording, ...named } = namedModel(model);
  return {
    ...named,
    ...(script === undefined ? {} : { script: resolveLocation(script, workingFolder) }),
    ...(recording === undefined ? {} : { recording: resolveLocation(recording, workingFolder) }),
  };
}

/** Another model for a section; how it is asked stays. */
function withOtherModel(section: Mapping, model: string, workingFolder: string): Mapping {
  const named = modelFromHere(model, workingFolder);
  const changed = withModel(section, named.model);
  return { ...changed, lm: { ...(changed.lm as Mapping), ...named } };
}

/** Writes flags to the fields that they stand for. */
export function applyAgentEvalFlags(raw: Mapping, flags: AgentEvalFlags, workingFolder: string): void {
  const { datasets, rows, rollouts, concurrency, agent, user } = flags;
  if (datasets !== undefined) {
    delete raw.dataset;
    raw.datasets = datasets.map((dataset) => resolveLocation(dataset, workingFolder));
  }
  if (rows !== undefined) raw.rows = [...rows];
  if (rollouts !== undefined) raw.rollouts = numeric(rollouts);
  if (concurrency !== undefined) raw.concurrency = numeric(concurrency);
  if (agent !== undefined) raw.agent = withOtherModel(sectionOf(raw, 'agent'), agent, workingFolder);
  if (user !== undefined) {
    const isModel = isMapping(shortUser(user));
    raw.user = isModel ? withOtherModel(sectionOf(raw, 'user'), user, workingFolder) : shortUser(user);
  }
}

/** The model that a variable names, at the server that another one names, if it does. */
interface VariableModel {
  model: string;
  base_url: string | undefined;
}

function variableModel(
  variable: 'MODEL_AGENT' | 'MODEL_SIM',
  environment: Readonly<Record<string, string | undefined>>,
): VariableModel | null {
  const model = environment[variable]?.trim();
  return model ? { model, base_url: environment[`${variable}_BASE_URL`]?.trim() || undefined } : null;
}

/** A section with the model that an environment variable names, where it names none itself. */
function withDefaultModel(
  section: Mapping,
  { model, base_url }: VariableModel,
  workingFolder: string,
): Mapping {
  const lm = section.lm ?? {};
  if (!isMapping(lm) || 'model' in lm || 'provider' in lm) return section;
  const server = base_url === undefined ? {} : { base_url };
  return { ...section, lm: { ...server, ...lm, ...modelFromHere(model, workingFolder) } };
}

/**
 * Models that neither the config nor the command line names are those of `MODEL_AGENT` and `MODEL_SIM`, at the servers of
 * `MODEL_AGENT_BASE_URL` and `MODEL_SIM_BASE_URL`.
 */
export function applyModelVariables(
  raw: Mapping,
  environment: Readonly<Record<string, string | undefined>>,
  workingFolder: string,
): void {
  const { agent = {}, user = {} } = raw;
  const agentModel = variableModel('MODEL_AGENT', environment);
  const userModel = variableModel('MODEL_SIM', environment);
  if (agentModel !== null && isMapping(agent)) raw.agent = withDefaultModel(agent, agentModel, workingFolder);
  if (userModel === null || !isMapping(user)) return;
  // `human` and `none` are words that a flag and a config know as well.
  const said = shortUser(userModel.model);
  if (isMapping(said)) raw.user = withDefaultModel(user, userModel, workingFolder);
  else if (raw.user === undefined) raw.user = said;
}
