import type { WorkflowKind } from '../../../workflows/kind.js';
import { sweep } from './sweep.js';

export const SWEEP_WORKFLOWS: WorkflowKind = { id: 'sweep', experiment: sweep };
