import { hasCallLimits } from '../../../runtime/budget.js';
import { CallRefusedError } from '../../../runtime/ports.js';
import { modelCallOptions } from '../../../workflows/activity-options.js';
import { beginEach } from '../../../workflows/begin-each.js';
import { conduct } from '../../../workflows/conduct.js';
import { costAtLimit, describeError, fatalMessage } from '../../../workflows/failures.js';
import { requestUntilAnswered } from '../../../workflows/request-until-answered.js';
import { continueAsNew, isCancellation } from '../../../workflows/sdk.js';
import { assertContinues } from '../../../workflows/started-rightly.js';
import type {
  JudgeCarried,
  JudgedStep,
  JudgeInput,
  JudgePlan,
  JudgeResult,
  JudgeStepName,
} from '../contracts.js';
import { MALFORMED_VERDICT, MOST_TRIES } from '../judging/verdict.js';
import { judging } from './activities.js';
import { JudgeControl } from './judge-control.js';

/** Every step of every trajectory, in the order of the file. */
function stepsOf({ run, steps }: JudgePlan): JudgeStepName[] {
  return steps.flatMap((count, trajectory) =>
    Array.from({ length: count }, (_, step) => ({ run, trajectory, step })),
  );
}

/** Asks for a reply; null where the step had to be given up, or nothing can be judged any more. */
function replyOn(
  plan: JudgePlan,
  name: JudgeStepName,
  { attempt, control }: { attempt: number; control: JudgeControl },
): Promise<JudgedStep | null> {
  const again = attempt === 0 ? '' : ` · try ${attempt + 1}`;
  const summary = `trajectory ${name.trajectory + 1} · step ${name.step + 1}${again}`;
  const options = modelCallOptions(plan, summary);
  return requestUntilAnswered<JudgedStep, 'new' | 'stored', null>(
    {
      isLimited: hasCallLimits(plan.limits),
      leave: () => control.mayAsk(),
      answered: (reply, asked) => control.answered(reply, asked),
      failed: (cost, _error, asked) => control.failed(cost, asked),
      gaveUp: async (error) => {
        if (isCancellation(error)) throw error;
        if (costAtLimit(error) !== null) {
          control.foundNone();
          throw new CallRefusedError();
        }
        await giveUp(name, error, control);
        return null;
      },
    },
    (before, lease) => {
      const stored_only = lease === 'stored' ? { stored_only: true as const } : {};
      return judging.judgeStep.executeWithOptions(options, [{ ...name, attempt, ...before, ...stored_only }]);
    },
  );
}

/** A step cannot be judged, or none can any more. */
async function giveUp(name: JudgeStepName, error: unknown, control: JudgeControl): Promise<void> {
  const fatal = fatalMessage(error);
  if (fatal !== null) return control.fail(fatal);
  const described = describeError(error);
  try {
    await judging.recordJudgeError({ ...name, error: described });
    control.gaveUp(described.type);
  } catch (failure) {
    if (isCancellation(failure)) throw failure;
    control.fail(describeError(failure).message);
  }
}

/** Asks for a verdict on a step until there is one. */
async function judgeOneStep(plan: JudgePlan, name: JudgeStepName, control: JudgeControl): Promise<void> {
  control.began();
  try {
    for (let attempt = 0; attempt < MOST_TRIES; attempt += 1) {
      const reply = await replyOn(plan, name, { attempt, control });
      if (reply?.kind !== 'malformed') return;
    }
    control.gaveUp(MALFORMED_VERDICT);
  } catch (error) {
    // No further call may be made: the step stays open.
    if (!(error instanceof CallRefusedError)) throw error;
    control.leftOpen();
  } finally {
    control.ended();
  }
}

/**
 * A language model judges every step of an experiment's trajectories by a rubric. Every reply is in the store before
 * anybody hears of it, and one that is there is not asked for again. Continues as new when its history grows long:
 * steps in flight end first.
 * @param carried from the execution before, when this one continues it.
 */
export function judge(input: JudgeInput, carried?: JudgeCarried): Promise<JudgeResult> {
  assertContinues(carried);
  const control = new JudgeControl(carried);
  return conduct({
    what: 'judgement',
    carried,
    control,
    prepare: () => judging.prepareJudge(input),
    work: async (plan, handOver) => {
      const due = stepsOf(plan);
      const begun = await beginEach(due, { control, begun: carried?.begun ?? 0 }, (name) =>
        judgeOneStep(plan, name, control),
      );
      if (begun === due.length) control.allBegun();
      else if (control.goesOn()) await handOver({ begun });
    },
    continueWith: (whole) => continueAsNew<typeof judge>(input, whole),
    finalize: (ended) => judging.finalizeJudge(ended),
  });
}
