import { expect, test } from 'vitest';
import { KINDS } from '../../src/kinds/registry.js';
import { openStore } from '../../src/storage/open.js';
import { writeStoredConfig } from '../../src/storage/stored-config.js';
import { parseSection } from '../reports/support.js';
import { resultsFolder } from '../support/compared-experiments.js';
import { EVALUATION_METRICS, EVOLVE_METRICS, JUDGE_METRICS, RUN_METRICS } from '../support/experiments.js';
import { LEAST } from '../support/kinds.js';
import { pageAt, viewerOf } from './support.js';

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

const METRICS: Record<string, object> = {
  run: RUN_METRICS,
  evolve: EVOLVE_METRICS,
  'agent-eval': EVALUATION_METRICS,
  judge: JUDGE_METRICS,
  'own-kind': OWN_METRICS,
  sweep: SWEEP_METRICS,
};

function leaves(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [String(value)];
  const inner = Object.values(value);
  return inner.length === 0 ? [Array.isArray(value) ? '[]' : '{}'] : inner.flatMap(leaves);
}

test.each(KINDS.map(({ id }) => id))(
  'the page of %s has every figure of metrics.json, and no other',
  async (kind) => {
    const folder = resultsFolder();
    const store = openStore(folder).within('mine');
    const metrics = METRICS[kind] as object;
    await writeStoredConfig(store, LEAST[kind] as object);
    await store.write('metrics.json', JSON.stringify(metrics));
    const { status, text } = await pageAt(await viewerOf(folder), 'experiment?id=mine');
    expect(status).toBe(200);
    const { texts, tags } = parseSection(text, 'figures');
    const exact = texts.filter(({ path }) => path.slice(-2).join(' ') === 'td code').map((one) => one.text);
    const known = leaves(JSON.parse(JSON.stringify(metrics)));
    expect(exact).toEqual(known);
    // Tiles round what they show; each has the exact number beside it.
    const shown = tags.filter(({ name }) => name === 'data').map(({ attributes }) => attributes.value ?? '');
    expect(shown.length).toBeGreaterThan(3);
    const sums = (numbers: string[]) => numbers.map(Number).reduce((sum, one) => sum + one, 0);
    const derived = [
      sums(leaves((metrics as { user_faults?: object }).user_faults ?? {}).filter((one) => one !== '{}')),
    ];
    const made = metrics as Record<string, number>;
    for (const [one, other] of [
      ['steps', 'errors'],
      ['samples', 'errors'],
      ['rollouts', 'errors'],
    ] as const)
      derived.push(
        (made[one] ?? 0) + (made[other] ?? 0),
        (made[one] ?? 0) + (made[other] ?? 0) + (derived[0] ?? 0),
      );
    derived.push((made.num_iterations ?? 0) + 1);
    expect(shown.filter((value) => !known.includes(value) && !derived.includes(Number(value)))).toEqual([]);
  },
);
