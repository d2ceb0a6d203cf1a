import { describe, expect, it } from 'vitest';
import { runInProcess } from '../../src/in-process/index.js';
import { config, FakeModel, prompt, solve } from './support.js';

const REDUCERS = ['mean', 'mode', 'at_least_2', 'pass_at_2'];

describe('epochs of a sample', () => {
  // The second epoch is wrong, the first and the third are right.
  const model = () => new FakeModel((request) => (request.call.trial === 1 ? '999' : solve(request)));
  const epochs = { runtime: { memory_scope: 'sample', epochs: 3, concurrency: 4 } };

  it('are asked each, count each as a sample, and are reduced to one value a sample', async () => {
    const asked = model();
    const { metrics, rows, calls, trajectories } = await runInProcess(
      config({ ...epochs, metrics: { reducers: REDUCERS } }, 4),
      { languageModel: asked, trajectories: true },
    );
    expect(rows.map(({ id, epoch, trial }) => `${id} ${epoch} ${trial}`)).toEqual(
      ['s1', 's2', 's3', 's4'].flatMap((id) => [0, 1, 2].map((epoch) => `${id} ${epoch} ${epoch}`)),
    );
    expect(asked.asked).toHaveLength(12);
    expect(new Set(calls.map(({ key }) => key)).size).toBe(12);
    expect(new Set(trajectories?.map(({ episode_id }) => episode_id)).size).toBe(12);
    expect(metrics).toMatchObject({
      epochs: 3,
      samples: 12,
      samples_planned: 12,
      episodes: 12,
      correct: 8,
      accuracy: 2 / 3,
      // Every sample has the same three outcomes: samples, the clusters, do not differ.
      accuracy_stderr: 0,
      success_by_trial: [2 / 3],
      reducers: {
        mean: { samples: 4, mean: 2 / 3, stderr: 0 },
        mode: { samples: 4, mean: 1, ties: 0 },
        at_least_2: { samples: 4, mean: 1 },
        pass_at_2: { samples: 4, mean: 1 },
      },
    });
    expect(metrics.in_words.join(' ')).toContain('Each sample is run in 3 epochs');
  });

  it('vote by what their answers are, not by how they are written', async () => {
    const written = ['0.5', '\\boxed{1/2}', '3', '\\boxed{\\frac{1}{2}}', '3'];
    const { metrics, rows } = await runInProcess(
      config({
        dataset: { items: [{ id: 's1', question: 'A half?', answer: '1/2' }] } as never,
        runtime: { ...epochs.runtime, epochs: 5 },
        metrics: { reducers: ['mode'] },
      }),
      { languageModel: new FakeModel(({ call }) => written[call.trial] as string) },
    );
    expect(metrics.reducers).toMatchObject({ mode: { mean: 1, ties: 0 } });
    expect(rows[0]).not.toHaveProperty('vote');
  });

  it('see nothing of each other, while the trials of one do', async () => {
    const asked = new FakeModel(({ call }) => `The answer is ${900 + call.trial}.`);
    const { rows, metrics, memory } = await runInProcess(
      config({ runtime: { ...epochs.runtime, epochs: 2, num_trials: 2 }, agent: { history_k: 100 } }, 2),
      { languageModel: asked },
    );
    const shown = Object.fromEntries(
      asked.asked
        .filter(({ call }) => call.sample_id === 's1')
        .map((request) => [request.call.trial, prompt(request).match(/The answer is \d+/g) ?? []]),
    );
    expect(shown).toEqual({ 0: [], 1: ['The answer is 900'], 2: [], 3: ['The answer is 902'] });
    expect(rows.filter(({ id }) => id === 's2').map(({ epoch, trial }) => [epoch, trial])).toEqual([
      [0, 0],
      [0, 1],
      [1, 2],
      [1, 3],
    ]);
    expect(metrics).toMatchObject({ samples: 4, episodes: 8, correct_by_trial: [0, 0], trials_judged: 8 });
    // The memory of the first epoch stays.
    const { memories } = memory as unknown as { memories: Record<string, { entries: { trial: number }[] }> };
    expect(Object.keys(memories)).toEqual(['s1', 's2']);
    expect(new Set(memories.s1?.entries.map(({ trial }) => trial))).toEqual(new Set([0, 1]));
    expect(JSON.stringify(memories)).not.toMatch(/902|903/);
  });

  it('end early each for itself after a success', async () => {
    const asked = new FakeModel((request) => (request.call.trial < 3 ? '999' : solve(request)));
    const { rows, metrics } = await runInProcess(
      config({ runtime: { ...epochs.runtime, epochs: 2, num_trials: 3, early_stop_on_success: true } }, 1),
      { languageModel: asked },
    );
    expect(rows.map(({ epoch, trial }) => [epoch, trial])).toEqual([
      [0, 0],
      [0, 1],
      [0, 2],
      [1, 3],
    ]);
    expect(metrics).toMatchObject({ success_by_trial: [0.5, 0.5, 0.5], accuracy_of: 'any_trial' });
  });

  it('leave the rows, metrics and calls of one epoch as they are without any', async () => {
    const { rows, metrics } = await runInProcess(config(), { languageModel: model() });
    for (const row of rows) expect(row).not.toHaveProperty('epoch');
    expect(metrics).not.toHaveProperty('epochs');
    expect(metrics).not.toHaveProperty('reducers');
  });
});
