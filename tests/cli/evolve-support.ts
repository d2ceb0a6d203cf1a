import type { ScaffoldNode } from '../../src/contracts/evolve.js';
import type { EvolveMetrics, EvolveProgress } from '../../src/contracts/evolve-results.js';

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

export function progressOf(more: Partial<EvolveProgress> = {}): EvolveProgress {
  const { lines = [] } = more;
  return {
    kind: 'evolve',
    experiment: 'game_20260131_235959',
    phase: 'running',
    iteration: 0,
    num_iterations: 3,
    nodes: [],
    best: null,
    totals: {
      executions: 0,
      executions_failed: 0,
      lm_calls: 0,
      usage: { input_tokens: 0, output_tokens: 0 },
      cost_usd: 0,
    },
    lines,
    line_count: lines.length,
    artifacts: '',
    message: null,
    ...more,
  };
}

export const METRICS: EvolveMetrics = {
  name: 'game',
  experiment: 'game_20260131_235959',
  kind: 'evolve',
  status: 'done',
  status_message: null,
  scaffolder_model: 'scripted/game24',
  executor_model: null,
  simulated: false,
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
  cut_off: 0,
  lm_calls: 11,
  lm_calls_repeated: 0,
  usage: { input_tokens: 1000, output_tokens: 2000 },
  cost_usd: 0.5,
  wall_seconds: 61,
  started_at: '2026-01-31T23:59:59.000Z',
  ended_at: '2026-02-01T00:01:00.000Z',
};
