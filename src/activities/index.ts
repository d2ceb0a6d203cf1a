import type {
  EnvironmentActivities,
  ExecutionActivities,
  LanguageModelActivities,
  MemoryActivities,
  RunActivities,
} from '../contracts/activities.js';
import type { AgentEvalActivities } from '../contracts/agent-eval.js';
import type { EvolveActivities } from '../contracts/evolve.js';
import type { JudgeActivities } from '../contracts/judge.js';
import { createAgentEvalActivities } from './agent-eval/index.js';
import type { WorkerDependencies } from './dependencies.js';
import { createEnvironmentActivities } from './environments.js';
import { createEvolveActivities } from './evolve/index.js';
import { createExecutionActivities } from './executions.js';
import { withFailures } from './failures.js';
import { createFinalizeRun } from './finalize-run.js';
import { forAnybody } from './for-anybody.js';
import { createJudgeActivities } from './judge/index.js';
import { createLanguageModelActivities } from './language-model.js';
import { createLoadMemory } from './load-memory.js';
import { createMemoryActivities } from './memory-activities.js';
import { ModelCalls } from './model-calls.js';
import { createPrepareRun } from './prepare-run.js';
import { RunContexts } from './run-context.js';
import { withOwners } from './with-owners.js';
import { withSuspects } from './with-suspects.js';
import { createWritePart } from './write-part.js';

export type Activities = RunActivities &
  EnvironmentActivities &
  LanguageModelActivities &
  MemoryActivities &
  ExecutionActivities &
  EvolveActivities &
  AgentEvalActivities &
  JudgeActivities;

/** Every activity of a worker, over what `workers/` hands in. */
export function createActivities(dependencies: WorkerDependencies): Activities {
  const runs = new RunContexts(dependencies);
  const models = new ModelCalls(dependencies);
  const activities = {
    prepareRun: createPrepareRun(runs, dependencies),
    loadMemory: createLoadMemory(runs),
    writePart: createWritePart(runs, dependencies),
    finalizeRun: createFinalizeRun(runs, dependencies),
    ...createEnvironmentActivities(runs),
    ...createLanguageModelActivities(runs, dependencies, models),
    ...createMemoryActivities(runs, dependencies),
    ...createExecutionActivities(runs, dependencies),
    ...createEvolveActivities(dependencies, models),
    ...createAgentEvalActivities(dependencies, models),
    ...createJudgeActivities(dependencies, models),
  };
  const permitted = forAnybody(withOwners(activities, dependencies), dependencies.permissions);
  // Failures are outside, since they say what becomes of a refusal; it is an end like any other, and no crash.
  return withFailures(withSuspects(permitted), dependencies);
}
