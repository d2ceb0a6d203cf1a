import type { WorkflowKind } from '../../../workflows/kind.js';
import { LANES } from '../contracts.js';
import { lanes } from './lane-bundle.js';
import { run } from './run.js';

export const RUN_WORKFLOWS: WorkflowKind = { id: 'run', experiment: run, children: { [LANES]: lanes } };
