import { checkAgentEvalModels } from '../activities/agent-eval/agent-eval-config.js';
import { askedRows } from '../activities/agent-eval/asked-rows.js';
import type { ModuleTrial } from '../bundles/bundle-modules.js';
import type { AgentEvalConfig } from '../config/agent-eval-schema.js';
import { tryModuleApart } from '../workers/code-trial.js';

/**
 * Everything that can be said of an evaluation before a server is started: its models, and every row with its tools and
 * reward. No model is called.
 * @param trial each module of a bundle goes through it before it is loaded.
 * @throws InvalidInputError that names the field, or the file and line of a bundle.
 */
export async function checkAgentEval(
  config: AgentEvalConfig,
  environment: NodeJS.ProcessEnv,
  trial: ModuleTrial = tryModuleApart,
): Promise<void> {
  await checkAgentEvalModels(config, { environment });
  await askedRows(config, config.now ?? new Date().toISOString(), trial);
}
