import type { ExperimentProgress } from '../../src/contracts/progress.js';
import type { ExperimentMetrics } from '../../src/contracts/results.js';
import type { KindFacts } from '../../src/facts/kind-facts.js';
import { AGENT_EVAL_FACTS } from '../../src/kinds/agent-eval/facts.js';
import type { AgentEvalMetrics, AgentEvalProgress } from '../../src/kinds/agent-eval/results.js';
import type { ScaffoldNode } from '../../src/kinds/evolve/contracts.js';
import { EVOLVE_FACTS } from '../../src/kinds/evolve/facts.js';
import type { EvolveMetrics, EvolveProgress } from '../../src/kinds/evolve/results.js';
import type { JudgeMetrics, JudgeProgress } from '../../src/kinds/judge/contracts.js';
import { JUDGE_FACTS } from '../../src/kinds/judge/facts.js';
import type { RunProgress } from '../../src/kinds/run/contracts.js';
import { RUN_FACTS } from '../../src/kinds/run/facts.js';
import type { Metrics } from '../../src/kinds/run/results.js';

/** What every kind says of its experiments, for what is given one of any. */
const FACTS: Record<string, KindFacts> = {
  run: RUN_FACTS,
  'agent-eval': AGENT_EVAL_FACTS,
  evolve: EVOLVE_FACTS,
  judge: JUDGE_FACTS,
};
const factsOfKind = (kind: string) => FACTS[kind] as unknown as KindFacts<ExperimentProgress>;

/** Says of an experiment what its kind does, whichever that is. */
export const ANY_FACTS = {
  facts: (progress: ExperimentProgress) => factsOfKind(progress.kind).facts(progress),
  atEnd: (metrics: ExperimentMetrics) => factsOfKind(metrics.kind).atEnd(metrics),
  judged: (metrics: ExperimentMetrics) => factsOfKind(metrics.kind).judged(metrics),
} as unknown as KindFacts;

/** An experiment of each kind, in progress and at its end, with figures that differ. */
const FRAME = {
  experiment: 'mine',
  phase: 'running',
  message: null,
  artifacts: 's3://bucket/mine',
  simulated: false,
  errors: 1,
  errors_by_type: { timeout: 1 },
  spending: { lm_calls: 31, usage: { input_tokens: 1000, output_tokens: 200 }, cost_usd: 0.5 },
  limits: { max_cost_usd: 2, max_lm_calls: 300, max_tokens: null, max_wall_seconds: null },
  concurrency: 5,
  metrics: null,
  pace: null,
} as const;

export const RUN: RunProgress = {
  ...FRAME,
  kind: 'run',
  models: { model: 'openai/x' },
  units: { noun: 'sample', planned: 80, ended: 21, running: null },
  correct: 15,
  episodes: 40,
  accuracy: 0.75,
  accuracy_of: 'last_trial',
  means: ['Samples are independent.', 'Each prompt shows its question alone.'],
};

export const EVALUATION: AgentEvalProgress = {
  ...FRAME,
  kind: 'agent-eval',
  models: { agent: 'openai/a', user: 'openai/u' },
  units: { noun: 'rollout', planned: 20, ended: 12, running: 8 },
  mean_reward: 0.58333,
  user_faults: 2,
  agent_turns: 31,
  tool_calls: 20,
  tool_calls_failed: 2,
};

export const EVOLUTION: EvolveProgress = {
  ...FRAME,
  kind: 'evolve',
  errors_by_type: { scaffold_unscored: 1 },
  models: { scaffolder: 'openai/s', executor: null },
  units: { noun: 'iteration', planned: 4, ended: 2, running: 1 },
  nodes: [],
  best: { id: '1-0', score: 1 / 3 },
  executions: 24,
  executions_failed: 2,
  lines: [],
  line_count: 0,
};

export const JUDGEMENT: JudgeProgress = {
  ...FRAME,
  kind: 'judge',
  models: { judge: 'openai/j' },
  units: { noun: 'step', planned: 20, ended: 9, running: 2 },
  name: 'manners-fake-1',
  mean_scores: { helpful: 3.25, kind: null },
  malformed_replies: 2,
};

/** By kind. */
export const IN_PROGRESS = { run: RUN, 'agent-eval': EVALUATION, evolve: EVOLUTION, judge: JUDGEMENT };

const ENDED = {
  name: 'mine',
  experiment: 'mine',
  status: 'done',
  status_message: null,
  simulated: false,
  errors: 1,
  errors_by_type: { timeout: 1 },
  cut_off: 0,
  lm_calls: 33,
  lm_calls_repeated: 2,
  usage: { input_tokens: 1000, output_tokens: 200 },
  cost_usd: 0.12345,
  wall_seconds: 61,
  started_at: '2025-01-01T00:00:00.000Z',
  ended_at: '2025-01-01T00:01:01.000Z',
} as const;

export const RUN_METRICS: Metrics = {
  ...ENDED,
  kind: 'run',
  errors: 2,
  errors_by_type: { EmptyReply: 1, timeout: 1 },
  model: 'openai/x',
  agent: 'history_agent',
  seed: 0,
  in_words: ['Samples are independent.', 'Each prompt shows its question alone.'],
  feedback_in_prompts: 'none',
  feedback_in_memory: 'full',
  samples: 10,
  samples_planned: 10,
  episodes: 20,
  accuracy_of: 'last_trial',
  correct: 6,
  accuracy: 0.75,
  accuracy_stderr: 0.1637,
  accuracy_interval: [0.375, 1],
  success_by_trial: [0.5, 0.75],
  success_by_trial_stderr: [0.189, 0.1637],
  success_by_trial_interval: [
    [0.125, 0.875],
    [0.375, 1],
  ],
  correct_by_trial: [4, 6],
  trials_judged: 16,
  mean_over_trials: 0.625,
  mean_over_trials_stderr: 0.13,
  mean_over_trials_interval: [0.375, 0.875],
  mean_reward: 0.7,
  mean_reward_stderr: 0.15,
  mean_reward_interval: [0.4, 0.95],
  warnings: 0,
  lm_calls_cached: 0,
  by_task: {
    QAEnv: {
      samples: 10,
      correct: 6,
      errors: 2,
      accuracy: 0.75,
      accuracy_stderr: 0.1637,
      accuracy_interval: [0.375, 1],
      mean_reward: 0.7,
      mean_reward_stderr: 0.15,
      mean_reward_interval: [0.4, 0.95],
    },
  },
};

export const EVALUATION_METRICS: AgentEvalMetrics = {
  ...ENDED,
  kind: 'agent-eval',
  agent_model: 'openai/a',
  user_model: null,
  rows: 2,
  rollouts_planned: 8,
  rollouts: 5,
  user_faults: { empty: 1, role_swap: 1, early_stop: 0, cut_off: 0 },
  endings: { user_stop: 4, max_turns: 1 },
  mean_reward: 0.6,
  mean_reward_stderr: 0.2,
  mean_reward_interval: [0.25, 0.8333333],
  reward_metrics: { politeness: { rollouts: 4, mean: 0.75, stderr: 0.125, interval: [0.5, 1] } },
  pass_at_k: [0.6, 0.9, null],
  pass_hat_k: [0.6, 1 / 3, null],
  pass_rows: [2, 2, 1],
  pass_warning: 'the rows have 2 to 3 judged rollouts',
  by_row: {
    'flight.cancel.001': { rollouts: 3, mean_reward: 1, successes: 3 },
    'flight.cancel.002': { rollouts: 2, mean_reward: 0, successes: 0 },
  },
  code_changes: [],
  agent_turns: 31,
  tool_calls: 20,
  tool_calls_failed: 2,
};

export const EVOLVE_METRICS: EvolveMetrics = {
  ...ENDED,
  kind: 'evolve',
  errors: 0,
  errors_by_type: {},
  scaffolder_model: 'scripted/game24',
  executor_model: null,
  domain: 'game24',
  selection: 'top_k',
  seed: 1,
  num_iterations: 3,
  iterations: 4,
  best: {
    id: '1-0-0',
    iteration: 3,
    score: 1,
    path: 'iterations/2/scaffolds/new/1-0-0/scaffold.py',
    test_score: 0.98765,
  },
  best_by_iteration: [null, 0.1, 0.45, 1],
  scaffolds: 9,
  scaffolds_failed: 1,
  scaffolds_unscored: 0,
  scaffolds_duplicate: 0,
  executions: 170,
  executions_failed: 2,
};

export const JUDGE_METRICS: JudgeMetrics = {
  ...ENDED,
  kind: 'judge',
  model: 'openai/j',
  rubric: 'manners',
  show_reward: true,
  trajectories: 3,
  steps_planned: 6,
  steps: 4,
  scores: {
    helpful: { mean: 3.5, stderr: 0.75, interval: [2, 4.5], range: [1, 5] },
    polite: { mean: null, stderr: null, interval: null, range: [0, 1] },
  },
  episodes_judged: 4,
  episodes_succeeded: 3,
  success_rate: 0.75,
  success_rate_stderr: 0.25,
  success_rate_interval: [0.25, 1],
  malformed_replies: 2,
};

/** By kind. */
export const AT_END = {
  run: RUN_METRICS,
  'agent-eval': EVALUATION_METRICS,
  evolve: EVOLVE_METRICS,
  judge: JUDGE_METRICS,
};

export type Kind = keyof typeof AT_END;

export const KINDS = Object.keys(AT_END) as Kind[];

/** Scaffolds of an evolution that has begun, one of each kind that its table tells apart. */
export function begunNodes(): ScaffoldNode[] {
  return [
    node('0', 0, {
      status: 'validated',
      valid: [{ iteration: 1, score: 0.25 }],
      train: [{ iteration: 1, example_id: 'a', score: 1 }],
      cost_usd: 0.0125,
    }),
    node('1', 0, { status: 'failed', cost_usd: null }),
    node('0-0', 1),
    node('2', 0, { status: 'duplicate', duplicate_of: '0' }),
  ];
}

export function node(id: string, iteration: number, more: Partial<ScaffoldNode> = {}): ScaffoldNode {
  const end = id.lastIndexOf('-');
  return {
    id,
    parent_scaffold_id: end < 0 ? null : id.slice(0, end),
    iteration,
    status: 'new',
    train: [],
    valid: [],
    ...more,
  };
}
