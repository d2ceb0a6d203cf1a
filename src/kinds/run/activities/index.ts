import type { WorkerDependencies } from '../../../activities/dependencies.js';
import type { ModelCalls } from '../../../activities/model-calls.js';
import type { KindActivities } from '../../../activities/traits.js';
import type {
  BundleActivities,
  EnvironmentActivities,
  ExecutionActivities,
  GradingActivities,
  LanguageModelActivities,
  MemoryActivities,
  OwnLaneActivities,
  RunActivities,
} from '../contracts.js';
import { createBundleActivities } from './bundle-activities.js';
import { createDecide } from './decide.js';
import { createEnvironmentActivities } from './environments.js';
import { createExecutionActivities } from './executions.js';
import { createFinalizeRun } from './finalize-run.js';
import { createGradingActivities } from './grade-answer.js';
import { createLanguageModelActivities } from './language-model.js';
import { createLoadMemory, createMemoryActivities } from './memory-activities.js';
import { createOwnLane } from './own-lane.js';
import { createPrepareRun } from './prepare-run.js';
import { RunContexts } from './run-context.js';
import { createWritePart } from './write-part.js';

type Activities = RunActivities &
  EnvironmentActivities &
  LanguageModelActivities &
  MemoryActivities &
  ExecutionActivities &
  GradingActivities &
  BundleActivities &
  OwnLaneActivities;

export function createRunActivities(
  dependencies: WorkerDependencies,
  models: ModelCalls,
): KindActivities<Activities> {
  const runs = new RunContexts(dependencies);
  return {
    activities: {
      prepareRun: createPrepareRun(runs, dependencies),
      loadMemory: createLoadMemory(runs),
      writePart: createWritePart(runs),
      decide: createDecide(runs),
      finalizeRun: createFinalizeRun(runs, dependencies),
      ...createEnvironmentActivities(runs),
      ...createLanguageModelActivities(runs, dependencies, models),
      ...createGradingActivities(runs, dependencies, models),
      ...createMemoryActivities(runs, dependencies),
      ...createExecutionActivities(runs, dependencies),
      ...createBundleActivities(runs, dependencies),
      ...createOwnLane(runs, dependencies.userCode),
    },
    traits: {
      prepareRun: 'begins',
      loadMemory: 'begins',
      generate: 'asks',
      gradeAnswer: 'asks',
      openSamples: 'risky',
      stepEnvironment: 'risky',
      finalizeRun: 'ends',
    },
  };
}
