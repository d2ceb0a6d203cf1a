import type { WorkerDependencies } from '../../../activities/dependencies.js';
import type { ModelCalls } from '../../../activities/model-calls.js';
import type { KindActivities } from '../../../activities/traits.js';
import { AdaptiveLimit } from '../../../language-models/adaptive-limit.js';
import type { EvolveActivities } from '../contracts.js';
import { EvolveContexts } from './evolve-context.js';
import { createScaffoldExecution } from './execute-scaffold.js';
import { createFinalizeEvolve } from './finalize-evolve.js';
import { createFinishIteration } from './iteration-files.js';
import { createPrepareEvolve } from './prepare-evolve.js';
import { createProposeScaffold } from './propose-scaffold.js';
import { ScaffoldChecks } from './scaffold-checks.js';
import { ScaffolderCalls } from './scaffolder-calls.js';
import { createScaffolderTurn } from './scaffolder-turn.js';

export function createEvolveActivities(
  dependencies: WorkerDependencies,
  models: ModelCalls,
): KindActivities<EvolveActivities> {
  const contexts = new EvolveContexts(dependencies);
  const slots = new AdaptiveLimit({ maximum: dependencies.maxConcurrentExecutions });
  const scaffolder = {
    calls: new ScaffolderCalls(models),
    checks: new ScaffoldChecks(dependencies, slots),
  };
  return {
    activities: {
      prepareEvolve: createPrepareEvolve(contexts, dependencies),
      proposeScaffold: createProposeScaffold(contexts, scaffolder),
      scaffolderTurn: createScaffolderTurn(contexts, scaffolder),
      ...createScaffoldExecution(contexts, dependencies, { models, slots }),
      finishIteration: createFinishIteration(contexts),
      finalizeEvolve: createFinalizeEvolve(contexts, dependencies),
    },
    traits: {
      prepareEvolve: 'begins',
      proposeScaffold: 'asks',
      scaffolderTurn: 'asks',
      finalizeEvolve: 'ends',
    },
  };
}
