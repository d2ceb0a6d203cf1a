import type { WorkerDependencies } from '../../../activities/dependencies.js';
import type { ModelCalls } from '../../../activities/model-calls.js';
import type { KindActivities } from '../../../activities/traits.js';
import type { OwnKindActivities } from '../contracts.js';
import { createFinalizeOwnKind } from './finalize-own-kind.js';
import { OwnKindContexts } from './own-kind-context.js';
import { createPrepareOwnKind } from './prepare-own-kind.js';
import { createAskForSample, createRecordSampleError, createWorkOnSample } from './sample-activities.js';

/** Creates the activities of an experiment of a user's own kind. */
export function createOwnKindActivities(
  dependencies: WorkerDependencies,
  models: ModelCalls,
): KindActivities<OwnKindActivities> {
  const contexts = new OwnKindContexts(dependencies);
  return {
    activities: {
      prepareOwnKind: createPrepareOwnKind(contexts, dependencies),
      workOnSample: createWorkOnSample(contexts, models),
      askForSample: createAskForSample(contexts, models),
      recordSampleError: createRecordSampleError(contexts),
      finalizeOwnKind: createFinalizeOwnKind(contexts, dependencies),
    },
    traits: {
      prepareOwnKind: 'begins',
      workOnSample: 'risky',
      askForSample: 'asks',
      finalizeOwnKind: 'ends',
    },
  };
}
