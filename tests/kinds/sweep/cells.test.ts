import { describe, expect, it, test } from 'vitest';
import { resolveConfig } from '../../../src/config/load.js';
// Loaded here, since the first test would have to wait for it.
import '../../../src/kinds/run/kind.js';
import type { RunConfig } from '../../../src/kinds/run/schema.js';
import { cellsOf, configOfCell, kindOfCells } from '../../../src/kinds/sweep/cells.js';
import { sweepCommand } from '../../../src/kinds/sweep/command.js';
import { sweepConfigs } from '../../../src/kinds/sweep/config.js';
import type { CellRow } from '../../../src/kinds/sweep/contracts.js';
import { clusterOfCells, settingsOf } from '../../../src/kinds/sweep/settings.js';
import { folderWith, MINIMAL, refusal } from '../../support/configs.js';

const VENDOR = { ...MINIMAL, lm: { model: 'openai/a' } };

function sweepOf(sections: Record<string, unknown>, options = {}) {
  return resolveConfig(
    sweepConfigs,
    { name: 'mine', config: VENDOR, ...sections },
    { source: 'sweep.yaml', folder: '/configs', workingFolder: '/work', environment: {}, ...options },
  );
}

async function cellConfigs(sections: Record<string, unknown>): Promise<RunConfig[]> {
  const sweep = sweepOf(sections);
  const kind = await kindOfCells(sweep);
  return cellsOf(sweep, 'mine').map(
    (cell) => configOfCell(kind, sweep, cell, 'file:///results/mine') as RunConfig,
  );
}

describe('the cells of a sweep', () => {
  it('are all combinations, named by what varies, and each repeat has a folder and a seed of its own', async () => {
    const grid = { lm: ['openai/a', 'gemini/b'], 'lm.temperature': [0, 0.7], seed: [5] };
    const cells = await cellConfigs({ grid, repeats: 2 });
    expect(cells.map(({ name }) => name)).toEqual(
      ['a_0', 'a_0.7', 'b_0', 'b_0.7']
        .flatMap((own) => [`mine-${own}_r1`])
        .concat(['a_0', 'a_0.7', 'b_0', 'b_0.7'].map((own) => `mine-${own}_r2`)),
    );
    expect(cells[3]?.lm).toMatchObject({ provider: 'gemini', model: 'b', temperature: 0.7, cache: 'runs' });
    expect(cells.map(({ seed }) => seed)).toEqual([5, 5, 5, 5, 6, 6, 6, 6]);
    expect([cells[0], cells[4]].map((cell) => cell?.output.results_dir)).toEqual([
      '/results/mine/repeat-1',
      '/results/mine/repeat-2',
    ]);
  });

  it('leave the settings of a former provider behind, and share no replies of a model that costs nothing', async () => {
    const config = { ...MINIMAL, lm: { model: 'simulated/toy', simulation: { accuracy: 0.2 } } };
    const [toy, other] = await cellConfigs({ config, grid: { model: ['simulated/toy', 'openai/b'] } });
    expect(toy?.lm).toMatchObject({ simulation: { accuracy: 0.2 }, cache: false });
    expect(other?.lm).not.toHaveProperty('simulation');
  });

  it.each([
    [{ seed: [0, 1], 'lm.top_p': [0.5, 1] }, 'seed'],
    [{ seed: [0], 'lm.top_p': [0.5, 1] }, 'runs'],
    [{ 'lm.seed': [0, 1] }, 'runs'],
  ])(
    'with the grid %j share calls as lm.cache: %s, so that those of other seeds are independent',
    async (grid, cache) => {
      const cells = await cellConfigs({ grid, repeats: 2 });
      expect(new Set(cells.map(({ lm }) => lm.cache))).toEqual(new Set([cache]));
    },
  );

  it('keep the several votes of a judge of their own', async () => {
    const lm = { model: 'openai/judge', temperature: 1 };
    const scorers = { good: { type: 'model_graded', template: 'Is {answer} good?', lm, votes: 3 } };
    const [cell] = await cellConfigs({ config: { ...VENDOR, scorers }, grid: { 'lm.temperature': [0, 1] } });
    expect(cell?.scorers.good).toMatchObject({ lm: { cache: 'runs' } });
    const { config: runs } = await kindOfCells(sweepOf({ grid: { seed: [0, 1] } }));
    const again = () => resolveConfig(runs, { ...cell }, { source: 'it', folder: '/', workingFolder: '/' });
    expect(again).not.toThrow();
  });

  it('have the limits of the config, or of the sweep, and share no calls where it says so', async () => {
    const config = { ...VENDOR, limits: { max_lm_calls: 9 } };
    const grid = { 'lm.temperature': [0, 1] };
    expect(sweepOf({ config, grid }).limits.max_lm_calls).toBe(9);
    expect(sweepOf({ config, grid, limits: { max_tokens: 5 } }).limits).toMatchObject({
      max_lm_calls: null,
      max_tokens: 5,
    });
    const [cell] = await cellConfigs({ config, grid, share_calls: false });
    expect(cell).toMatchObject({ limits: { max_lm_calls: 9 }, lm: { cache: false } });
  });

  it('have names of their own where a folder’s name cannot tell their values apart', () => {
    const names = cellsOf(
      { grid: { 'dataset.instruction_template': ['{question}!', '{question}?'] }, repeats: 1 },
      's',
    );
    expect(new Set(names.map(({ name }) => name)).size).toBe(2);
  });
});

test.each([
  [{ grid: {} }, 'grid', 'there is one cell only'],
  [{ grid: { seed: Array.from({ length: 150 }, (_, seed) => seed) }, repeats: 2 }, 'grid', '300 cells'],
  [{ grid: { seed: [] } }, 'grid.seed', 'must have at least 1 entry'],
  [{ grid: { seed: [1, 2] }, command: 'sweep' }, 'command', 'there is no sweep to vary'],
  [{ grid: { seed: [1, 2] }, config: { lm: 'openai/a' } }, 'command', 'is missing'],
  [{ grid: { seed: [1, 2] }, config: 'no.yaml' }, '', 'there is no such file'],
])('%j is refused at %s: %s', (sections, field, message) => {
  const error = refusal(() => sweepOf(sections));
  expect(error.field).toBe(field);
  expect(error.message).toContain(message);
});

test('a wrong value is refused with the name of its cell', async () => {
  await expect(cellConfigs({ grid: { 'lm.temperature': [0, 9] } })).rejects.toThrow(
    /^the cell mine-9: lm\.temperature: must be at most 2/,
  );
});

describe('the command line', () => {
  const asked = async (path: string, set: string[], flags = {}) => {
    const raw = await sweepCommand.asked?.(path, { set });
    const overrides = sweepCommand.overrides?.(set) ?? [];
    return resolveConfig(sweepConfigs, raw, { source: 'it', folder: '/work', flags, overrides });
  };

  it('varies a config by --model, --model-role and --set, whose own fields stay the sweep’s', async () => {
    const folder = folderWith({ 'it.yaml': JSON.stringify(VENDOR) });
    const set = ['lm.temperature=0,0.7', 'lm.stop=["a,b"]', 'limits.max_lm_calls=7', 'repeats=2'];
    const flags = { model: ['openai/a', 'openai/b'], model_role: ['judge=openai/c', 'judge=openai/d'] };
    expect(await asked(`${folder}/it.yaml`, set, flags)).toMatchObject({
      name: 'it-sweep',
      command: 'run',
      folder,
      repeats: 2,
      limits: { max_lm_calls: 7 },
      grid: {
        model: ['openai/a', 'openai/b'],
        'models.judge': ['openai/c', 'openai/d'],
        'lm.temperature': [0, 0.7],
        'lm.stop': [['a,b']],
      },
    });
  });

  it('takes --limit and --sample-id for every cell', async () => {
    const folder = folderWith({ 'it.yaml': JSON.stringify(VENDOR) });
    const flags = { model: ['openai/a', 'openai/b'], limit: '5', sample_id: ['s1,s2', 's3'] };
    const sweep = await asked(`${folder}/it.yaml`, [], flags);
    expect(sweep.grid).toMatchObject({ limit: [5], sample_id: [['s1', 's2', 's3']] });
    const kind = await kindOfCells(sweep);
    const cells = cellsOf(sweep, 'mine').map((cell) => ({
      name: cell.name,
      config: configOfCell(kind, sweep, cell, 'file:///results/mine') as RunConfig,
    }));
    expect(cells.map(({ name }) => name)).toEqual(['mine-a', 'mine-b']);
    for (const { config } of cells) {
      expect(config.runtime.max_envs_to_visit).toBe(5);
      expect(config.dataset.select?.ids).toEqual(['s1', 's2', 's3']);
    }
    const wrong = await asked(`${folder}/it.yaml`, [], { ...flags, limit: 'few' });
    await expect(sweepCommand.check(wrong)).rejects.toThrow(
      /^the cell it-sweep-a: runtime\.max_envs_to_visit: must be a number, not "few"/,
    );
  });

  it('reads a sweep’s own file, with paths relative to it', async () => {
    const folder = folderWith({
      'base.yaml': JSON.stringify(VENDOR),
      'grid.yaml': 'config: base.yaml\ngrid: { lm.temperature: [0, 1] }\n',
    });
    expect(await asked(`${folder}/grid.yaml`, [])).toMatchObject({ name: 'grid', folder, config: VENDOR });
  });
});

describe('the settings of a sweep', () => {
  const row = (temperature: number, repeat: number) =>
    ({
      name: `c-${temperature}-${repeat}`,
      settings: { temperature },
      repeat,
      cost_usd: 0.5,
      seconds_per_sample: 2,
    }) as unknown as CellRow;
  const samples = (right: boolean[], cluster: string | null = null) => ({
    figures: ['mean'],
    config: { metrics: { cluster } },
    samples: new Map(
      right.map((correct, index) => {
        const id = String(index);
        const trials = [{ trial: 0, answer: null, scores: { correct, reward: Number(correct) } }];
        const metadata = { passage: Math.floor(index / 2) };
        return [id, { id, question: null, target: null, metadata, trials }];
      }),
    ),
  });
  const cell = (temperature: number, repeat: number, right: boolean[], cluster?: string) =>
    ({ row: row(temperature, repeat), samples: samples(right, cluster) }) as never;

  it('pool their repeats by sample, so that repeats of a sample do not count as independent', () => {
    const [cold, warm] = settingsOf([
      cell(0, 0, [true, true, true, false]),
      cell(1, 0, [true, false, false, false]),
      cell(0, 1, [true, true, true, false]),
      cell(1, 1, [true, false, false, false]),
    ]);
    // Four samples, three right: s/√n with n−1, whatever the number of repeats.
    expect(cold?.scores).toEqual([
      { score: 'correct', is_share: true, samples: 4, mean: 0.75, stderr: expect.closeTo(0.25, 12) },
    ]);
    expect(warm).toMatchObject({
      cells: ['c-1-0', 'c-1-1'],
      cost_usd: 1,
      differences: [{ score: 'correct', pairs: 4, difference: -0.5 }],
    });
    expect(cold).not.toHaveProperty('differences');
  });

  it('have the errors of what samples have in common, where the config names it', () => {
    const of = (cluster?: string) => [
      cell(0, 0, [true, true, false, false], cluster),
      cell(1, 0, [false, false, false, false], cluster),
    ];
    const [cold, warm] = settingsOf(of('passage'));
    // Two passages with 2 and 0 right: √(2/1 · (1² + 1²)) / 4.
    expect(cold?.scores).toMatchObject([{ samples: 4, mean: 0.5, stderr: 0.5 }]);
    expect(warm?.differences).toMatchObject([{ pairs: 4, difference: -0.5, stderr: 0.5, p_value: 1 }]);
    for (const cells of [of(), of('nowhere')]) {
      const [independent, other] = settingsOf(cells);
      expect(clusterOfCells(cells)).toBeNull();
      expect(independent?.scores[0]?.stderr).toBeCloseTo(Math.sqrt(1 / 12), 12);
      expect(other?.differences).toMatchObject([{ p_value: 0.5 }]);
    }
    expect(clusterOfCells(of('passage'))).toBe('passage');
  });

  const scored = (temperature: number, trials: Record<string, (number | boolean)[]>) => {
    const names = Object.keys(trials);
    const samples = trials[names[0] as string]?.map((_, index) => {
      const scores = Object.fromEntries(names.map((name) => [name, trials[name]?.[index]]));
      const id = String(index);
      return [
        id,
        { id, question: null, target: null, metadata: {}, trials: [{ trial: 0, answer: null, scores }] },
      ];
    });
    return {
      row: row(temperature, 0),
      samples: { figures: ['mean'], config: {}, samples: new Map(samples as never) },
    } as never;
  };
  const [ALL, SOME] = [
    [true, true, true],
    [true, false, true],
  ];

  it.each([
    ['in one setting', { correct: ALL, polite: ALL, safe: ALL }, { correct: ALL, polite: SOME, safe: ALL }],
    [
      'in all settings',
      { correct: SOME, polite: SOME, safe: SOME },
      { correct: ALL, polite: ALL, safe: ALL },
    ],
    [
      'of numbers',
      { correct: ALL, f1: [1, 1, 1], rouge: [1, 1, 1] },
      { correct: SOME, f1: [1, 0, 1], rouge: [1, 0, 1] },
    ],
    [
      'of a reward that is another one',
      { correct: ALL, reward: [1, 1, 1] },
      { correct: SOME, reward: [1, 0.5, 1] },
    ],
    ['of a reward alone', { reward: [1, 1, 1] }, { reward: [1, 0, 1] }],
  ])('have each of several scores with the same values %s', (_, first, second) => {
    const [cold, warm] = settingsOf([scored(0, first), scored(1, second)]);
    const names = Object.keys(first);
    for (const scores of [cold?.scores, warm?.scores, warm?.differences]) {
      expect(scores?.map(({ score }) => score)).toEqual(names);
    }
  });

  it('leave out a reward that says as 0 and 1 in all of them what right and wrong do', () => {
    const [cold, warm] = settingsOf([
      scored(0, { correct: ALL, reward: ALL.map(Number), polite: ALL }),
      scored(1, { correct: SOME, reward: SOME.map(Number), polite: SOME }),
    ]);
    for (const scores of [cold?.scores, warm?.scores, warm?.differences]) {
      expect(scores?.map(({ score }) => score)).toEqual(['correct', 'polite']);
    }
  });

  it('count what scorers gave no score, of the judged samples of all repeats', () => {
    const counted = (temperature: number, repeat: number, unscored?: Record<string, number>) => ({
      samples: null,
      row: { ...row(temperature, repeat), judged: 30, ...(unscored && { unscored }) },
    });
    const [cold, warm] = settingsOf([counted(0, 0), counted(1, 0, { graded: 30 }), counted(1, 1)]);
    expect(cold).not.toHaveProperty('unscored');
    expect(warm?.unscored).toEqual({ graded: { samples: 30, of: 60 } });
  });
});
