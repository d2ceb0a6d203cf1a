import type { WorkflowKind } from '../../../workflows/kind.js';
import { ownKind, ownKindSamples } from './own-kind.js';

export const OWN_KIND_WORKFLOWS: WorkflowKind = {
  id: 'own-kind',
  experiment: ownKind,
  children: { 'own-kind-samples': ownKindSamples },
};
