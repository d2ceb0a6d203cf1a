import { checkAgentEvalModels } from '../activities/agent-eval/agent-eval-config.js';
import { askedRows } from '../activities/agent-eval/asked-rows.js';
import type { AgentEvalConfig } from '../config/agent-eval-schema.js';

/**
 * Everything that can be said of an evaluation before a server is started: its models, and every row with its tools and
 * reward. No model is called.
 * @throws InvalidInputError that names the field, or the file and line of a bundle.
 */
export async function checkAgentEval(config: AgentEvalConfig, environment: NodeJS.ProcessEnv): Promise<void> {
  await checkAgentEvalModels(config, { environment });
  await askedRows(config, config.now ?? new Date().toISOString());
}
