import { heartbeating } from '../../../activities/attempt-journal.js';
import { repeatedAtLeast } from '../../../activities/call-record.js';
import type { StoredCall } from '../../../activities/call-store.js';
import { sinkOf } from '../../../activities/run-log.js';
import type { ExecutionRecord } from '../../../contracts/execution.js';
import type { CallRecord } from '../../../contracts/language-model.js';
import type { EpisodeRecord, ResultRow, StepRecord } from '../../../contracts/results.js';
import { cutOffOf } from '../../../runtime/repeats.js';
import { resultRow } from '../../../statistics/result-row.js';
import { missingFile } from '../../../storage/stored-file.js';
import { withLog } from '../../../user-code/log.js';
import type { CompactEpisode, WritePartInput } from '../contracts.js';
import { partKey } from '../paths.js';
import type { PartLine } from '../results.js';
import { stepEnvironment } from './environments.js';
import { writePart as writeLines } from './part-file.js';
import type { RunContext, RunContexts } from './run-context.js';
import { scoreRow } from './score-row.js';

interface ExpandedEpisode {
  episode: EpisodeRecord;
  calls: CallRecord[];
  executions: ExecutionRecord[];
}

type WholeEpisode = CompactEpisode & Required<Pick<CompactEpisode, 'trial' | 'steps' | 'calls'>>;

/** Fills in what is left out if an episode is a single call. */
function whole(compact: CompactEpisode): WholeEpisode {
  return { trial: 0, steps: [0], calls: [['act', 0, 0]], ...compact };
}

async function storedCalls(
  run: RunContext,
  { id, trial, calls }: WholeEpisode,
): Promise<Map<string, StoredCall>> {
  const stored = new Map<string, StoredCall>();
  await Promise.all(
    calls.map(async ([purpose, ordinal]) => {
      const call = await run.calls.at({ sample_id: id, trial, purpose, ordinal });
      // A call that failed permanently has no record.
      if (call !== null) stored.set(`${purpose} ${ordinal}`, call);
    }),
  );
  return stored;
}

/** Restores the steps of an episode from its calls' records, which hold the action and the environment's answer. */
async function expandSteps(
  run: RunContext,
  episode: WholeEpisode,
  stored: Map<string, StoredCall>,
): Promise<StepRecord[]> {
  const steps: StepRecord[] = [];
  if (episode.steps.every((step) => typeof step !== 'number')) return episode.steps as StepRecord[];
  const task = await run.taskOf(episode.index);
  const begun = await run.playable(task).begin();
  if ('error' in begun)
    throw new Error(`the environment refuses to begin as it did before: ${begun.error.message}`);
  let { state, obs } = begun;
  for (const step of episode.steps) {
    const call = typeof step === 'number' ? stored.get(`act ${step}`) : undefined;
    if (typeof step === 'number' && call === undefined) {
      const what = `the record of ${episode.id}, trial ${episode.trial}, act ${step}`;
      throw missingFile(run.store, what, null);
    }
    const action = call?.record.text ?? (step as StepRecord).action;
    const kept = call === undefined ? null : await run.calls.answerTo(call);
    const answer = kept ?? (await stepEnvironment(run, { index: episode.index, state }, action));
    if ('error' in answer)
      throw new Error(`the environment refuses a step that it took before: ${answer.error.message}`);
    const { feedback, done, info } = answer;
    const reward = answer.reward ?? (feedback.correct ? 1 : 0);
    const beside = info === undefined ? {} : { info };
    steps.push(
      typeof step === 'number' ? { obs, action, feedback, reward, done, ...beside, act: step } : step,
    );
    state = answer.state ?? null;
    obs = answer.obs ?? '';
  }
  return steps;
}

/** Reads the records of an episode's programs; one whose sandbox failed permanently has none. */
async function storedExecutions(
  run: RunContext,
  { id, trial, executions = 0 }: WholeEpisode,
): Promise<ExecutionRecord[]> {
  const ordinals = Array.from({ length: executions }, (_, ordinal) => ordinal);
  const records = await Promise.all(
    ordinals.map((ordinal) => run.executions.at({ sample_id: id, trial, ordinal })),
  );
  return records.filter((record) => record !== null);
}

/** Restores an episode from its compact form and the records of its calls. */
export async function expandEpisode(run: RunContext, compact: CompactEpisode): Promise<ExpandedEpisode> {
  const episode = whole(compact);
  const { index, id, trial, reward, at, took } = episode;
  const stored = await storedCalls(run, episode);
  const calls = episode.calls.flatMap(([purpose, ordinal, step, repeated, maybe_repeated]) => {
    const call = stored.get(`${purpose} ${ordinal}`);
    const cutOff = cutOffOf({ repeated, maybe_repeated });
    return call === undefined ? [] : [{ ...repeatedAtLeast(call.record, cutOff), step }];
  });
  return {
    episode: {
      index,
      sample_id: id,
      trial,
      ...(run.epochs === 1 ? {} : { epoch: run.epochOf(index) }),
      steps: await expandSteps(run, episode, stored),
      reward,
      error: episode.error ?? null,
      ...(episode.unjudged === undefined ? {} : { unjudged: episode.unjudged }),
      warnings: episode.warnings ?? [],
      calls: episode.calls.map(([purpose, ordinal, step]) => ({
        sample_id: id,
        trial,
        purpose,
        ordinal,
        step,
      })),
      started_at: at,
      ended_at: at + took,
      ...(episode.executions === undefined ? {} : { executions: episode.executions }),
      ...(episode.agent_metrics === undefined ? {} : { agent_metrics: episode.agent_metrics }),
    },
    calls,
    executions: await storedExecutions(run, episode),
  };
}

/** Creates the activity that scores finished episodes and writes them with their calls as one object. Repeatable. */
export function createWritePart(runs: RunContexts) {
  return (input: WritePartInput): Promise<void> =>
    heartbeating(async () => {
      const run = await runs.get(input.run);
      const log = run.log('episode');
      const lines: PartLine[] = await Promise.all(
        input.episodes.map(async (compact): Promise<PartLine> => {
          const { episode, calls, executions } = await expandEpisode(run, compact);
          const unscored = resultRow(episode, calls);
          const task = () => run.taskOf(episode.index);
          const { id, trial } = unscored;
          const sink = sinkOf((component) => run.log(component), 'scorer', { sample: id, trial });
          const scores = await withLog(sink, () => scoreRow(run, { task, row: unscored, calls }));
          const row: ResultRow = { ...unscored, ...scores };
          const { error, reward } = row;
          const ended = { time: new Date(episode.ended_at).toISOString(), sample: id, trial };
          if (error === null)
            log.info({ ...ended, correct: row.feedback?.correct ?? null, reward }, 'episode');
          else log.error({ ...ended, error }, 'episode failed');
          return {
            kind: 'episode',
            index: episode.index,
            trial,
            row,
            calls,
            ...(executions.length === 0 ? {} : { executions }),
            steps: episode.steps,
          };
        }),
      );
      if (input.memory !== undefined) lines.push({ kind: 'memory', ...input.memory });
      for (const memory of input.sample_memories ?? []) lines.push({ kind: 'memory', ...memory });
      await writeLines(run.store, partKey(input.execution, input.sequence, input.by), lines);
    });
}
