import { modelCallOptions } from '../../../workflows/activity-options.js';
import { beginAll } from '../../../workflows/begin-each.js';
import { conduct } from '../../../workflows/conduct.js';
import { continueAsNew } from '../../../workflows/sdk.js';
import { assertContinues } from '../../../workflows/started-rightly.js';
import type { JudgeCarried, JudgeInput, JudgePlan, JudgeResult, JudgeStepName } from '../contracts.js';
import { addReply } from '../judging/totals.js';
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
async function judgeOneStep(plan: JudgePlan, name: JudgeStepName, control: JudgeControl): Promise<void> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const again = attempt === 0 ? '' : ` · try ${attempt + 1}`;
    const summary = `trajectory ${name.trajectory + 1} · step ${name.step + 1}${again}`;
    const options = modelCallOptions(plan, summary);
    const reply = await control.reply(
      (grant) => judging.judgeStep.executeWithOptions(options, [{ ...name, attempt, ...grant }]),
      addReply,
    );
    if (reply.kind !== 'malformed') return;
  }
  control.gaveUp(MALFORMED_VERDICT);
}

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
    work: (plan, handOver) =>
      beginAll(stepsOf(plan), { control, carried, handOver }, (name) =>
        control.unit(
          () => judgeOneStep(plan, name, control),
          (error) => judging.recordJudgeError({ ...name, error }),
        ),
      ),
    continueWith: (whole) => continueAsNew<typeof judge>(input, whole),
    finalize: (ended) => judging.finalizeJudge(ended),
  });
}
