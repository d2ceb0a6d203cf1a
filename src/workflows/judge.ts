import { continueAsNew, isCancellation } from '@temporalio/workflow';
import type {
  JudgeCarried,
  JudgedStep,
  JudgeInput,
  JudgePlan,
  JudgeResult,
  JudgeStepName,
} from '../contracts/judge.js';
import { MOST_TRIES } from '../judging/verdict.js';
import { hasCallLimits } from '../runtime/budget.js';
import { CallRefusedError } from '../runtime/ports.js';
import { beginEach } from './begin-each.js';
import { conduct } from './conduct.js';
import { costAtLimit, describeError, fatalMessage } from './failures.js';
import { JudgeControl } from './judge-control.js';
import { judgeProgressQuery } from './messages.js';
import { judging, modelCallOptions } from './proxies.js';
import { requestUntilAnswered } from './request-until-answered.js';
import { assertContinues } from './started-rightly.js';

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
      answered: (reply) => control.answered(reply),
      failed: (cost) => control.failed(cost),
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
  try {
    await judging.recordJudgeError({ ...name, error: describeError(error) });
    control.gaveUp();
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
    control.gaveUp();
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
    progress: judgeProgressQuery,
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
