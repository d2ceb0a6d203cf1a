import type { AgentEvalActivities } from '../../contracts/agent-eval.js';
import type { WorkerDependencies } from '../dependencies.js';
import type { ModelCalls } from '../model-calls.js';
import { AgentEvalContexts } from './agent-eval-context.js';
import { createAgentTurn } from './agent-turn.js';
import { createBeginRollout } from './begin-rollout.js';
import { createEndRollout } from './end-rollout.js';
import { createFinalizeAgentEval } from './finalize-agent-eval.js';
import { createPrepareAgentEval } from './prepare-agent-eval.js';
import { RolloutCalls } from './rollout-calls.js';
import { createToolCall } from './tool-call.js';
import { createUserTurn } from './user-turn.js';

/** The activities of an evaluation on task bundles. */
export function createAgentEvalActivities(
  dependencies: WorkerDependencies,
  models: ModelCalls,
): AgentEvalActivities {
  const contexts = new AgentEvalContexts(dependencies, (begunWith) => dependencies.bundleCode(begunWith));
  const calls = new RolloutCalls(models, dependencies);
  return {
    prepareAgentEval: createPrepareAgentEval(contexts, dependencies),
    beginRollout: createBeginRollout(contexts),
    agentTurn: createAgentTurn(contexts, calls),
    toolCall: createToolCall(contexts),
    userTurn: createUserTurn(contexts, calls),
    endRollout: createEndRollout(contexts),
    finalizeAgentEval: createFinalizeAgentEval(contexts, dependencies),
  };
}
