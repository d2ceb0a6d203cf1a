import type { WorkflowKind } from '../workflows/kind.js';
import { AGENT_EVAL_WORKFLOWS } from './agent-eval/workflow/index.js';
import { EVOLVE_WORKFLOWS } from './evolve/workflow/index.js';
import { JUDGE_WORKFLOWS } from './judge/workflow/index.js';
import { OWN_KIND_WORKFLOWS } from './own-kind/workflow/index.js';
import { RUN_WORKFLOWS } from './run/workflow/index.js';
import { SWEEP_WORKFLOWS } from './sweep/workflow/index.js';

/** Workflows of every kind. In workflow code they take the place of the registry (`registry.ts`). */
export const WORKFLOW_KINDS: readonly WorkflowKind[] = [
  RUN_WORKFLOWS,
  SWEEP_WORKFLOWS,
  EVOLVE_WORKFLOWS,
  AGENT_EVAL_WORKFLOWS,
  JUDGE_WORKFLOWS,
  OWN_KIND_WORKFLOWS,
];
