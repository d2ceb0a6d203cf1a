import { modelCallOptions } from '../../../workflows/activity-options.js';
import { conduct } from '../../../workflows/conduct.js';
import { continueAsNew } from '../../../workflows/sdk.js';
import { assertContinues } from '../../../workflows/started-rightly.js';
import type { UnitAccount } from '../../../workflows/unit-accounts.js';
import { bundleOf, type Units, workOnUnits } from '../../../workflows/unit-bundles.js';
import type {
  JudgeCarried,
  JudgeInput,
  JudgePlan,
  JudgeResult,
  JudgeStepName,
  JudgeTotals,
} from '../contracts.js';
import { addJudged, addReply, noJudgeTotals } from '../judging/totals.js';
import { MALFORMED_VERDICT, MAX_TRIES } from '../judging/verdict.js';
import { judging } from './activities.js';
import { JudgeControl } from './judge-control.js';

/** Lists every step of every trajectory, in the order of the file. */
function stepsOf({ run, steps }: JudgePlan): JudgeStepName[] {
  return steps.flatMap((count, trajectory) =>
    Array.from({ length: count }, (_, step) => ({ run, trajectory, step })),
  );
}

/** Requests a verdict on a step, up to {@link MAX_TRIES} times. */
async function judgeOneStep(
  plan: JudgePlan,
  name: JudgeStepName,
  account: UnitAccount<JudgeTotals>,
): Promise<void> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const again = attempt === 0 ? '' : ` · try ${attempt + 1}`;
    const summary = `trajectory ${name.trajectory + 1} · step ${name.step + 1}${again}`;
    const options = modelCallOptions(plan, summary);
    const reply = await account.reply(
      (grant) => judging.judgeStep.executeWithOptions(options, [{ ...name, attempt, ...grant }]),
      addReply,
    );
    if (reply.kind !== 'malformed') return;
  }
  account.gaveUp(MALFORMED_VERDICT);
}

const steps: Units<JudgePlan, JudgeStepName, JudgeTotals> = {
  type: 'judge-steps',
  noun: 'step',
  due: stepsOf,
  none: noJudgeTotals,
  add: addJudged,
  work: judgeOneStep,
  recordError: (_plan, name, error) => judging.recordJudgeError({ ...name, error }),
};

/** Judges a bundle of steps in a worker's process. */
export const judgeSteps = bundleOf(steps);

/**
 * Judges every step of an experiment's trajectories by a rubric, with a language model. Every reply is stored before
 * the workflow receives it, and a stored reply is not requested again. Continues as new when its history grows long:
 * steps in flight end first.
 * @param carried state of the previous execution, if this one continues it.
 */
export function judge(input: JudgeInput, carried?: JudgeCarried): Promise<JudgeResult> {
  assertContinues(carried);
  const control = new JudgeControl(carried);
  return conduct({
    what: 'judgement',
    carried,
    control,
    prepare: () => judging.prepareJudge(input),
    work: (plan, handOver) => workOnUnits(steps, { plan, control, carried, handOver }),
    continueWith: (whole) => continueAsNew<typeof judge>(input, whole),
    finalize: (ended) => judging.finalizeJudge(ended),
  });
}
