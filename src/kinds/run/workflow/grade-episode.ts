import type { CallIdentity, GeneratedReply } from '../../../contracts/language-model.js';
import type { EpisodeCall, EpisodeRecord } from '../../../contracts/results.js';
import type { AskedBefore } from '../../../contracts/step-cost.js';
import { modelCallOptions } from '../../../workflows/activity-options.js';
import { describeError, isInterruption } from '../../../workflows/failures.js';
import type { FoundExperiences, GradedAction, GradedReply, RunPlan } from '../contracts.js';
import { GRADE_TRIES } from '../contracts.js';
import { grading } from './activities.js';

/** What grading needs of a lane's account. */
interface GradingPorts {
  /** Makes a call of a model, within the limits. */
  request<Reply extends GeneratedReply>(
    send: (before: { before?: AskedBefore }) => Promise<Reply>,
  ): Promise<Reply>;
  paid(embeddings: NonNullable<FoundExperiences['embeddings']>): void;
  /** Names an activity of a sample for people. */
  summaryOf(call: Pick<CallIdentity, 'sample_id' | 'trial'>, what: string): string;
}

/**
 * Has the answer of a finished episode graded by the models of the run's scorers, all votes at once. The verdicts are in
 * the records of the calls; a reply that holds none is asked again.
 * @returns the episode with these calls; with an error if a call failed, for then it is not judged.
 * @throws what interrupts a lane, such as the refusal of a call by a limit.
 */
export async function gradeEpisode(
  { run, grading: planned }: RunPlan,
  episode: EpisodeRecord,
  ports: GradingPorts,
): Promise<EpisodeRecord> {
  const last = episode.steps.at(-1);
  if (planned === undefined || last === undefined || episode.error !== null) return episode;
  const { index, sample_id, trial } = episode;
  const action: GradedAction = last.act === undefined ? { text: last.action } : { act: last.act };
  const place = { sample_id, trial };
  const byVote = planned.votes.map((): EpisodeCall[] => []);

  const vote = async (number: number): Promise<void> => {
    const { scorer, ...limits } = planned.votes[number] as (typeof planned.votes)[number];
    for (let attempt = 0; attempt < GRADE_TRIES; attempt++) {
      const call: CallIdentity = { ...place, purpose: 'grade', ordinal: number * GRADE_TRIES + attempt };
      const listed: EpisodeCall = { ...call, step: episode.steps.length - 1 };
      byVote[number]?.push(listed);
      const options = modelCallOptions(limits, ports.summaryOf(place, `grade · ${scorer}`));
      const { repeated, maybe_repeated, is_read } = await ports.request<GradedReply>((before) =>
        grading.gradeAnswer.executeWithOptions(options, [{ run, index, call, action, ...before }]),
      );
      if (repeated !== undefined) listed.repeated = repeated;
      if (maybe_repeated !== undefined) listed.maybe_repeated = maybe_repeated;
      if (is_read) return;
    }
  };
  const embed = async (scorer: string): Promise<void> => {
    const { embeddings } = await grading.embedAnswer({ run, index, scorer, call: place, action });
    if (embeddings !== undefined) ports.paid(embeddings);
  };

  const names = [...planned.votes.map(({ scorer }) => scorer), ...planned.vectors];
  const settled = await Promise.allSettled([
    ...planned.votes.map((_, number) => vote(number)),
    ...planned.vectors.map(embed),
  ]);
  const failures = settled.flatMap((one, place) =>
    one.status === 'rejected' ? [{ scorer: names[place] as string, reason: one.reason as unknown }] : [],
  );
  const calls = [...episode.calls, ...byVote.flat()];
  const [failed] = failures;
  if (failed === undefined) return { ...episode, calls };
  const interruption = failures.find(({ reason }) => isInterruption(reason));
  if (interruption !== undefined) throw interruption.reason;
  const { type, message } = describeError(failed.reason);
  return { ...episode, calls, error: { type, message: `scorers.${failed.scorer}: ${message}` } };
}
