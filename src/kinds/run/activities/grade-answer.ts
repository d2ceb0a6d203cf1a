import { Attempt } from '../../../activities/attempt.js';
import { heartbeating } from '../../../activities/attempt-journal.js';
import { replyOf } from '../../../activities/call-record.js';
import type { WorkerDependencies } from '../../../activities/dependencies.js';
import type { ModelCalls } from '../../../activities/model-calls.js';
import type { CallIdentity } from '../../../contracts/language-model.js';
import { missingFile } from '../../../storage/stored-file.js';
import {
  GRADE_TRIES,
  type GradeAnswerInput,
  type GradedAction,
  type GradingActivities,
} from '../contracts.js';
import { readModelVerdict, type Vote, votePrompt } from '../scorers/model-graded.js';
import type { ScorerOf } from '../scorers/schema.js';
import { readFrom } from '../scorers/scorers.js';
import { Purse } from './memory-activities.js';
import type { RunContext, RunContexts } from './run-context.js';

/** Returns the text of an action: of the call that it was, or as it is. */
async function actionOf(
  run: RunContext,
  call: Omit<CallIdentity, 'purpose' | 'ordinal'>,
  action: GradedAction,
): Promise<string> {
  if ('text' in action) return action.text;
  const { sample_id, trial } = call;
  const stored = await run.calls.at({ sample_id, trial, purpose: 'act', ordinal: action.act });
  if (stored !== null) return stored.record.text;
  throw missingFile(run.store, `the record of ${sample_id}, trial ${trial}, act ${action.act}`, null);
}

/** Returns the earlier replies to a vote, none of which could be read. */
async function triesBefore(run: RunContext, call: CallIdentity, { config }: Vote) {
  const first = call.ordinal - (call.ordinal % GRADE_TRIES);
  const before: { text: string; fault: string }[] = [];
  for (let ordinal = first; ordinal < call.ordinal; ordinal++) {
    const stored = await run.calls.at({ ...call, ordinal });
    if (stored === null)
      throw missingFile(run.store, `the record of ${call.sample_id}, grade ${ordinal}`, null);
    const verdict = readModelVerdict(stored.record.text, config);
    if ('fault' in verdict) before.push({ text: stored.record.text, fault: verdict.fault });
  }
  return before;
}

/** Creates the activities by which models grade answers. Each may be repeated: what was paid for is found again. */
export function createGradingActivities(
  runs: RunContexts,
  dependencies: WorkerDependencies,
  models: ModelCalls,
): GradingActivities {
  async function grade(input: GradeAnswerInput, attempt: Attempt) {
    const run = await runs.get(input.run);
    const { call } = input;
    const vote = run.votes[Math.floor(call.ordinal / GRADE_TRIES)] as Vote;
    const answer = await actionOf(run, call, input.action);
    const task = await run.taskOf(input.index);
    const messages = votePrompt(vote, { task, answer }, await triesBefore(run, call, vote));
    const model = run.calledModel(vote.lm);
    const asked = models.prepare(model, call, { messages });
    const found = await run.calls.find(call, asked.key);
    const record =
      found === null
        ? await models.askAndKeep(model, asked, attempt, (reply) => run.calls.save(reply))
        : (await models.found(model, found, attempt)).record;
    const verdict = readModelVerdict(record.text, vote.config);
    if ('fault' in verdict) {
      const { sample_id: sample, trial } = call;
      run.log('grade').warn({ sample, trial, scorer: vote.scorer, fault: verdict.fault }, 'no verdict');
    }
    // The text is read from the store when the row is written.
    const { text: _text, reasoning: _reasoning, ...reply } = replyOf(record);
    return {
      ...reply,
      text: '',
      ...(attempt.isCounted ? { counted: true as const } : {}),
      ...(attempt.isFound ? { found: true as const } : {}),
      ...(attempt.unrecorded === null ? {} : { unrecorded: attempt.unrecorded }),
      is_read: 'value' in verdict,
    };
  }

  return {
    gradeAnswer: (input) => Attempt.run((attempt) => grade(input, attempt), input.before),

    embedAnswer: ({ run: uri, scorer, index, call, action }) =>
      heartbeating(async () => {
        const run = await runs.get(uri);
        const config = run.config.scorers[scorer] as ScorerOf<'similarity'>;
        const said = readFrom(await actionOf(run, call, action), config.reads);
        const task = await run.taskOf(index);
        const targets = (task.targets ?? [task.target ?? '']).filter((text) => text.trim() !== '');
        if (said.trim() === '' || targets.length === 0) return {};
        const store = await run.scorerVectors(config);
        const purse = new Purse(run, dependencies);
        try {
          const { signal } = purse;
          await store.vectorsOf([said, ...targets], { signal, onPaid: (paid) => purse.paid(paid) });
        } finally {
          await purse.close();
        }
        const embeddings = await purse.close();
        return embeddings === null ? {} : { embeddings };
      }),
  };
}
