import type { WorkflowKind } from '../../../workflows/kind.js';
import { run } from './run.js';

export const RUN_WORKFLOWS: WorkflowKind = { id: 'run', experiment: run };
