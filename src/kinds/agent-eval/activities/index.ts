import type { WorkerDependencies } from '../../../activities/dependencies.js';
import type { ModelCalls } from '../../../activities/model-calls.js';
import type { KindActivities } from '../../../activities/traits.js';
import type { AgentEvalActivities } from '../contracts.js';
import { AgentEvalContexts } from './agent-eval-context.js';
import { createAgentTurn } from './agent-turn.js';
import { createBeginRollout } from './begin-rollout.js';
import { createEndRollout } from './end-rollout.js';
import { createFinalizeAgentEval } from './finalize-agent-eval.js';
import { createPrepareAgentEval } from './prepare-agent-eval.js';
import { RolloutCalls } from './rollout-calls.js';
import { createToolCall } from './tool-call.js';
import { createUserTurn } from './user-turn.js';

/** Creates the activities of an evaluation on task bundles. */
export function createAgentEvalActivities(
  dependencies: WorkerDependencies,
  models: ModelCalls,
): KindActivities<AgentEvalActivities> {
  const contexts = new AgentEvalContexts(dependencies);
  const calls = new RolloutCalls(models, dependencies);
  return {
    activities: {
      prepareAgentEval: createPrepareAgentEval(contexts, dependencies),
      beginRollout: createBeginRollout(contexts),
      agentTurn: createAgentTurn(contexts, calls),
      toolCall: createToolCall(contexts),
      userTurn: createUserTurn(contexts, calls),
      endRollout: createEndRollout(contexts),
      finalizeAgentEval: createFinalizeAgentEval(contexts, dependencies),
    },
    traits: {
      prepareAgentEval: 'begins',
      beginRollout: 'risky',
      agentTurn: 'asks',
      toolCall: 'risky',
      userTurn: 'asks',
      endRollout: 'risky',
      finalizeAgentEval: 'ends',
    },
  };
}
