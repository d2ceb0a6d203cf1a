import type { WorkflowKind } from '../../../workflows/kind.js';
import { judge, judgeSteps } from './judge.js';

export const JUDGE_WORKFLOWS: WorkflowKind = {
  id: 'judge',
  experiment: judge,
  children: { 'judge-steps': judgeSteps },
};
