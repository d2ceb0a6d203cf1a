import type { WorkflowKind } from '../../../workflows/kind.js';
import { agentEval } from './agent-eval.js';
import { rollout } from './rollout.js';

export const AGENT_EVAL_WORKFLOWS: WorkflowKind = {
  id: 'agent-eval',
  experiment: agentEval,
  children: { rollout },
};
