import type { WorkerDependencies } from '../../../activities/dependencies.js';
import type { KindActivities } from '../../../activities/traits.js';
import type { SweepActivities } from '../contracts.js';
import { createFinalizeSweep } from './finalize-sweep.js';
import { createPrepareSweep } from './prepare-sweep.js';
import { createBeginCell, createEndCell, SweepContexts } from './sweep-context.js';

export function createSweepActivities(dependencies: WorkerDependencies): KindActivities<SweepActivities> {
  const contexts = new SweepContexts(dependencies);
  return {
    activities: {
      prepareSweep: createPrepareSweep(contexts, dependencies),
      beginCell: createBeginCell(contexts),
      endCell: createEndCell(contexts),
      finalizeSweep: createFinalizeSweep(contexts, dependencies),
    },
    traits: { prepareSweep: 'begins', finalizeSweep: 'ends' },
  };
}
