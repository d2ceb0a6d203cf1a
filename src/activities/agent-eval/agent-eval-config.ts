import { loadAgentEvalConfig, resolveAgentEvalConfig } from '../../config/agent-eval-load.js';
import type { AgentEvalConfig } from '../../config/agent-eval-schema.js';
import { InvalidInputError } from '../../config/errors.js';
import { THE_INPUT } from '../../config/read-config.js';
import { isMapping } from '../../contracts/json.js';
import { checkModel } from '../check-model.js';
import { configReference, namesConfig } from '../config-reference.js';
import type { WorkerDependencies } from '../dependencies.js';

/**
 * What a workflow's input means: `{config_path, set?, name?, results_dir?}`, or a config itself.
 * @throws InvalidInputError that names the field.
 */
export function agentEvalConfigOf(input: unknown): AgentEvalConfig {
  if (!isMapping(input)) {
    throw new InvalidInputError('the input of agentEval is {"config_path": "…"} or a config');
  }
  if (!namesConfig(input)) {
    return resolveAgentEvalConfig(input, {
      source: THE_INPUT,
      folder: process.cwd(),
      fallbackName: null,
    });
  }
  const { path, options } = configReference(input, { example: 'agent.lm.temperature=0' });
  return loadAgentEvalConfig(path as string, options);
}

/**
 * Everything that can be checked of both models without a call.
 * @throws InvalidInputError that names the field.
 */
export async function checkAgentEvalModels(
  { agent, user, limits }: AgentEvalConfig,
  { environment }: Pick<WorkerDependencies, 'environment'>,
): Promise<void> {
  await checkModel(agent.lm, 'agent.lm', limits, environment);
  if (user !== null && user !== 'human') await checkModel(user.lm, 'user.lm', limits, environment);
}

/** The models of an evaluation: the agent's, and the simulated user's where there is one. */
export function modelsOf({ agent, user }: AgentEvalConfig) {
  return [agent.lm, ...(user === null || user === 'human' ? [] : [user.lm])];
}
