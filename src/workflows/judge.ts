import { continueAsNew, isCancellation, setHandler } from '@temporalio/workflow';
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
import { conclude } from './conclude.js';
import { readyToContinue } from './continuation.js';
import { describeError, fatalMessage, prepared } from './failures.js';
import { JudgeControl } from './judge-control.js';
import { judgeProgressQuery } from './messages.js';
import { judging, modelCallOptions } from './proxies.js';
import { requestUntilAnswered } from './request-until-answered.js';
import { takeRequests } from './requests.js';
import { assertContinues } from './started-rightly.js';
import { WorkingClock } from './working-clock.js';

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
  const options = modelCallOptions({ ...plan, model_queue: null }, summary);
  return requestUntilAnswered<JudgedStep, boolean, null>(
    {
      isLimited: hasCallLimits(plan.limits),
      leave: () => control.mayAsk(),
      answered: (reply) => control.answered(reply),
      failed: (cost) => control.failed(cost),
      gaveUp: async (error) => {
        if (isCancellation(error)) throw error;
        await giveUp(name, error, control);
        return null;
      },
    },
    (before) => judging.judgeStep.executeWithOptions(options, [{ ...name, attempt, ...before }]),
  );
}

/** A step cannot be judged, or none can any more. */
async function giveUp(name: JudgeStepName, error: unknown, control: JudgeControl): Promise<void> {
  const fatal = fatalMessage(error);
  if (fatal !== null) return control.broke(fatal);
  try {
    await judging.recordJudgeError({ ...name, error: describeError(error) });
    control.gaveUp();
  } catch (failure) {
    if (isCancellation(failure)) throw failure;
    control.broke(describeError(failure).message);
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
export async function judge(input: JudgeInput, carried?: JudgeCarried): Promise<JudgeResult> {
  assertContinues(carried);
  const startedAt = carried?.started_at ?? Date.now();
  const control = new JudgeControl(carried);
  setHandler(judgeProgressQuery, () => control.progress());
  takeRequests(control);

  const plan = carried?.plan ?? (await prepared(judging.prepareJudge(input), control));
  control.begin(plan, carried === undefined);
  const begunAt = { started_at: startedAt, worked_seconds: carried?.worked_seconds };
  const clock = WorkingClock.start(plan, begunAt, 'judge', control);
  const due = stepsOf(plan);
  let cancellation: unknown;
  try {
    const begun = await beginEach(due, { control, begun: carried?.begun ?? 0 }, (name) =>
      judgeOneStep(plan, name, control),
    );
    if (begun === due.length) control.allBegun();
    else if (control.goesOn()) {
      clock.stop();
      await readyToContinue();
      const carriedOn = { plan, begun, started_at: startedAt, ...clock.worked(), ...control.handOver() };
      await continueAsNew<typeof judge>(input, carriedOn);
    }
  } catch (error) {
    if (!isCancellation(error)) throw error;
    cancellation = error;
  }
  clock.stop();
  return conclude(control, { cancellation, artifacts: plan.artifacts, what: 'judgement' }, (outcome) =>
    judging.finalizeJudge({
      plan,
      ...outcome,
      started_at: startedAt,
      ended_at: Date.now(),
      ...clock.worked(),
    }),
  );
}
