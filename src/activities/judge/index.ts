import type { JudgeActivities } from '../../contracts/judge.js';
import type { WorkerDependencies } from '../dependencies.js';
import type { ModelCalls } from '../model-calls.js';
import { createFinalizeJudge } from './finalize-judge.js';
import { JudgeContexts } from './judge-context.js';
import { createJudgeStep, createRecordJudgeError } from './judge-step.js';
import { createPrepareJudge } from './prepare-judge.js';

/** The activities of a judgement. */
export function createJudgeActivities(dependencies: WorkerDependencies, models: ModelCalls): JudgeActivities {
  const contexts = new JudgeContexts(dependencies);
  return {
    prepareJudge: createPrepareJudge(contexts, dependencies),
    judgeStep: createJudgeStep(contexts, models),
    recordJudgeError: createRecordJudgeError(contexts),
    finalizeJudge: createFinalizeJudge(contexts, { models, dependencies }),
  };
}
