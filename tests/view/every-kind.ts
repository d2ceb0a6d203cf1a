import { EVALUATION_METRICS, EVOLVE_METRICS, JUDGE_METRICS, RUN_METRICS } from '../support/experiments.js';

const OWN_METRICS = {
  ...JUDGE_METRICS,
  kind: 'own-kind',
  kind_name: 'best of n',
  models: { writer: 'openai/w' },
  samples_planned: 4,
  samples: 3,
  scores: { correct: { samples: 3, mean: 2 / 3, stderr: 1 / 3, interval: [0, 1], is_share: true } },
  figures: { best: 0.123456789 },
  code_changes: [],
};

const CELLS = ['mine-1', 'mine-2'].map((name, index) => ({
  name,
  settings: { 'models.agent.temperature': index },
  repeat: 0,
  status: 'done',
  message: null,
  artifacts: `file:///results/mine/${name}`,
  figures: [
    { id: 'accuracy', label: 'accuracy', value: 0.5, stderr: 0.25, interval: [0.1, 0.9], is_share: true },
  ],
  errors: 0,
  lm_calls: 5,
  usage: { input_tokens: 30, output_tokens: 12 },
  cost_usd: 0.0021,
  wall_seconds: 3.5,
  seconds_per_sample: 1.75,
}));

const SETTING = { scores: [], cost_usd: 0.0021, seconds_per_sample: 1.75 };

const DIFFERENCE = {
  score: 'reward',
  is_share: true,
  pairs: 6,
  baseline: 0.5,
  other: 0.75,
  difference: 0.25,
  stderr: 0.125,
  interval: [-0.125, 0.5],
  p_value: 0.375,
};

const SWEEP_METRICS = {
  ...JUDGE_METRICS,
  kind: 'sweep',
  command: 'run',
  cells_planned: 2,
  repeats: 1,
  cells: CELLS,
  settings: CELLS.map(({ name, settings }, index) => ({
    ...SETTING,
    settings,
    cells: [name],
    ...(index === 0 ? {} : { differences: [DIFFERENCE] }),
  })),
};

/** Metrics of an experiment of every kind. */
export const METRICS: Record<string, object> = {
  run: RUN_METRICS,
  evolve: EVOLVE_METRICS,
  'agent-eval': EVALUATION_METRICS,
  judge: JUDGE_METRICS,
  'own-kind': OWN_METRICS,
  sweep: SWEEP_METRICS,
};
