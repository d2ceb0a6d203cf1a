import type { WorkerDependencies } from '../../../activities/dependencies.js';
import type { ModelCalls } from '../../../activities/model-calls.js';
import type { KindActivities } from '../../../activities/traits.js';
import type { JudgeActivities } from '../contracts.js';
import { createFinalizeJudge } from './finalize-judge.js';
import { JudgeContexts } from './judge-context.js';
import { createJudgeStep, createRecordJudgeError } from './judge-step.js';
import { createPrepareJudge } from './prepare-judge.js';

export function createJudgeActivities(
  dependencies: WorkerDependencies,
  models: ModelCalls,
): KindActivities<JudgeActivities> {
  const contexts = new JudgeContexts(dependencies);
  return {
    activities: {
      prepareJudge: createPrepareJudge(contexts, dependencies),
      judgeStep: createJudgeStep(contexts, models),
      recordJudgeError: createRecordJudgeError(contexts),
      finalizeJudge: createFinalizeJudge(contexts, { models, dependencies }),
    },
    traits: { prepareJudge: 'begins', judgeStep: 'asks', finalizeJudge: 'ends' },
  };
}
