import type { WorkflowKind } from '../../../workflows/kind.js';
import { evolve } from './evolve.js';
import { iteration } from './iteration.js';

export const EVOLVE_WORKFLOWS: WorkflowKind = { id: 'evolve', experiment: evolve, children: { iteration } };
