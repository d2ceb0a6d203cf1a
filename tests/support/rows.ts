import type { CallRecord } from '../../src/contracts/language-model.js';
import type { EpisodeRecord, ResultRow, RowTask, TaskRow } from '../../src/contracts/results.js';
import { resultRow, withTask } from '../../src/statistics/result-row.js';

/** An answered call of sample `s1`, trial 0; give what matters. */
export function call(fields: Partial<CallRecord> = {}): CallRecord {
  return {
    sample_id: 's1',
    trial: 0,
    purpose: 'act',
    ordinal: 0,
    key: 'key',
    model: 'model',
    text: 'reply',
    finish_reason: 'stop',
    usage: { input_tokens: 10, output_tokens: 5 },
    cost_usd: 0.001,
    latency_ms: 100,
    messages: [{ role: 'user', content: 'question' }],
    parameters: {},
    attempts: 1,
    repeated: 0,
    at: '2025-01-01T00:00:00.000Z',
    ...fields,
  };
}

/** A step that was judged; `extra` as an environment reports it. */
export function step(
  correct: boolean,
  extra: NonNullable<EpisodeRecord['steps'][number]['feedback']['extra']> = {},
): EpisodeRecord['steps'][number] {
  const feedback = { correct, target: 't', message: 'm', extra };
  return { obs: 'obs', action: 'action', feedback, reward: correct ? 1 : 0, done: true };
}

export function episode(fields: Partial<EpisodeRecord> = {}): EpisodeRecord {
  const steps = fields.steps ?? [step(true)];
  return {
    index: 0,
    sample_id: 's1',
    trial: 0,
    steps,
    reward: steps.reduce((sum, { reward }) => sum + reward, 0),
    error: null,
    warnings: [],
    calls: [],
    started_at: Date.UTC(2025, 0, 1),
    ended_at: Date.UTC(2025, 0, 1, 0, 0, 1, 500),
    ...fields,
  };
}

/** The row of an episode that succeeds (`yes`), fails (`no`), or cannot be judged (any other word is the error). */
export function row(
  id: string,
  trial: number,
  outcome: string,
  extra: Parameters<typeof step>[1] = {},
  calls: CallRecord[] = [],
): ResultRow {
  const judged = outcome === 'yes' || outcome === 'no';
  const error = judged ? null : { type: outcome, message: 'not judged' };
  return resultRow(
    episode({ sample_id: id, trial, steps: judged ? [step(outcome === 'yes', extra)] : [], error }),
    calls,
  );
}

/** A row as it is written. */
export function taskRow(row: ResultRow, task: Partial<RowTask> = {}): TaskRow {
  return withTask(row, { question: 'question', target: 't', metadata: {}, ...task });
}
