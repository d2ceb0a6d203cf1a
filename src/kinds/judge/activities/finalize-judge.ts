import type { WorkerDependencies } from '../../../activities/dependencies.js';
import { endExperiment, timesOf } from '../../../activities/end-experiment.js';
import { orIncomplete } from '../../../activities/incomplete.js';
import type { ModelCalls } from '../../../activities/model-calls.js';
import { setAsideCalls } from '../../../activities/set-aside.js';
import type { Guard } from '../../../activities/unless-over.js';
import { unrecordedSoFar } from '../../../activities/unrecorded.js';
import type { CallRecord } from '../../../contracts/language-model.js';
import type { EpisodeError } from '../../../contracts/results.js';
import type { Unrecorded } from '../../../contracts/step-cost.js';
import { CallTally } from '../../../statistics/call-figures.js';
import { affordableResamples, boundsOf, clusteredMean } from '../../../statistics/clustered-bootstrap.js';
import { ErrorTally } from '../../../statistics/error-tally.js';
import { sumOf } from '../../../statistics/sums.js';
import { uncertaintyOf } from '../../../statistics/uncertainty.js';
import { jsonLines } from '../../../storage/json-lines.js';
import { artifactKeys } from '../../../storage/paths.js';
import { readJson } from '../../../storage/stored-file.js';
import type { LLMEvaluatedTrajectory } from '../../../trajectories/evaluated-trajectory.js';
import type { FinalizeJudgeInput, JudgeMetrics } from '../contracts.js';
import { judgedTrajectory, type StepEvaluation, verdictScores } from '../judging/evaluation.js';
import { addReply, meanScores, noJudgeTotals } from '../judging/totals.js';
import { MALFORMED_VERDICT, MAX_TRIES } from '../judging/verdict.js';
import { judgedChunksFolder, judgeErrorKey } from '../paths.js';
import type { JudgeContext, JudgeContexts } from './judge-context.js';
import { type JudgeReply, repliesOn } from './judge-replies.js';
import { judgedStep } from './judge-step.js';

/** Figures of a judgement, computed from its replies alone, so that repeated activities do not change them. */
class JudgementFigures {
  private totals = noJudgeTotals();
  private readonly errors = new ErrorTally();
  private readonly tally = new CallTally();
  /** Outcomes by trajectory that was judged as a whole: `[1]` is a success, `[0]` is none. */
  private readonly successes: number[][] = [];
  /** Scores of the judged steps by trajectory, since the steps of one depend on each other. */
  private readonly verdicts: Record<string, number>[][] = [];

  addEvaluated({ evaluation }: LLMEvaluatedTrajectory, evaluations: readonly StepEvaluation[]): void {
    if (typeof evaluation.success === 'boolean') this.successes.push([Number(evaluation.success)]);
    this.verdicts.push(
      evaluations.flatMap((one) => (one.kind === 'judged' ? [verdictScores(one.verdict)] : [])),
    );
  }

  /** Computes the uncertainty of a criterion's mean, whose clusters are the trajectories. */
  private uncertaintyOf(name: string): Pick<JudgeMetrics['scores'][string], 'stderr' | 'interval'> {
    const groups = this.verdicts.map((steps) => steps.flatMap((scores) => scores[name] ?? []));
    const mean = clusteredMean(groups, { resamples: affordableResamples(groups.length) });
    return { stderr: mean?.stderr ?? null, interval: boundsOf(mean) };
  }

  addReply(reply: JudgeReply): void {
    this.totals = addReply(this.totals, judgedStep(reply));
    this.tally.addReply(reply.record);
  }

  /** Adds a reply that was set aside for another one; it counts as malformed. */
  addSetAside(record: CallRecord): void {
    this.addReply({ record, read: { ok: false, fault: '' } });
  }

  addError(error: EpisodeError): void {
    this.errors.add(error);
  }

  metrics({ config }: JudgeContext, input: FinalizeJudgeInput, unrecorded: Unrecorded | null): JudgeMetrics {
    const { plan, status, message } = input;
    const { totals } = this;
    const success = clusteredMean(this.successes, {
      resamples: affordableResamples(this.successes.length),
      isShare: true,
    });
    const means = meanScores(
      plan.criteria.map(({ name }) => name),
      totals,
    );
    return {
      name: plan.name,
      experiment: plan.experiment,
      kind: 'judge',
      status,
      status_message: message,
      model: plan.model,
      simulated: plan.simulated,
      rubric: config.rubric.name,
      show_reward: config.rubric.show_reward,
      trajectories: plan.steps.length,
      steps_planned: plan.steps.reduce((sum, steps) => sum + steps, 0),
      steps: totals.judged,
      scores: Object.fromEntries(
        plan.criteria.map(({ name, range }) => [
          name,
          { mean: means[name] ?? null, ...this.uncertaintyOf(name), range },
        ]),
      ),
      episodes_judged: this.successes.length,
      episodes_succeeded: sumOf(this.successes.flat()),
      success_rate: success?.estimate ?? null,
      ...uncertaintyOf('success_rate', success),
      errors: this.errors.total,
      errors_by_type: this.errors.counts(),
      ...this.errors.causes(),
      malformed_replies: totals.malformed,
      ...this.tally.figures(unrecorded),
      ...timesOf(input),
    };
  }
}

/** Returns the evaluation of a step. A verdict takes precedence over an earlier error. */
async function evaluationOf(
  { store }: JudgeContext,
  replies: readonly JudgeReply[],
  { trajectory, step }: { trajectory: number; step: number },
): Promise<StepEvaluation> {
  const last = replies.at(-1)?.read;
  if (last?.ok) {
    const { verdict, episode } = last;
    return { kind: 'judged', verdict, ...(episode === undefined ? {} : { episode }) };
  }
  if (last !== undefined && replies.length === MAX_TRIES) {
    return { kind: 'error', error: { type: MALFORMED_VERDICT, message: last.fault } };
  }
  const error = await readJson<EpisodeError>(store, judgeErrorKey(trajectory, step));
  return error === null ? { kind: 'open' } : { kind: 'error', error };
}

/**
 * Creates the activity that writes the judgement's artifacts. Keeps the replies, so that the
 * judgement can be continued, and deletes the copies of the trajectories.
 */
export function createFinalizeJudge(
  contexts: JudgeContexts,
  { models, dependencies }: { models: ModelCalls; dependencies: WorkerDependencies },
) {
  /** Reads the replies on each step of a trajectory. */
  const repliesIn = (context: JudgeContext, trajectory: number, steps: number) =>
    Promise.all(
      Array.from({ length: steps }, async (_, step) => {
        const { replies } = await repliesOn(context, models, { trajectory, step });
        return replies;
      }),
    );

  async function* judged(context: JudgeContext, { plan }: FinalizeJudgeInput, figures: JudgementFigures) {
    const { rubric } = context.config;
    const judge = { model: plan.model, rubric: rubric.name, criteria: rubric.criteria };
    for await (const record of setAsideCalls(context.store)) figures.addSetAside(record);
    for (const [index, steps] of plan.steps.entries()) {
      const replies = await repliesIn(context, index, steps);
      const evaluations = await Promise.all(
        replies.map((given, step) => evaluationOf(context, given, { trajectory: index, step })),
      );
      for (const reply of replies.flat()) figures.addReply(reply);
      for (const one of evaluations) if (one.kind === 'error') figures.addError(one.error);
      const { trajectory } = await context.trajectories.get(index);
      const evaluated = judgedTrajectory(trajectory, evaluations, judge);
      figures.addEvaluated(evaluated, evaluations);
      yield evaluated;
    }
  }

  async function* calls(context: JudgeContext, { plan }: FinalizeJudgeInput) {
    // Of several records of the same call, a replay uses the last one.
    yield* setAsideCalls(context.store);
    for (const [index, steps] of plan.steps.entries()) {
      for (const { record } of (await repliesIn(context, index, steps)).flat()) yield record;
    }
  }

  async function writeArtifacts(context: JudgeContext, input: FinalizeJudgeInput, guard: Guard) {
    const store = guard(context.store);
    context.calls.forget();
    const figures = new JudgementFigures();
    await store.writeStream(artifactKeys.trajectories, jsonLines(judged(context, input, figures)));
    await store.writeStream(artifactKeys.calls, jsonLines(calls(context, input)));
    const gathered = figures.metrics(context, input, await unrecordedSoFar(store));
    const metrics = orIncomplete(
      gathered,
      {
        planned: gathered.steps_planned,
        recorded: gathered.steps + gathered.errors,
        errors: gathered.errors_by_type,
      },
      'step',
    );
    const { status, steps, errors, cost_usd } = metrics;
    context.log('experiment').info({ status, steps, errors, cost_usd }, 'judgement ended');
    return metrics;
  }

  return endExperiment({ contexts, runLogs: dependencies.runLogs }, writeArtifacts, ({ store }) =>
    store.deleteFolder(judgedChunksFolder()),
  );
}
